public import ArgumentParser
import CommandLineSupport

/// `rangers-bench`: what the game and the service are like, in numbers.
public struct RangersBenchCommand: AsyncParsableCommand {
    /// Name, help and measurements.
    public static let configuration = CommandConfiguration(
        commandName: "rangers-bench",
        abstract: "Measures Emoji Rangers Parties.",
        discussion: """
            Every command prints a table, or one JSON object with --json. Build it with `-c release`: a debug build is \
            many times slower.

            Examples:
              rangers-bench advance
              rangers-bench balance --content cinderwing
              rangers-bench cadence --check
              rangers-bench simulate --seeds 10000
              rangers-bench push
              rangers-bench api
              rangers-bench ticks
              rangers-bench pipeline
              rangers-bench memory
              rangers-bench soak --minutes 45
              rangers-bench chaos --seed 7
              rangers-bench balance --json | jq '.rows[] | select(.partySize == 4)'

            Exit status: 0 measured, 1 it could not be, or a check did not hold, 2 wrong usage.
            """,
        version: RangersVersion.current,
        subcommands: [
            AdvanceCommand.self, BalanceCommand.self, CadenceCommand.self, SimulateCommand.self, PushCommand.self,
            PushClientCommand.self, PushRelayCommand.self, PushServerCommand.self, APICommand.self,
            APIServerCommand.self, TicksCommand.self, PipelineCommand.self, MemoryCommand.self, ChaosCommand.self,
            SoakCommand.self,
        ]
    )

    /// As the parser makes it.
    public init() {}
}
