import ArgumentParser
import Foundation

/// `rangersctl activity`: Live Activities.
struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Shows Live Activities and explains their pushes.",
        subcommands: [List.self, Show.self, Explain.self, Report.self]
    )

    /// `rangersctl activity list`: lists the Live Activities of an adventure, a party or a player.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the Live Activities of an adventure, a party or a player.",
            discussion: """
                Lists all activities of an adventure in the order of registration, or the newest activities of a party \
                or player, up to --limit. A push token is shown as the beginning of its SHA-256 digest.

                Examples:
                  rangersctl activity list 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
                  rangersctl activity list --player 01981f6e-0000-7000-8000-0000000000ab --json
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier, as in `party list`.", valueName: "adventure"))
        var adventure: UUIDArgument?

        @Option(help: ArgumentHelp("The party's identifier, as in `party list`.", valueName: "id"))
        var party: UUIDArgument?

        @Option(help: ArgumentHelp("The player's identifier, as in `party show`.", valueName: "id"))
        var player: UUIDArgument?

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "With --party or --player: the maximum number of activities, 1 to 1000; the default is 100.",
                valueName: "count"
            )
        )
        var limit: Int?

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard [adventure, party, player].compactMap(\.self).count == 1 else {
                throw ValidationError("Specify an adventure, --party or --player.")
            }
            guard adventure == nil || limit == nil else {
                throw ValidationError(
                    "--limit requires --party or --player; all activities of an adventure are listed."
                )
            }
            guard (1...1_000).contains(limit ?? 1) else { throw ValidationError("--limit must be between 1 and 1000.") }
        }

        func run() async throws {
            let client = try options.client()
            let query = limit.map { [URLQueryItem(name: "limit", value: "\($0)")] } ?? []
            let body =
                if let party {
                    try await client.get("parties", party.text, "activities", query: query)
                } else if let player {
                    try await client.get("players", player.text, "activities", query: query)
                } else {
                    try await client.get("adventures", adventure?.text ?? "", "activities")
                }
            try options.show(body, as: ActivityList.self, from: client)
        }
    }

    /// `rangersctl activity show`: shows a Live Activity and the state of its next push.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a Live Activity and what it waits for.")

        @Argument(help: ArgumentHelp("The activity's identifier, as in `activity list`.", valueName: "id"))
        var activity: UUIDArgument

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("activities", activity.text)
            try options.show(body, as: ActivityDetails.self, from: client)
        }
    }

    /// `rangersctl activity explain`: explains the latest decisions about pushes to a Live Activity.
    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains the latest pushes to a Live Activity, and why others were not sent.",
            discussion: """
                Prints the latest decisions, oldest first: the time, the interval since the previous decision, the \
                cause, the decision and the reason; for a push that APNs accepted also whether the device has shown it, \
                and if not, the likely cause. Repetitions are combined. Decisions appear within ten seconds, \
                with more than 100 phones in a shard within some minutes; those made just before a crash may be missing.
                """
        )

        @Argument(help: ArgumentHelp("The activity's identifier, as in `activity list`.", valueName: "id"))
        var activity: UUIDArgument

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("activities", activity.text, "decisions")
            try options.show(body, as: ActivityExplanation.self, from: client)
        }
    }

    /// `rangersctl activity report`: prints what Apple asks for in a report about pushes.
    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints what Apple asks for in a bug report about pushes to a Live Activity.",
            discussion: """
                Prints topic, environment, the beginning of the push token, the app's build, and for each recorded push \
                its apns-id, its times and its priority, whether APNs accepted it, and whether the device has shown it. \
                The text has no name of a player and no whole token.

                Example:
                  rangersctl activity report 0198a1b2-c3d4-7000-8000-00000000abcd > report.txt
                """
        )

        @Argument(help: ArgumentHelp("The activity's identifier, as in `activity list`.", valueName: "id"))
        var activity: UUIDArgument

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("activities", activity.text, "report")
            try options.show(body, as: ActivityPushReport.self, from: client)
        }
    }
}
