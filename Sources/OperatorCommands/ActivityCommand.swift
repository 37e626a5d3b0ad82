import ArgumentParser

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
            abstract: "Lists the Live Activities of an adventure.",
            discussion: "Push tokens are not shown, only the beginning of their SHA-256, to tell them apart."
        )

        @Argument(help: ArgumentHelp("The adventure's identifier.", valueName: "adventure"))
        var adventure: Identifier

        @OptionGroup var options: ServerOptions

        func run() async throws {
            let client = try options.client()
            let body = try await client.get("adventures", adventure.text, "activities")
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
