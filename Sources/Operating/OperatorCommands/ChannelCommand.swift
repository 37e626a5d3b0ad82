import ArgumentParser
import CommandLineSupport
import Foundation

/// `rangersctl channel`: the broadcast channels of APNs.
struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Lists broadcast channels, and compares them with the list of APNs.",
        subcommands: [List.self, Reconcile.self]
    )

    /// `rangersctl channel list`: lists the channels.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the broadcast channels that are not deleted, newest first.",
            discussion: """
                A channel is wanted until APNs has created it, then created, and live from the first broadcast that APNs \
                accepts; it is ending until APNs has deleted it.

                Example:
                  rangersctl channel list
                """
        )

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("The maximum number of channels, 1 to 10000.", valueName: "count")
        )
        var limit = 100

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (1...10_000).contains(limit) else { throw ValidationError("--limit must be between 1 and 10000.") }
        }

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("channels", query: [URLQueryItem(name: "limit", value: "\(limit)")])
            try options.show(body, as: ChannelListResponse.self, from: client)
        }
    }

    /// `rangersctl channel reconcile`: requests a comparison with APNs.
    struct Reconcile: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Has dispatchers compare the channels with the list of APNs now, not within the hour.",
            discussion: """
                A channel that APNs has and the database does not know is deleted once two comparisons have found it; a \
                channel that APNs has lost is created anew. `channel list` shows the result.

                Example:
                  rangersctl channel reconcile
                """
        )

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.post("channels", "reconcile")
            try options.show(body, as: ChannelReconciliationResponse.self, from: client)
        }
    }
}

/// The newest comparison of an environment's channels with the list of APNs.
struct ChannelEnvironment: Decodable {
    let environment: String
    let requestedAt: Date?
    let comparedAt: Date?
    let listed: Int?
    let unknown: Int?
    let lost: Int?

    fileprivate var text: String {
        guard let comparedAt, let listed, let unknown, let lost else {
            return "\(environment): not compared with APNs yet"
        }
        return
            "\(environment): APNs listed \(listed) at \(comparedAt.utcText) UTC, of which \(unknown) unknown; \(lost) lost"
    }
}

/// The response to `GET /admin/v1/channels`.
struct ChannelListResponse: Decodable, HumanReadable {
    struct Channel: Decodable {
        struct Owner: Decodable {
            let kind: String
            let id: String
        }

        let owner: Owner
        let environment: String
        let state: String
        let channelID: String?
        let usedAt: Date
        let failures: Int
        let retryAt: Date?
    }

    let environments: [ChannelEnvironment]
    let count: Int
    let channels: [Channel]

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        var lines = environments.map(\.text)
        guard !channels.isEmpty else { return lines + ["No channels."] }
        let table = Table(
            [
                .whole("OWNER"), .whole("ENVIRONMENT"), .whole("STATE"), .init("LAST USED (UTC)"),
                .init("FAILURES", isNumber: true), .init("CHANNEL"),
            ],
            rows: channels.map { channel in
                [
                    "\(channel.owner.kind)/\(channel.owner.id)", channel.environment, channel.state,
                    channel.usedAt.utcText, "\(channel.failures)", channel.channelID ?? "",
                ]
            }
        )
        if !lines.isEmpty { lines.append("") }
        lines += table.lines(fitting: width, paint: paint)
        if count > channels.count { lines += ["", "\(count - channels.count) more: --limit \(count)"] }
        return lines
    }
}

/// The response to `POST /admin/v1/channels/reconcile`.
struct ChannelReconciliationResponse: Decodable, HumanReadable {
    let environments: [ChannelEnvironment]

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        guard !environments.isEmpty else {
            return ["No dispatcher has kept channels yet: none runs with a provider key."]
        }
        return ["Requested; `rangersctl channel list` shows the result."] + environments.map { "Before: \($0.text)" }
    }
}
