import APNsClient
import ArgumentParser
import CommandLineSupport
import Foundation
import GameCore
import PushRules
import RangersClient
import RangersSettings

/// `rangersctl push`: single pushes for tests.
struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Sends single pushes and explains the response of APNs.",
        discussion: """
            A push to a token has sample content: two heroes in the first turn of a boss fight. A push to an activity \
            (--activity) has its current content. Push tokens are secrets, and are never passed as arguments.
            """,
        subcommands: [Test.self, Curl.self]
    )

    /// `rangersctl push test`: sends one push through the server.
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sends one push to a token or an activity through the server.",
            discussion: """
                Prints the request with its headers and payload, the response of APNs, its meaning and a remedy. The \
                response to a push to a token changes nothing on the server, which refuses the token of a live activity: the \
                dispatcher of that decides about its pushes (--activity).

                With --activity, the dispatcher of the activity sends its current state or its end at once. The command \
                also prints the dispatcher's decision, which may take a few seconds. --event start creates a new activity, \
                and therefore requires a push-to-start token instead of an activity.

                --event end ends the activity permanently, and asks for confirmation unless --yes is given.

                Examples:
                  rangersctl push test --push-token-file token.hex
                  rangersctl push test --activity 0f8fad5b-d9cb-469f-a165-70867728950e
                  rangersctl push test --activity 0f8fad5b-d9cb-469f-a165-70867728950e --event end --yes
                  pbpaste | rangersctl push test --event start --environment sandbox

                Exit status 1 if APNs does not accept the push.
                """
        )

        @OptionGroup var push: PushOptions

        @Option(
            help: ArgumentHelp(
                "Instead of a token: a live activity, to which its current state or its end is sent at once.",
                valueName: "id"
            )
        )
        var activity: UUIDArgument?

        @Option(
            help: ArgumentHelp(
                "The APNs environment of the token; required if the server uses several.",
                valueName: "production|sandbox|simulator"
            )
        )
        var environment: APNsEnvironment?

        @Flag(name: .shortAndLong, help: "Do not ask for confirmation before an end.")
        var yes = false

        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard activity != nil || idempotency.idempotencyKey == nil else {
                throw ValidationError("--idempotency-key requires --activity: pushes to a token are not idempotent.")
            }
            guard activity != nil else { return }
            try push.validateForActivity()
            guard push.pushTokenFile == nil, environment == nil, push.priority == nil else {
                throw ValidationError("--activity excludes --push-token-file, --environment and --priority.")
            }
        }

        func run() async throws {
            let client = try options.client()
            if push.event == .end, !yes {
                let target = activity.map { "activity \($0.text)" } ?? "the activity with this token"
                try ConfirmationOptions.ask("End \(target) permanently?", alternative: "--yes")
            }
            if let activity {
                try await ActivityPush(
                    activity: activity.text,
                    event: push.event.rawValue,
                    json: options.json,
                    client: client,
                    key: idempotency.key
                ).run()
                return
            }
            let body = try await client.post(
                "pushes",
                body: TestPushRequest(
                    deviceToken: try push.deviceToken().hex,
                    event: push.event.rawValue,
                    environment: environment?.rawValue,
                    priority: push.isHighPriority ? 10 : 5
                )
            )
            try options.show(body, as: PushResponse.self, from: client)
            guard try client.decode(PushResponse.self, from: body).isAccepted else { throw ExitCode.failure }
        }
    }

    /// `rangersctl push curl`: prints a curl command that sends a push.
    struct Curl: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints a curl command that sends a push; only --activity needs a server.",
            discussion: """
                The printed command works in any POSIX shell, as often as you run it: the shell sets the timestamp and all \
                times that are relative to it. Its provider token is signed when the command is printed, and APNs accepts \
                it for an hour. The provider key and the APNs environment come from the options, or from the \
                RANGERS_APNS_… settings of rangersd in the environment or a file (--config).

                With --activity the payload is the current state of the activity, from the server. You still have to \
                provide the push token, which the server never reveals. If the server pushes in the same second, the phone \
                may ignore one of the two pushes.

                Examples:
                  rangersctl push curl --config /etc/rangers/rangersd.conf --push-token-file token.hex | sh
                  rangersctl push curl --key-file AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ \\
                    --bundle-id com.example.rangers --environment sandbox < token.hex
                  rangersctl push curl --payload-only --event start | jq .
                  rangersctl push curl --payload-only --activity 0f8fad5b-d9cb-469f-a165-70867728950e | jq .

                The printed command contains two secrets, the provider token and the push token.
                """
        )

        @OptionGroup var push: PushOptions

        @Option(
            help: ArgumentHelp(
                "Use the current state of this activity, from the server, instead of the sample.",
                valueName: "id"
            )
        )
        var activity: UUIDArgument?

        @Flag(help: "Print only the payload; needs neither a push token nor a key.")
        var payloadOnly = false

        @Option(help: ArgumentHelp("The provider key; the default is RANGERS_APNS_KEY_FILE.", valueName: "file.p8"))
        var keyFile: String?

        @Option(
            help: ArgumentHelp(
                "The key's identifier, unless the file name contains it; the default is RANGERS_APNS_KEY_ID.",
                valueName: "id"
            )
        )
        var keyID: String?

        @Option(
            help: ArgumentHelp("The developer team's identifier; the default is RANGERS_APNS_TEAM_ID.", valueName: "id")
        )
        var teamID: String?

        @Option(
            help: ArgumentHelp("The app's bundle identifier; the default is RANGERS_APNS_BUNDLE_ID.", valueName: "id")
        )
        var bundleID: String?

        @Option(
            help: ArgumentHelp(
                """
                The APNs environment; the default is RANGERS_APNS_ENVIRONMENT. With another one, the settings of its \
                host, port and certificate authority are ignored.
                """,
                valueName: "production|sandbox|simulator"
            )
        )
        var environment: APNsEnvironment?

        @Option(
            help: ArgumentHelp(
                "A file of settings, one NAME=value per line; the environment takes precedence.",
                valueName: "file"
            )
        )
        var config: String?

        @OptionGroup var options: ServerOptions

        /// The time for which APNs stores the push for an offline phone.
        private static let expirationSeconds: Int64 = 5 * 60

        func validate() throws {
            if activity != nil { try push.validateForActivity() }
            guard !options.json else { throw ValidationError("--json is not supported; --payload-only prints JSON.") }
        }

        func run() async throws {
            let now = Int64(Date().timeIntervalSince1970)
            var current: ActivityPayload?
            if let activity {
                current = try await ActivityPayload(
                    of: activity,
                    event: push.event.rawValue,
                    from: try options.client()
                )
            }
            let payload = try current.map { Array($0.payload.utf8) } ?? SamplePush.payload(push.event, timestamp: now)
            if payloadOnly {
                print(String(decoding: payload, as: UTF8.self))
                return
            }
            // The turn of the sample is invented; that of an activity ends when it ends.
            let relativeTimes = Set(["stale-date", "dismissal-date"] + (current == nil ? ["endsEpochSeconds"] : []))
            let command = try command(
                payload,
                relativeTimes: relativeTimes,
                in: environment?.rawValue ?? current?.environment,
                at: now
            )
            print(command, terminator: "")
            if isatty(STDOUT_FILENO) == 1 {
                StandardError.print(
                    "This command contains two secrets: the provider token, valid for an hour, and the push token."
                )
            }
        }

        private func command(
            _ payload: [UInt8],
            relativeTimes: Set<String>,
            in environment: String?,
            at now: Int64
        ) throws(OperatorClientError) -> String {
            let settings = try settings()
            let candidates = settings.environmentKeys.filter {
                environment == nil || $0.environment.rawValue == environment
            }
            guard let candidate = candidates.first else {
                let required = environment ?? "another environment"
                throw .wrongUsage("the token belongs to \(required), which is not in RANGERS_APNS_ENVIRONMENT")
            }
            guard candidates.count == 1 else {
                throw .wrongUsage("RANGERS_APNS_ENVIRONMENT has several environments: select one by --environment")
            }
            guard let bundleID = BundleID(settings.bundleID) else {
                throw .wrongUsage("\"\(settings.bundleID)\" is not a bundle identifier")
            }
            let request = APNsPush(
                deviceToken: try push.deviceToken(),
                topic: bundleID.topic,
                priority: push.isHighPriority ? .high : .low,
                expirationEpochSeconds: now + Self.expirationSeconds,
                id: UUID(),
                payload: payload
            )
            let isConfigured = self.environment == nil || configuredEnvironments.contains(candidate.environment)
            do {
                return try request.curlCommand(
                    host: (isConfigured ? settings.host : nil) ?? candidate.environment.host,
                    port: (isConfigured ? settings.port : nil) ?? candidate.environment.port,
                    caFile: isConfigured ? settings.certificateAuthorityFile : nil,
                    key: try candidate.key.read(),
                    issuedAt: now,
                    relativeTimes: relativeTimes
                )
            } catch {
                throw .wrongUsage("\(error)")
            }
        }

        /// The options that set the settings of a push, with their values on the command line.
        private var settingOptions: [(name: String, value: String?, setting: Setting)] {
            [
                ("--key-file", keyFile, .apnsKeyFile), ("--key-id", keyID, .apnsKeyID),
                ("--team-id", teamID, .apnsTeamID), ("--bundle-id", bundleID, .apnsBundleID),
                ("--environment", environment?.rawValue, .apnsEnvironment),
            ]
        }

        /// The environments in RANGERS_APNS_ENVIRONMENT, to which the settings of host, port and certificate authority
        /// belong; empty without a valid one.
        private var configuredEnvironments: [APNsEnvironment] {
            // Any error of the other settings has been explained already.
            let settings = try? APNsSettings(from: sources { $0 != .apnsEnvironment })
            return settings?.environmentKeys.map(\.environment) ?? []
        }

        /// Returns the sources of the settings, with those options whose settings are included.
        private func sources(including isIncluded: (Setting) -> Bool = { _ in true }) -> SettingsSources {
            SettingsSources(
                flags: settingOptions.filter { isIncluded($0.setting) }
                    .compactMap { SettingsSources.Flag($0.name, $0.value, sets: $0.setting) },
                environment: ProcessInfo.processInfo.environment,
                configurationFile: config
            )
        }

        private func settings() throws(OperatorClientError) -> APNsSettings {
            do throws(SettingsError) {
                return try APNsSettings(from: sources())
            } catch {
                throw .wrongUsage(explanation(of: error))
            }
        }

        /// Returns the text of an error, with the options for missing settings: their own texts are about servers.
        private func explanation(of error: SettingsError) -> String {
            var lines: [String] = []
            var isAnyMissing = false
            for problem in error.problems {
                guard case .missing(let setting, _) = problem,
                    let option = settingOptions.first(where: { $0.setting == setting })
                else {
                    lines.append(problem.description)
                    continue
                }
                isAnyMissing = true
                lines.append("specify \(option.name), or set \(setting.rawValue)")
            }
            if isAnyMissing, config == nil { lines.append("--config can name a file with these settings") }
            return lines.joined(separator: "\n")
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
