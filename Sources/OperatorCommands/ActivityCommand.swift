import ArgumentParser

/// `rangersctl activity`: the phones that follow adventures.
struct ActivityCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activity",
        abstract: "Shows the Live Activities that follow an adventure.",
        subcommands: [List.self]
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
}
