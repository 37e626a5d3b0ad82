import ArgumentParser

/// `rangers-bench raid`: one raid of many parties.
struct RaidBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "raid",
        abstract: "Plays one raid of many parties in PostgreSQL, and compares its sums with their timelines.",
        discussion: """
            Runs on a private PostgreSQL whose commits reach the disk. Parties of four with turns of the default length, \
            stored by COPY, fight one boss while an engine and a raid worker run in this process; then the raid is \
            stopped, and every fight is replayed: the sums must be equal to the unit, otherwise the command exits with 1. \
            As many ordinary fights are then played for the same time by an engine, with a follower that derives every \
            turn, as the engine does in a raid. At last one row is changed for each blow, at the rate of the raid's blows \
            and as fast as possible.

            Latencies of decisions are from the end of their round, or from the stop, to the last member's log. Writes of \
            a row are PostgreSQL's counts of updated rows, by table; of a table with a row a shard, the mean of the rows.

            JSON: {parties, seconds, turns, dealt, rounds, roundMilliseconds50, roundMilliseconds99, \
            decisionMilliseconds99, stopMilliseconds, walRatio, processorRatio, rows: [{game, turns, walBytesPerTurn, \
            microsecondsPerTurn}], writes: [{table, updatesPerSecond}], counters: [{pace, blowsPerSecond, \
            walBytesPerBlow, microsecondsPerBlow}]}.
            """
    )
    static let reportsSpeed = true

    @Option(help: ArgumentHelp("The number of parties.", valueName: "count")) var parties = 10_000

    @Option(help: ArgumentHelp("How long the raid is measured, in seconds.", valueName: "seconds")) var seconds = 60

    @Option(help: ArgumentHelp("The number of the engine's connections.", valueName: "count")) var connections = 4

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--parties", parties, in: 10...1_000_000)
        try Self.check("--seconds", seconds, in: 5...600)
        try Self.check("--connections", connections, in: 1...16)
    }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        let run = RaidRun(parties: parties, seconds: seconds, connections: connections)
        return try await run.measure(on: server).report
    }
}

/// The results of a raid.
struct RaidResult {
    let parties: Int
    /// The damage by the raid's row, its history, and the replayed fights.
    var dealt = 0
    var history = 0
    var replayed = 0
    var rounds = 0
    /// From the end of a round to the home's sum, in milliseconds.
    var roundLatencies: [Double] = []
    /// From the end of a decision's round to the log of each member.
    var decisionLatencies: [Double] = []
    /// From the stop to the logs of all members.
    var stopMilliseconds = 0.0
    var raid = TickCost()
    var fights = TickCost()
    var updatesPerSecond: [(table: String, rate: Double)] = []
    var counters: [(pace: String, cost: TickCost)] = []

    /// The CPU time of a turn, of this process and PostgreSQL.
    static func microseconds(_ cost: TickCost) -> Double {
        cost.processMicrosecondsPerTick + cost.postgresMicrosecondsPerTick
    }

    var report: Report {
        var report = Report()
        let games = [("raid", raid), ("bossFight", fights)]
        let wal = raid.walBytesPerTick / fights.walBytesPerTick
        let processor = Self.microseconds(raid) / Self.microseconds(fights)
        func percentile(_ values: [Double], _ percent: Int) -> Double? {
            values.isEmpty ? nil : values.percentile(percent)
        }
        let (median, slowest) = (percentile(roundLatencies, 50), percentile(roundLatencies, 99))
        let decision = percentile(decisionLatencies, 99)
        report.set(["parties": parties, "seconds": raid.seconds, "turns": raid.work.ticks, "dealt": dealt])
        report.set(["rounds": rounds, "roundMilliseconds50": median, "roundMilliseconds99": slowest])
        report.set(["decisionMilliseconds99": decision, "stopMilliseconds": stopMilliseconds])
        report.set(["walRatio": wal, "processorRatio": processor])
        report.add(
            games.map { name, cost in
                [
                    .text("game", "GAME", name), .count("turns", "TURNS", cost.work.ticks),
                    .number("walBytesPerTurn", "WAL BYTES", cost.walBytesPerTick, digits: 1),
                    .number("microsecondsPerTurn", "CPU µS", Self.microseconds(cost), digits: 1),
                ]
            },
            as: "rows"
        )
        report.add(
            updatesPerSecond.map { table, rate in
                [.text("table", "TABLE", table), .number("updatesPerSecond", "UPDATES/S OF A ROW", rate, digits: 2)]
            },
            as: "writes"
        )
        report.add(
            counters.map { pace, cost in
                [
                    .text("pace", "NAIVE COUNTER", pace),
                    .number("blowsPerSecond", "BLOWS/S", cost.ticksPerSecond),
                    .number("walBytesPerBlow", "WAL BYTES", cost.walBytesPerTick, digits: 1),
                    .number("microsecondsPerBlow", "CPU µS", Self.microseconds(cost), digits: 1),
                ]
            },
            as: "counters"
        )
        func text(_ value: Double?) -> String { value?.grouped() ?? "-" }
        report.add([
            "\(parties.grouped) parties dealt \(dealt.grouped) in \(rounds.grouped) rounds. A round was added up "
                + "\(text(median)) ms after its end (p99 \(text(slowest)) ms).",
            "Decisions were in a member's log \(text(decision)) ms after the end of their round (p99), and the stop in "
                + "all after \(text(stopMilliseconds)) ms.",
            "A turn costs \(wal.grouped(digits: 2)) times the WAL and \(processor.grouped(digits: 2)) times the CPU time "
                + "of an ordinary fight's.",
        ])
        if dealt != history || dealt != replayed {
            report.fail("The raid has \(dealt) of damage, its history \(history), and its fights have \(replayed).")
        }
        return report
    }
}
