import ArgumentParser
import Simulation

/// `rangers-bench simulate`: checks that the invariants hold under faults.
struct SimulateBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Runs the whole service in virtual time with injected faults, and checks the invariants.",
        discussion: """
            Each seed is one run: one to three nodes with the real engine, dispatcher and commands, a database in \
            memory that answers the real statements, APNs with devices, and players. Nodes crash between any two \
            steps, stall, and have their clocks set; connections break before and after a transfer; responses are \
            lost; the database and APNs become unavailable; the database has its clock set, and loses commits in \
            failovers; pushes are slow, rejected and duplicated. Beside it, the value that decides about the pushes of a \
            shard runs alone, and with one seed in twenty the keepers of broadcast channels, which are killed again and \
            again. At the end of each run the invariants are checked (docs/simulation.md).

            A seed that fails is printed with the command that repeats it step for step on every machine.

            JSON: {seeds, failed, events, pushes, faults, virtualSeconds, seconds, digest, channelKills, channels, \
            excused: {kind: count}, violations: [text], failures: [{seed, command, violations}]}. Runs of the same seeds \
            have the same digest if they took the same course.
            """
    )

    @Option(help: ArgumentHelp("The number of seeds to run.", valueName: "count")) var seeds = 1_000

    @Option(help: ArgumentHelp("The first seed.", valueName: "seed")) var seed: UInt64 = 1

    @Option(help: ArgumentHelp("The number of concurrent runs.", valueName: "count")) var parallel = 2

    @Flag(help: "Print everything that happens; for one seed only.") var trace = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--seeds", seeds, in: 1...Int(Int32.max))
        try Self.check("--parallel", parallel, in: 1...64)
        guard !trace || seeds == 1 else { throw ValidationError("--trace needs --seeds 1") }
    }

    func measure() async throws -> Report {
        let start = ContinuousClock.now
        let results = await concurrently(seeds, limit: parallel) { [seed, trace] number in
            await Simulation(seed: seed &+ UInt64(number), keepsTrace: trace).run()
        }
        if trace {
            for line in results[0].trace.lines + results[0].followerLines.map({ "a follower alone: \($0)" })
                + results[0].channels.lines.map({ "channels alone: \($0)" })
            {
                print(line)
            }
        }
        return Self.report(results, seconds: (.now - start) / .seconds(1))
    }

    /// The number of seeds among which some have events and pushes, unless no player can play.
    private static let seedsWithPlay = 20

    /// Returns the report of all runs.
    static func report(_ results: [Simulation.Result], seconds: Double) -> Report {
        func sum(_ number: (Simulation.Result) -> Int) -> Int { results.reduce(0) { $0 + number($1) } }
        let failures = results.filter { !$0.violations.isEmpty }.sorted { $0.seed < $1.seed }
        func command(_ failure: Simulation.Result) -> String {
            "rangers-bench simulate --seeds 1 --seed \(failure.seed) --trace"
        }
        let (events, pushes, faults) = (sum(\.events), sum(\.pushes), sum(\.faults))
        let (kills, channels) = (sum(\.channels.kills), sum(\.channels.channels))
        let virtualSeconds = results.reduce(0) { $0 + $1.virtualTime / .seconds(1) }
        let digest = results.sorted { $0.seed < $1.seed }.reduce(0) { ($0 ^ $1.trace.digest) &* 0x0000_0100_0000_01b3 }
        let excused: [Excuse: Int] = results.map(\.excused).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }

        var report = Report()
        for failure in failures {
            report.add(
                ["seed \(failure.seed) failed; \(command(failure))"] + failure.violations.map { "  \($0.description)" }
            )
        }
        report.add([
            "\(results.count) seeds, \(failures.count) failed: \((virtualSeconds / 3_600).grouped(digits: 1)) hours of "
                + "virtual time in \(seconds.grouped(digits: 1)) s, with \(faults) faults, \(events) events and "
                + "\(pushes) pushes.",
            "Keepers of channels were killed \(kills) times, while APNs created \(channels) channels.",
            "Excused by faults: " + Excuse.allCases.map { "\($0.rawValue) \(excused[$0] ?? 0)" }.joined(separator: ", ")
                + ".",
        ])
        report.set([
            "seeds": results.count, "failed": failures.count, "events": events, "pushes": pushes, "faults": faults,
            "virtualSeconds": virtualSeconds, "seconds": seconds,
            "digest": String(digest, radix: 16), "channelKills": kills, "channels": channels,
            "excused": Dictionary(uniqueKeysWithValues: Excuse.allCases.map { ($0.rawValue, excused[$0] ?? 0) }),
            "violations": failures.flatMap { failure in failure.violations.map { "seed \(failure.seed): \($0)" } },
            "failures": failures.map { failure -> Report.Row in
                [
                    .value("seed", failure.seed), .value("command", command(failure)),
                    .value("violations", failure.violations.map(\.description)),
                ]
            },
        ])
        if let first = failures.first {
            report.fail(
                "\(failures.count) of \(results.count) seeds failed; repeat the first one with: \(command(first))"
            )
        } else if results.count >= seedsWithPlay, events == 0 || pushes == 0 {
            report.fail("No seed had events and pushes, so nothing was checked: do the simulated players get a party?")
        }
        return report
    }
}
