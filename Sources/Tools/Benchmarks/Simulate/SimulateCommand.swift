import ArgumentParser
import CommandLineSupport
import Encodings
import GameCore
import Simulation

/// `rangers-bench simulate`: whether what must be true is true whatever goes wrong.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs the whole service in virtual time while things go wrong, and checks what must be true.",
        discussion: """
            Each seed is a run of its own: one to three nodes with the real engine, dispatcher and commands, a database \
            in memory that answers the real statements, APNs with phones, and players. Nodes crash between any two \
            steps, stand still, and have their clocks set; connections break before and after what they carried; \
            answers are lost; the database and APNs go away; pushes are slow, refused and doubled. At the end \
            everything is held against what must be true at all times (docs/simulation.md).

            A seed that fails is printed with the command that repeats it, step for step, on every machine.

            As JSON: {seeds, failed, events, pushes, faults, virtualSeconds, seconds, violations: [text], \
            failures: [{seed, command, breaches}]}.
            """
    )

    @Option(help: ArgumentHelp("How many seeds are run.", valueName: "count"))
    var seeds = 1_000

    @Option(help: ArgumentHelp("The first seed.", valueName: "seed"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("How many runs go on at once.", valueName: "count"))
    var parallel = 2

    @Flag(help: "Print all that happens; with one seed only.")
    var trace = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        guard seeds > 0 else { throw ValidationError("--seeds is 1 or more, not \(seeds)") }
        guard (1...64).contains(parallel) else { throw ValidationError("--parallel is 1 to 64, not \(parallel)") }
        guard !trace || seeds == 1 else { throw ValidationError("--trace is for one seed: --seeds 1") }
    }

    func run() async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var report = SimulationReport()
        await withTaskGroup(of: Simulation.Result.self) { group in
            var rest = 0..<UInt64(seeds)
            func runNext() {
                guard let number = rest.popFirst() else { return }
                group.addTask { [seed, trace] in await Simulation(seed: seed &+ number, keepsTrace: trace).run() }
            }
            for _ in 0..<parallel { runNext() }
            for await result in group {
                if trace { for line in result.trace.lines { print(line) } }
                report.add(result)
                runNext()
            }
        }
        report.seconds = Double((clock.now - start).wholeMicroseconds) / 1_000_000
        try options.show(report)
        try report.check()
    }
}
