public import ArgumentParser
import CommandLineSupport

/// `rangersctl`: what operators do, over REST.
public struct RangersctlCommand: AsyncParsableCommand {
    /// Name, help and verbs.
    public static let configuration = CommandConfiguration(
        commandName: "rangersctl",
        abstract: "Runs the game of Emoji Rangers Parties from a terminal.",
        discussion: """
            Every command talks to a rangersd with the role api. The token comes from `rangersd operator create`. \
            --server, --token-file, --timeout and --json may stand before the verb, behind it or in it.

            Examples:
              export RANGERS_OPERATOR_TOKEN="$(cat operator-token)"
              rangersctl boss list
              rangersctl boss start cinderwing --invite-code ABCD2345
              rangersctl adventure show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
              rangersctl adventure events 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --follow
              rangersctl party show --invite-code ABCD2345
              rangersctl activity list 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --json | jq .
              rangersctl activity explain 0f8fad5b-d9cb-469f-a165-70867728950e
              rangersctl stats --watch
              rangersctl audit list --operator ada --since 1d

            Exit status: 0 done, 1 refused by the server, 2 wrong usage, 3 server not reachable, or not ready.
            """,
        version: RangersVersion.current,
        subcommands: [
            BossCommand.self, AdventureCommand.self, PartyCommand.self, ActivityCommand.self, PushCommand.self,
            StatsCommand.self, AuditCommand.self, RulesCommand.self, DoctorCommand.self,
        ]
    )

    /// As the parser makes it.
    public init() {}

    /// Runs what the process's arguments say, and ends the process.
    public static func runAndExit() async -> Never {
        await runAndExit(try CommonOptions.behindTheVerb(Array(CommandLine.arguments.dropFirst())))
    }
}
