import ArgumentParser
import Foundation
import RangersClient

/// `rangersctl raid`: raids, in which all parties fight one boss.
struct RaidCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "raid",
        abstract: "Starts, lists, shows and stops raids, in which all parties fight one boss.",
        subcommands: [Start.self, List.self, Show.self, Stop.self]
    )

    /// `rangersctl raid start`: starts or schedules a raid.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Starts a raid, or schedules one.",
            discussion: """
                Parties join a raid by themselves, as often as they are idle. Without --at it begins at once. It ends \
                when the boss has no health left, when its time is over, or with `raid stop`.

                Examples:
                  rangersctl raid start cinderwing --health 250000 --for 2h
                  rangersctl raid start glitch --health 5000000 --for 1d --at 2027-01-01T18:00:00Z
                  rangersctl raid start glitch --health 90000 --for 45m --regions meadow --dry-run
                """
        )

        @Argument(help: ArgumentHelp("The boss's identifier, as in `boss list`.", valueName: "boss"))
        var boss: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The common boss's health, 1 to 1000000000000; `boss list` has that of an ordinary fight, for each hero.",
                valueName: "number"
            )
        )
        var health: Int

        @Option(
            name: .customLong("for"),
            parsing: .unconditional,
            help: ArgumentHelp(
                "How long the raid lasts: seconds, minutes, hours or days, such as 45m or 2h; at most 7d.",
                valueName: "duration"
            ),
            transform: RaidDuration.init(text:)
        )
        var duration: RaidDuration

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "The start, within 30 days: a time in UTC such as 2027-01-01T18:00:00Z; the default is now.",
                valueName: "time"
            ),
            transform: RaidStart.init(text:)
        )
        var at: RaidStart?

        @Option(
            help: ArgumentHelp(
                "The regions in which the boss rages, separated by commas: apps show them. The default is all of them.",
                valueName: "regions"
            )
        )
        var regions: String?

        @Flag(help: "Show what would happen, and change nothing.")
        var dryRun = false

        @OptionGroup var idempotency: IdempotencyOptions
        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard (1...1_000_000_000_000).contains(health) else {
                throw ValidationError("--health must be between 1 and 1000000000000.")
            }
            guard regions?.split(separator: ",", omittingEmptySubsequences: false).contains("") != true else {
                throw ValidationError("--regions must be names separated by commas, such as meadow,forest.")
            }
        }

        func run() async throws {
            let client = try options.client()
            try await client.requireBoss(boss)
            let request = NewRaidRequest(
                boss: boss,
                health: health,
                durationSeconds: duration.seconds,
                startsAt: at?.text,
                regions: regions?.split(separator: ",").map(String.init)
            )
            let body =
                if dryRun {
                    try await client.post("raids", query: [.dryRun], body: request)
                } else {
                    try await client.change("raids", key: idempotency.key, body: request)
                }
            try options.show(body, as: RaidResponse.self, from: client)
        }
    }

    /// `rangersctl raid list`: lists raids.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the raids that are scheduled or running.",
            discussion: """
                Examples:
                  rangersctl raid list
                  rangersctl raid list --ended --json | jq -r '.raids[].raidID'
                """
        )

        @Flag(help: "List the raids that have ended, too.")
        var ended = false

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("raids", query: ended ? [URLQueryItem(name: "ended", value: "true")] : [])
            try options.show(body, as: RaidList.self, from: client)
        }
    }

    /// `rangersctl raid show`: shows a raid.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a raid: the boss's health, the round, the parties, and what the raid waits for.",
            discussion: """
                Examples:
                  rangersctl raid show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
                  rangersctl raid show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --watch --every 1
                """
        )

        @Argument(help: ArgumentHelp("The raid's identifier, as in `raid list`.", valueName: "id"))
        var raid: UUIDArgument

        @OptionGroup var watch: WatchOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            guard watch.watch else {
                let body = try await client.get("raids", raid.text)
                return try options.show(body, as: RaidResponse.self, from: client)
            }
            try await watch.run(json: options.json) { () throws(OperatorClientError) in
                let body = try await client.get("raids", raid.text)
                let response = try client.decode(RaidResponse.self, from: body)
                return WatchOptions.Frame(body: body, content: response, isLast: response.endedAt != nil)
            }
        }
    }

    /// `rangersctl raid stop`: stops a raid.
    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops a raid, and ends the fights in it.",
            discussion: """
                This cannot be undone, and ends the raid for all parties, without a reward. Asks for confirmation unless \
                --yes is given.

                Examples:
                  rangersctl raid stop 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --dry-run
                  rangersctl raid stop 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --yes
                """
        )

        @Argument(help: ArgumentHelp("The raid's identifier, as in `raid list`.", valueName: "id"))
        var raid: UUIDArgument

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            if confirmation.dryRun {
                let body = try await client.post("raids", raid.text, "stop", query: [.dryRun])
                return try options.show(body, as: RaidResponse.self, from: client)
            }
            if !confirmation.yes {
                let found = try client.decode(RaidResponse.self, from: try await client.get("raids", raid.text))
                // The server rejects the request for a raid that has ended.
                if found.endedAt == nil { try confirmation.confirm("Stop \(found.summary)?") }
            }
            // Stopping a raid again changes nothing, so the request needs no idempotency key.
            let body = try await client.post("raids", raid.text, "stop")
            try options.show(body, as: RaidResponse.self, from: client)
        }
    }
}

/// The body of `POST /admin/v1/raids`.
private struct NewRaidRequest: Encodable {
    let boss: String
    let health: Int
    let durationSeconds: Int
    let startsAt: String?
    let regions: [String]?
}
