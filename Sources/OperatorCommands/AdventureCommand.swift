import ArgumentParser

/// `rangersctl adventure`: what a party is up to.
struct AdventureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adventure",
        abstract: "Shows, replays and ends adventures.",
        subcommands: [Show.self, Replay.self, End.self]
    )

    /// `rangersctl adventure show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Shows an adventure as it is now.")

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "id"))
        var adventure: Identifier

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("adventures", adventure.text)
            try options.show(body, as: AdventureAnswer.self, from: client)
        }
    }

    /// `rangersctl adventure replay`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Plays an adventure again from what is stored of it, and compares.",
            discussion: """
                The seed and the commands of an adventure decide everything in it. The first event that differs is
                printed, and the exit status is 1 then.
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "id"))
        var adventure: Identifier

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("adventures", adventure.text, "replay")
            try options.show(body, as: ReplayAnswer.self, from: client)
            guard try client.decode(ReplayAnswer.self, from: body).identical else { throw ExitCode.failure }
        }
    }

    /// `rangersctl adventure end`.
    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends a running adventure; every phone that follows it is told."
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "id"))
        var adventure: Identifier

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.post("adventures", adventure.text, "end")
            try options.show(body, as: AdventureAnswer.self, from: client)
        }
    }
}
