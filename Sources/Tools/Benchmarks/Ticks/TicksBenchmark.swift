import ArgumentParser
import Foundation
import GameFixtures
import GameStore
import PostgresClient

/// `rangers-bench ticks`: the speed of the game on PostgreSQL.
struct TicksBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "ticks",
        abstract: "Moves the clocks of live parties in PostgreSQL, and derives every tick.",
        discussion: """
            Runs on a private PostgreSQL whose commits reach the disk. Parties of four, half of them on a journey and \
            half in a boss fight, with adventures of all ages, are stored by COPY. Then time passes in rounds of some \
            \(ticksPerRound) ticks, as fast as they can be played: the engine moves the clock of every shard and \
            records what has ended, in real transactions, while one follower reads heads and logs and plays all \
            timelines up to the clocks, like a dispatcher whose phones show everything. A tick counts when the \
            follower has derived its events. Adventures that have ended are replaced between the rounds, which is not \
            measured. A sample of the ended adventures must have the events that the follower derived.

            Each figure is the median of \(windows) windows of \(rounds) rounds. In turns with them, one small row a \
            tick is inserted by plain INSERT … unnest, \(PlainInserts.batch) rows at a time over \
            \(PlainInserts.connections) connections, into a table without an index.

            --pinned-snapshot compares the rates while a reader keeps a snapshot open, like a dump, and for a third of \
            that time before and after it. --idle measures what a game costs in real time, with a tick every \
            \(IdleRun.journeyTick / .seconds(1)) seconds and turns of \(IdleRun.bossTurn / .seconds(1)) seconds, when \
            nobody watches:
              rangers-bench ticks --pinned-snapshot 180
              rangers-bench ticks --parties 1000000 --idle 60

            100,000 parties take 1 GB of disk, a million 10 GB.

            JSON: {parties, ticksPerSecond, endsPerSecond, clockMovesPerSecond, walBytesPerTick, \
            postgresMicrosecondsPerTick, processMicrosecondsPerTick, processCores, plainInsertRowsPerSecond, \
            takeoverMilliseconds, databaseBytes, rows: [the same per window], statements: [{statement, calls, \
            milliseconds, rows, walBytes}], ticksOfStatements, medianOf}.

            With --pinned-snapshot: {parties, pinnedSeconds, ticksPerSecond, pinnedTicksPerSecond, \
            afterTicksPerSecond, pinnedRatio, rows: [{phase, fromSeconds, as above}]}; a phase is before, pinned or \
            after. With --idle: {parties, cores, processorRatio, rows: [{parties, ticksPerSecond, endsPerSecond, \
            clockMovesPerSecond, walBytesPerSecond, engineCores, postgresCores, cores, microsecondsPerTick}]}.
            """
    )
    static let reportsSpeed = true
    static let ticksPerRound = 300_000
    private static let windows = 5
    private static let rounds = 10
    private static let warmUpRounds = 2
    private static let shownStatements = 12

    @Option(
        help: ArgumentHelp("The number of live parties (default: 100000, with --idle 1000000).", valueName: "count")
    )
    var parties: Int?

    @Option(help: ArgumentHelp("The number of the engine's connections.", valueName: "count")) var connections = 4

    @Option(help: ArgumentHelp("Measure the cost of a snapshot that stays open for this time.", valueName: "seconds"))
    var pinnedSnapshot: Int?

    @Option(help: ArgumentHelp("Measure the cost of a game in real time, for this time.", valueName: "seconds"))
    var idle: Int?

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if let parties { try Self.check("--parties", parties, in: 100...1_000_000) }
        try Self.check("--connections", connections, in: 1...16)
        if let pinnedSnapshot { try Self.check("--pinned-snapshot", pinnedSnapshot, in: 3...3_600) }
        if let idle { try Self.check("--idle", idle, in: 5...3_600) }
        guard pinnedSnapshot == nil || idle == nil else {
            throw ValidationError("--pinned-snapshot and --idle exclude each other")
        }
    }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        if let idle {
            let run = IdleRun(parties: parties ?? 1_000_000, connections: connections, length: .seconds(idle))
            return try await run.measure(on: server)
        }
        let game = try await TickGame(parties: parties ?? 100_000, connections: connections, on: server)
        if let pinnedSnapshot {
            return try await SnapshotRun(parties: parties ?? 100_000, pinned: .seconds(pinnedSnapshot)).measure(game)
        }
        var result = TicksResult(parties: parties ?? 100_000)
        result.databaseBytes = try await game.databaseBytes()
        result.takeoverMilliseconds = try await ShardTakeover.milliseconds(on: server)
        let plain = try await PlainInserts(into: game.uri)
        var progress = Progress(of: Self.windows * Self.rounds)
        for _ in 0..<Self.warmUpRounds { _ = try await game.play() }
        try await server.resetStatements()
        for _ in 0..<Self.windows {
            var cost = TickCost()
            for _ in 0..<Self.rounds {
                cost += try await game.play()
                progress.advance()
            }
            result.windows.append(cost)
            result.plainInserts.append(try await plain.perSecond())
        }
        result.statements = try await server.statements(of: TickGame.database, limit: Self.shownStatements)
        try await game.check()
        return result.report
    }
}

