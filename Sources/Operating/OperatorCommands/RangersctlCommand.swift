public import ArgumentParser
import CommandLineSupport

/// `rangersctl`: the command line for operators, over the REST API.
public struct RangersctlCommand: AsyncParsableCommand {
    /// The name, the help and the subcommands.
    public static let configuration = CommandConfiguration(
        commandName: "rangersctl",
        abstract: "Operates Emoji Rangers Parties from a terminal.",
        discussion: """
            The commands use the API of a rangersd with the role api. `rangersd operator create` makes the first token. \
            Server and token come from --server and --token-file, from the environment, or from a context \
            (`rangersctl context`). --server, --token-file, --context, --timeout and --json may precede or follow a command.

            Examples:
              export RANGERS_OPERATOR_TOKEN="$(cat operator-token)"
              rangersctl boss list
              rangersctl boss start cinderwing --invite-code ABCD2345
              rangersctl raid start cinderwing --health 250000 --for 2h
              rangersctl adventure show 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11
              rangersctl adventure events 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --follow
              rangersctl party show --invite-code ABCD2345
              rangersctl player find "Night"
              rangersctl activity list 01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11 --json | jq .
              rangersctl activity explain 0f8fad5b-d9cb-469f-a165-70867728950e
              rangersctl stats --watch
              rangersctl audit list --operator ada --since 1d
              rangersctl operator create ben --role viewer --expires 30d > ben.token
              rangersctl context set staging --server https://staging.example.com --token-file ~/staging.token

            Completion scripts for bash, zsh and fish: `rangersctl --generate-completion-script bash` prints one, which belongs \
            in ~/.local/share/bash-completion/completions/rangersctl.

            Exit status: 0 success, 1 rejected by the server or a check failed, 2 wrong usage, 3 server not reachable or not \
            ready.
            """,
        version: RangersVersion.current,
        subcommands: [
            BossCommand.self, RaidCommand.self, AdventureCommand.self, PartyCommand.self, PlayerCommand.self,
            ActivityCommand.self, DeviceCommand.self, PushCommand.self, ChannelCommand.self, StatsCommand.self,
            AuditCommand.self,
            OperatorsCommand.self, ContextCommand.self, RulesCommand.self, DoctorCommand.self,
        ]
    )

    /// Creates the command, as ArgumentParser requires.
    public init() {}

    /// Runs the command of the process's arguments, and exits.
    public static func runAndExit() async -> Never {
        await runAndExit(try CommonOptions.movedBehindCommand(Array(CommandLine.arguments.dropFirst())))
    }
}
