import ArgumentParser
import Foundation

/// `rangers-bench memory`: the memory per live activity.
struct MemoryBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "memory",
        abstract: "Compares the memory of a dispatcher with many activities and of one with a hundredth of them.",
        discussion: """
            Starts two nodes with the dispatcher role, rangersd from the folder of this program, each on a database of \
            its own with four activities per adventure. Nodes with the engine role then tick every adventure every \
            \(Int(interval / .seconds(1))) seconds, and each tick is pushed to a server that accepts every push. Each \
            activity starts with a decision log of maximum length.

            JSON: {bytesPerActivity, few, many, samples: [{seconds, pushes, fewBytes, manyBytes, bytesPerActivity}]}; \
            the bytesPerActivity outside the samples is that of the last sample.
            """
    )
    /// The time between two ticks: long enough that two cores can push to a hundred thousand activities several times.
    private static let interval = Duration.seconds(60)
    private static let sampleCount = 6

    @Option(help: ArgumentHelp("The number of activities of the larger dispatcher.", valueName: "count"))
    var activities = 100_000

    @Option(help: ArgumentHelp("The duration of pushing.", valueName: "seconds")) var seconds = 180

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--activities", activities, in: 400...1_000_000)
        try Self.check("--seconds", seconds, in: 1...86_400)
    }

    func measure() async throws -> Report {
        // Whole adventures.
        let few = activities / 100 / FixturePlan.heroes * FixturePlan.heroes
        let many = activities / FixturePlan.heroes * FixturePlan.heroes
        let length = Duration.seconds(seconds)
        let server = try await BenchmarkPostgres()
        let launcher = try await ServiceLauncher()
        let apns = try launcher.startAcceptingServer()
        defer { apns.kill() }
        let apnsPort = try await apns.port()
        func dispatcher(_ activities: Int, _ name: String) async throws -> LiveNode {
            let plan = FixturePlan.live(parties: activities / FixturePlan.heroes, interval: Self.interval)
            return try await LiveNode(
                "dispatcher",
                by: launcher,
                apnsPort: apnsPort,
                on: server,
                database: name,
                playing: plan,
                tokens: plan.tokens,
                decisions: FullDecisionLog.encoded(until: plan.start)
            )
        }
        let small = try await dispatcher(few, "few")
        defer { small.program.kill() }
        let large = try await dispatcher(many, "many")
        defer { large.program.kill() }
        func sample(after time: Duration) throws -> MemorySample {
            let (few, many) = (try small.metrics(), try large.metrics())
            return MemorySample(
                seconds: time / .seconds(1),
                pushes: Int(many.sum("rangers_pushes_total")),
                fewBytes: Int(few.sum("process_resident_memory_bytes")),
                manyBytes: Int(many.sum("process_resident_memory_bytes"))
            )
        }

        var samples = [try sample(after: .zero)]
        // The dispatchers push from here on.
        let engines = try [small, large].map { dispatcher in
            try launcher.startNode("engine", on: dispatcher.uri, apnsPort: apnsPort, interval: Self.interval)
        }
        defer { for engine in engines { engine.kill() } }
        for engine in engines { _ = try await engine.ports() }
        let start = ContinuousClock.now
        var progress = Progress(of: Self.sampleCount)
        for number in 1...Self.sampleCount {
            try await Task.sleep(until: start + length * number / Self.sampleCount, clock: .continuous)
            samples.append(try sample(after: .now - start))
            progress.advance()
        }
        return Self.report(few: few, many: many, samples: samples)
    }

    /// Returns the report of all samples.
    ///
    /// The first sample is from before any push; the main value is that of the last one.
    static func report(few: Int, many: Int, samples: [MemorySample]) -> Report {
        let rows = samples.map { sample -> Report.Row in
            [
                .number("seconds", "SECONDS", sample.seconds), .count("pushes", "PUSHES", sample.pushes),
                .count("fewBytes", "MIB WITH \(few.grouped)", sample.fewBytes, per: 1 << 20, digits: 1),
                .count("manyBytes", "MIB WITH \(many.grouped)", sample.manyBytes, per: 1 << 20, digits: 1),
                .number(
                    "bytesPerActivity",
                    "BYTES EACH",
                    Double(sample.manyBytes - sample.fewBytes) / Double(many - few)
                ),
            ]
        }
        var report = Report()
        report.set(["bytesPerActivity"], from: rows.last)
        report.set(["few": few, "many": many])
        report.add(rows, as: "samples")
        report.add([
            "Resident memory of two dispatchers; the first row is before any push. The last column is the memory per",
            "activity: the difference of memory divided by the difference of activities.",
        ])
        return report
    }
}

/// The resident memory of two dispatchers at one moment.
struct MemorySample: Hashable {
    /// The time since the first tick; zero before it.
    let seconds: Double
    /// The number of pushes that the larger dispatcher has sent.
    let pushes: Int
    let fewBytes: Int
    let manyBytes: Int
}