/// The measured windows of a game.
struct TicksResult {
    let parties: Int
    var windows: [TickCost] = []
    /// The inserted rows per second, in turns with the windows.
    var plainInserts: [Double] = []
    var takeoverMilliseconds = 0.0
    /// The size of the database with the parties, before anything is played.
    var databaseBytes = 0
    /// The statements with the longest total time, in that order.
    var statements: [StatementStatistics] = []

    var report: Report {
        let rows = zip(windows, plainInserts).map { window, inserts in
            Report.Row(window.fields + [.number("plainInsertRowsPerSecond", "PLAIN INSERTS/S", inserts)])
        }
        let ticks = windows.reduce(0) { $0 + $1.work.ticks }
        let names = rows[0].fields.compactMap(\.name)
        func median(_ name: String) -> Double { rows.compactMap { $0[name] as? Double }.median }

        var report = Report()
        report.set("parties", parties)
        for name in names { report.set(name, median(name)) }
        report.set(["takeoverMilliseconds": takeoverMilliseconds, "databaseBytes": databaseBytes])
        report.add(rows, as: "rows")
        report.add([
            "\(parties.grouped) live parties: \(median("ticksPerSecond").grouped()) ticks per second (median of "
                + "\(rows.count)), \(median("walBytesPerTick").grouped(digits: 1)) bytes of WAL and "
                + "\(median("postgresMicrosecondsPerTick").grouped(digits: 2)) µs of PostgreSQL each; "
                + "\(median("plainInsertRowsPerSecond").grouped()) plain inserts per second.",
            "The follower derived every tick. Ends are recorded in the same time; WAL bytes and µs of CPU time are per "
                + "tick.",
            "A node takes over a shard with \(ShardTakeover.parties.grouped) live adventures in "
                + "\(takeoverMilliseconds.grouped(digits: 1)) ms. The parties took "
                + "\((databaseBytes / parties).grouped) bytes each.",
        ])
        // Replacements and plain inserts are not part of the game.
        let statements = statements.filter { !$0.statement.hasPrefix("COPY ") && !$0.statement.contains("plain_ticks") }
        report.set("statements", statements)
        report.add(statements.map { $0.row(ofTicks: ticks) })
        report.set(["ticksOfStatements": ticks, "medianOf": rows.count])
        return report
    }
}

extension StatementStatistics {
    fileprivate func row(ofTicks ticks: Int) -> Report.Row {
        let (calls, ticks) = (Double(max(calls, 1)), Double(max(ticks, 1)))
        return [
            .text(nil, "STATEMENT", statement), .count(nil, "CALLS", self.calls),
            .number(nil, "MS PER CALL", milliseconds / calls, digits: 3),
            .number(nil, "ROWS PER CALL", Double(rows) / calls, digits: 1),
            .number(nil, "µS PER TICK", milliseconds * 1_000 / ticks, digits: 3),
            .number(nil, "WAL PER TICK", Double(walBytes) / ticks, digits: 1),
        ]
    }
}

/// The anchor of a run: small rows that are inserted in batches, into a table without an index.
struct PlainInserts: Sendable {
    static let batch = 200
    static let connections = 2
    private static let length = Duration.seconds(1)
    private static let insert = Statement(
        "bench.plainInsert",
        "INSERT INTO plain_ticks SELECT * FROM unnest($1::uuid[], $2::integer[], $3::timestamptz[])"
    )

    private let pool: PostgresPool

    /// Creates the table in a database.
    init(into uri: String) async throws {
        pool = BenchmarkPostgres.pool(uri, connections: Self.connections)
        try await pool.withConnection {
            try await $0.script("CREATE TABLE plain_ticks (adventure_id uuid, tick integer, at timestamptz)")
        }
    }

    /// Inserts for a second and returns the rate of rows.
    func perSecond() async throws -> Double {
        let query = PostgresQuery(
            Self.insert,
            (0..<Self.batch).map { _ in UUID() },
            (0..<Self.batch).map { Int32($0) },
            (0..<Self.batch).map { PostgresTimestamp(microseconds: Int64($0)) }
        )
        let start = ContinuousClock.now
        let batches = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<Self.connections {
                group.addTask {
                    var count = 0
                    repeat {
                        _ = try await pool.query(query)
                        count += 1
                    } while .now < start + Self.length
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
        return Double(batches * Self.batch) / ((.now - start) / .seconds(1))
    }
}
