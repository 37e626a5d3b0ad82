import ArgumentParser

/// `rangersctl adventure`: what a party is up to.
struct AdventureCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "adventure",
        abstract: "Shows, follows, replays and ends adventures.",
        subcommands: [Show.self, Events.self, Replay.self, End.self]
    )

    /// `rangersctl adventure show`.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows an adventure as it is now.",
            discussion: """
                Examples:
                  rangersctl adventure show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
                  rangersctl adventure show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --watch --every 1
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "id"))
        var adventure: Identifier

        @OptionGroup var watch: WatchOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            guard watch.watch else {
                let body = try await client.get("adventures", adventure.text)
                return try options.show(body, as: AdventureAnswer.self, from: client)
            }
            try await watch.run(json: options.json) { () throws(OperatorClientError) in
                let body = try await client.get("adventures", adventure.text)
                let answer = try client.decode(AdventureAnswer.self, from: body)
                return WatchOptions.Frame(body: body, answer: answer, isLast: answer.endedAt != nil)
            }
        }
    }

    /// `rangersctl adventure replay`.
    struct Replay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Plays an adventure again from what is stored of it, and compares.",
            discussion: """
                The seed and the commands of an adventure decide everything in it. The first event that differs is \
                printed, and the exit status is 1 then.

                Examples:
                  rangersctl adventure replay 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
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
            abstract: "Ends a running adventure; every phone that follows it is told.",
            discussion: """
                This cannot be undone: it ends the game of everybody in it. It asks first, unless --yes is given.

                Examples:
                  rangersctl adventure end 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --dry-run
                  rangersctl adventure end 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --yes
                """
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "id"))
        var adventure: Identifier

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var repetition: RepeatOptions
        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            if confirmation.dryRun {
                let body = try await client.post("adventures", adventure.text, "end", query: [.dryRun])
                return try options.show(body, as: ChangeAnswer.self, from: client)
            }
            if !confirmation.yes {
                let body = try await client.get("adventures", adventure.text)
                let shown = try client.decode(AdventureAnswer.self, from: body)
                // What is over the server refuses; there is nothing to ask about.
                if shown.endedAt == nil { try confirmation.confirm("End \(shown.summary)?") }
            }
            let body = try await client.change("adventures", adventure.text, "end", key: repetition.key)
            try options.show(body, as: AdventureAnswer.self, from: client)
        }
    }
}
