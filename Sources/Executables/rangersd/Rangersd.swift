import ArgumentParser
import CommandLineSupport

/// `rangersd`: the service, and what is done to its database from a terminal.
@main
struct Rangersd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rangersd",
        abstract: "The server half of Emoji Rangers: plays the parties' adventures and tells their phones.",
        discussion: """
            Exit status: 0 done or stopped as asked, 1 failed (standard error says why), 2 wrong usage, 78 settings that it \
            cannot start with, which trying again does not help.
            """,
        version: RangersVersion.current,
        subcommands: [ServeCommand.self, MigrateCommand.self, OperatorCommand.self]
    )

    static func main() async {
        // First of all: a thread that has its arena keeps it.
        MemoryArenas.limit()
        await runAndExit()
    }
}
