import ArgumentParser
import Foundation

/// `rangersctl activity`: the phones that follow adventures.
struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Shows Live Activities, and explains what was pushed to them.",
        subcommands: [List.self, Show.self, Explain.self]
    )

    /// `rangersctl activity list`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the Live Activities of an adventure, a party or a player.",
            discussion: """
                Those of an adventure all, in the order of registration; of a party or a player the newest first, up to \
                --limit, of all adventures. Push tokens are not shown, only the beginning of their SHA-256, to tell \
                them apart.

                Examples:
                  rangersctl activity list 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
                  rangersctl activity list --player 01981f6e-0000-7000-8000-0000000000ab --json
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "adventure"))
        var adventure: Identifier?

        @Option(help: ArgumentHelp("The party's identifier.", valueName: "id"))
        var party: Identifier?

        @Option(help: ArgumentHelp("The player's identifier.", valueName: "id"))
        var player: Identifier?

        @Option(
            help: ArgumentHelp(
                "How many of a party's or a player's, at most 1000; 100 unless told.",
                valueName: "count"
            )
        )
        var limit: Int?

        @OptionGroup var options: ServerOptions

        func validate() throws {
            guard [adventure, party, player].compactMap(\.self).count == 1 else {
                throw ValidationError("Say whose: an adventure, --party or --player.")
            }
            guard adventure == nil || limit == nil else {
                throw ValidationError("--limit goes with --party and --player: an adventure's are all listed.")
            }
            guard (1...1_000).contains(limit ?? 1) else { throw ValidationError("--limit takes 1 to 1000.") }
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

    /// `rangersctl activity show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows a Live Activity and what it waits for.")

        @Argument(help: ArgumentHelp("The activity's identifier.", valueName: "id"))
        var activity: Identifier

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("activities", activity.text)
            try options.show(body, as: ActivityAnswer.self, from: client)
        }
    }

    /// `rangersctl activity explain`.
    struct Explain: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Explains what was pushed to a Live Activity lately, what was not, and why.",
            discussion: """
                Prints the last decisions, oldest first: when, how long after the one before, what happened, what was \
                decided then, until when, and why. Repeats are one line. It is as of ten seconds ago at most; what was \
                decided just before a crash may be missing.
                """
        )

        @Argument(help: ArgumentHelp("The activity's identifier.", valueName: "id"))
        var activity: Identifier

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("activities", activity.text, "decisions")
            try options.show(body, as: DecisionsAnswer.self, from: client)
        }
    }
}
