import ArgumentParser
import CommandLineSupport

/// `rangersd`: the service, and the commands for its database.
struct RangersdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rangersd",
        abstract: "The server of Emoji Rangers Parties: plays adventures and updates their Live Activities.",
        discussion: """
            Exit status: 0 success or graceful shutdown, 1 failure (explained on standard error), 2 wrong usage, 78 invalid \
            settings, for which a restart does not help.
            """,
        version: RangersVersion.current,
        subcommands: [ServeCommand.self, MigrateCommand.self, OperatorCommand.self]
    )
}
