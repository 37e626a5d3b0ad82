import APNsClient
import ArgumentParser
import CommandLineSupport
import Foundation
import GameCore
import PushRules
import RangersSettings

/// `rangersctl push`: single pushes, to try a phone or the way to APNs.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Sends single pushes, and says what APNs answers and what that means.",
        discussion: """
            To a token goes a sample, about an adventure that nobody is on: two heroes in the first turn of a fight. To an \
            activity (--activity) goes what it really shows. A token is a secret, and never an argument.
            """,
        subcommands: [Test.self, Curl.self]
    )

    /// `rangersctl push test`.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends one push to a token or an activity through the server.",
            discussion: """
                Shows the request with its headers and payload, the answer, what it means and what to do. Nothing that comes \
                of a push to a token changes what the server knows of activities and tokens. A card that shows an \
                adventure already keeps the sample until the next push for that adventure.

                With --activity whoever sends everything else to the activity sends its newest real state at once, or its \
                end, and what was decided is shown, too; that may take some seconds. A start makes another card, and so \
                takes a push-to-start token in place of an activity.

                An end is for good: the card is over, and nothing brings it back. It asks before, unless you say --yes.

                Examples:
                  rangersctl push test --push-token-file token.hex
                  rangersctl push test --activity 0f8fad5b-d9cb-469f-a165-70867728950e
                  rangersctl push test --activity 0f8fad5b-d9cb-469f-a165-70867728950e --event end --yes
                  pbpaste | rangersctl push test --event start --environment sandbox

                Exit status 1 when APNs did not accept it.
                """
        )

        @OptionGroup var push: PushOptions

        @Option(
            help: ArgumentHelp(
                "In place of a token: a live activity, which gets its newest real state, or its end, at once.",
                valueName: "id"
            )
        )
        var activity: Identifier?

        @Option(
            help: ArgumentHelp(
                "Where the token is valid; needed where the server sends to more than one.",
                valueName: "production|sandbox|simulator"
            )
        )
        var environment: APNsEnvironment?

        @Flag(name: .shortAndLong, help: "Do not ask before an end.")
        var yes = false

        @OptionGroup var repetition: RepeatOptions
        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard activity != nil || repetition.idempotencyKey == nil else {
                throw ValidationError("--idempotency-key goes with --activity: what is sent to a token is sent again.")
            }
            guard activity != nil else { return }
            try push.validateForActivity()
            guard push.pushTokenFile == nil, environment == nil, push.priority == nil else {
                throw ValidationError("The activity knows its token and environment, and its budget the priority.")
            }
        }

        func run() async throws {
            let client = try options.client()
            if push.event == .end, !yes {
                let card = activity.map { "the card of activity \($0.text)" } ?? "the card that has this token"
                try ConfirmationOptions.ask("End \(card) for good?", orSay: "--yes")
            }
            if let activity {
                try await ActivityPush(
                    activity: activity.text,
                    event: push.event.rawValue,
                    json: options.json,
                    client: client,
                    key: repetition.key
                ).run()
                return
            }
            let body = try await client.post(
                "pushes",
                body: TestPushRequest(
                    deviceToken: try push.deviceToken().hex,
                    event: push.event.rawValue,
                    environment: environment?.rawValue,
                    priority: push.isUrgent ? 10 : 5
                )
            )
            try options.show(body, as: PushAnswer.self, from: client)
            guard try client.decode(PushAnswer.self, from: body).isAccepted else { throw ExitCode.failure }
        }
    }

    /// `rangersctl push curl`.
    struct Curl: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the command that sends a push by curl; needs no server but for --activity.",
            discussion: """
                The command works as it is, in any shell, for an hour: it brings along a provider token that is signed \
                here and now, and a payload of this very second. Where the key is, and which APNs, the options say, or \
                the RANGERS_APNS_… settings of rangersd in the environment or a file (--config).

                With --activity the payload is what the activity really shows now, as the server tells it; the push token \
                is still yours to give, since the server shows it to nobody. A push in the very second of one of the \
                server's own may be passed over by the phone, or have that one passed over.

                Examples:
                  rangersctl push curl --config /etc/rangers/rangersd.conf --push-token-file token.hex | sh
                  rangersctl push curl --key-file AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                    --bundle-id com.example.rangers --environment sandbox < token.hex
                  rangersctl push curl --payload-only --event start | jq .
                  rangersctl push curl --payload-only --activity 0f8fad5b-d9cb-469f-a165-70867728950e | jq .

                What it prints holds two secrets, the provider token and the push token: keep it to yourself.
                """
        )

        @OptionGroup var push: PushOptions

        @Option(
            help: ArgumentHelp(
                "In place of the sample: what this activity shows now; asks the server.",
                valueName: "id"
            )
        )
        var activity: Identifier?

        @Flag(help: "Print the payload alone; needs neither a push token nor a key.")
        var payloadOnly = false

        @Option(help: ArgumentHelp("The provider key; RANGERS_APNS_KEY_FILE.", valueName: "file.p8"))
        var keyFile: String?

        @Option(
            help: ArgumentHelp(
                "The key's identifier, unless the file's name has it; RANGERS_APNS_KEY_ID.",
                valueName: "id"
            )
        )
        var keyID: String?

        @Option(help: ArgumentHelp("The developer team's identifier; RANGERS_APNS_TEAM_ID.", valueName: "id"))
        var teamID: String?

        @Option(help: ArgumentHelp("The app's bundle identifier; RANGERS_APNS_BUNDLE_ID.", valueName: "id"))
        var bundleID: String?

        @Option(
            help: ArgumentHelp(
                "Which APNs; RANGERS_APNS_ENVIRONMENT.",
                valueName: "production|sandbox|simulator"
            )
        )
        var environment: APNsEnvironment?

        @Option(
            help: ArgumentHelp(
                "A file of settings, NAME=value in each line; the environment wins over it.",
                valueName: "file"
            )
        )
        var config: String?

        @OptionGroup var options: ServerOptions

        /// For how long APNs may keep the push for a phone that it cannot reach.
        private static let expirationSeconds: Int64 = 5 * 60

        func validate() throws {
            if activity != nil { try push.validateForActivity() }
            guard !options.json else { throw ValidationError("There is no --json here; --payload-only prints JSON.") }
        }

        func run() async throws {
            let now = Int64(Date().timeIntervalSince1970)
            var shown: ActivityPayload?
            if let activity {
                shown = try await ActivityPayload(of: activity, event: push.event.rawValue, from: try options.client())
            }
            let payload = try shown.map { Array($0.payload.utf8) } ?? SamplePush.payload(push.event, timestamp: now)
            if payloadOnly {
                print(String(decoding: payload, as: UTF8.self))
                return
            }
            let command = try command(payload, in: environment?.rawValue ?? shown?.environment, at: now)
            print(command, terminator: "")
            if isatty(STDOUT_FILENO) == 1 {
                StandardError.print("This holds two secrets: the provider token, good for an hour, and the push token.")
            }
        }

        private func command(
            _ payload: [UInt8],
            in environment: String?,
            at now: Int64
        ) throws(OperatorClientError) -> String {
            let settings = try settings()
            let routes = settings.routes.filter { environment == nil || $0.environment.rawValue == environment }
            guard let route = routes.first else {
                let wanted = environment ?? "another APNs"
                throw .wrongUsage("the token is one of \(wanted), which the settings do not name")
            }
            guard routes.count == 1 else {
                throw .wrongUsage("the settings name more than one APNs: say which by --environment")
            }
            guard let bundleID = BundleID(settings.bundleID) else {
                throw .wrongUsage("\"\(settings.bundleID)\" is no bundle identifier")
            }
            let request = APNsPush(
                deviceToken: try push.deviceToken(),
                topic: bundleID.topic,
                priority: push.isUrgent ? .high : .low,
                expirationEpochSeconds: now + Self.expirationSeconds,
                id: UUID(),
                payload: payload
            )
            do {
                return try request.curlCommand(
                    host: settings.host ?? route.environment.host,
                    port: settings.port ?? route.environment.port,
                    caFile: settings.certificateAuthorityFile,
                    key: try route.key.read(),
                    issuedAt: now
                )
            } catch {
                throw .wrongUsage("\(error)")
            }
        }

        private func settings() throws(OperatorClientError) -> APNsSettings {
            let flags = [
                SettingsSources.Flag("--key-file", keyFile, sets: .apnsKeyFile),
                SettingsSources.Flag("--key-id", keyID, sets: .apnsKeyID),
                SettingsSources.Flag("--team-id", teamID, sets: .apnsTeamID),
                SettingsSources.Flag("--bundle-id", bundleID, sets: .apnsBundleID),
                SettingsSources.Flag("--environment", environment?.rawValue, sets: .apnsEnvironment),
            ]
            let sources = SettingsSources(
                flags: flags.compactMap(\.self),
                environment: ProcessInfo.processInfo.environment,
                configurationFile: config
            )
            do throws(SettingsError) {
                return try APNsSettings(from: sources)
            } catch {
                throw .wrongUsage("\(error)")
            }
        }
    }
}

/// The body of `POST /admin/v1/pushes`.
private struct TestPushRequest: Encodable {
    let deviceToken: String
    let event: String
    let environment: String?
    let priority: Int
}
