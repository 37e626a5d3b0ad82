public import ArgumentParser
import CommandLineSupport

/// `rangers-bench`: measurements of the game and the service.
public struct RangersBenchCommand: AsyncParsableCommand {
    /// The name, the help and the subcommands.
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
              rangers-bench verdicts --seeds 1000
              rangers-bench push
              rangers-bench api
              rangers-bench receipts --seconds 20
              rangers-bench ticks
              rangers-bench raid --parties 10000
              rangers-bench broadcast --subscribers 1000000
              rangers-bench pipeline
              rangers-bench crowd --parties 10000 --seconds 60
              rangers-bench fan-out --updates 10
              rangers-bench memory
              rangers-bench soak --minutes 45
              rangers-bench chaos --seed 7
              rangers-bench flood --api-port 8443 --simulator-port 2197
              rangers-bench balance --json | jq '.rows[] | select(.partySize == 4)'

            Exit status: 0 measured, 1 the measurement or a check failed, 2 wrong usage.
            """,
        version: RangersVersion.current,
        subcommands: [
            AdvanceBenchmark.self, BalanceBenchmark.self, CadenceBenchmark.self, SimulateBenchmark.self,
            PushBenchmark.self, PushClientCommand.self, PushRelayCommand.self, PushServerCommand.self,
            APIBenchmark.self, ResponseServerCommand.self, ReceiptsBenchmark.self, TicksBenchmark.self,
            PipelineBenchmark.self,
            CrowdBenchmark.self, FanOutBenchmark.self, MemoryBenchmark.self, ChaosBenchmark.self, SoakBenchmark.self,
            FloodBenchmark.self, VerdictBenchmark.self, RaidBenchmark.self, BroadcastBenchmark.self,
        ]
    )

    /// Creates the command for the parser.
    public init() {}
}
