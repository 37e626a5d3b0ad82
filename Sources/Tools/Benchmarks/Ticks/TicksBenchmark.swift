import ArgumentParser
import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient

/// `rangers-bench ticks`: the speed of the engine.
struct TicksBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "ticks",
        abstract: "Plays adventures in PostgreSQL, and compares the same statements without the game.",
        discussion: """
            Runs on a private PostgreSQL whose commits reach the disk. Parties of four, half of them on a journey and \
            half in a boss fight, are stored by COPY. Then the engine plays them in rounds, with about \
            \(ticksPerTransaction) ticks per transaction, with rules, states and events. In turns with it, the same \
            statements with the same parameters run over the same client without the engine, on a copy of the database: \
            the floor. --connections are engines of one connection each, like nodes.

            Several --parties show how the cost of a tick grows with the stored parties:
              rangers-bench ticks --parties 10000 1000000 --no-floor

            --pinned-snapshot measures the cost of a reader that keeps a snapshot open, like a forgotten transaction or \
            a dump: no row version that it might still see is removed. The game plays for a third of that time without \
            the reader, then with it, then without it again. Adventures that end are replaced, so that their number \
            stays the same; the first of --parties and the maximum of --connections are used:
              rangers-bench ticks --pinned-snapshot 180

            Each figure is the median of \(rounds) rounds. Warm-up rounds first play every adventure once: one round, \
            or ten with a million parties. 100,000 parties take some minutes and 2 GB of disk, a million some 20 GB.

            JSON: {parties, connections, ticksPerSecond, floorTicksPerSecond, ratio, walBytesPerTick, rows: \
            [{parties, connections, ticksPerRound, ticksPerSecond, floorTicksPerSecond, ratio, walBytesPerTick, \
            engineMicrosecondsPerTick, postgresMicrosecondsPerTick}], growth: [{connections, fewestParties, \
            maxParties, processorRatio, timeRatio}], statements: [{statement, calls, milliseconds, rows, walBytes}], \
            ticksOfStatements, medianOf}. The values outside the rows are those of the first --parties with the most \
            connections; without the floor, floorTicksPerSecond and ratio are null.

            With --pinned-snapshot: {parties, connections, pinnedSeconds, ticksPerSecond, pinnedTicksPerSecond, \
            afterTicksPerSecond, lowestTicksPerSecond, pinnedRatio, rows: [{phase, fromSeconds, seconds, ticks, \
            ticksPerSecond, engineMicrosecondsPerTick, postgresMicrosecondsPerTick, walBytesPerTick, deadRows, \
            tableBytes}], tables: [{phase, table, deadRows, bytes}], statements: [{phase, statement, calls, \
            microsecondsPerTick}]}; a phase is before, pinned or after.
            """
    )
    static let reportsSpeed = true
    /// The approximate number of ticks per transaction, for any number of parties.
    static let ticksPerTransaction = 400
    private static let rounds = 5
    private static let shards = 256
    private static let interval = Duration.seconds(10)
    /// The start: a multiple of the interval since 1970, so that the first slot begins a round.
    private static let start = Timestamp(epochSeconds: 1_750_000_000)
    /// The maximum number of ticks played before the measurement; most adventures last longer than these and the
    /// measured ticks together.
    private static let ticksPlayed = 12
    private static let shownStatements = 12

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The number of stored parties; several numbers are compared.", valueName: "count")
    )
    var parties = [100_000]

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The number of connections, and of shards that are played concurrently.", valueName: "count")
    )
    var connections = [1, 4]

    @Flag(inversion: .prefixedNo, help: "Also run the same statements without the game.") var floor = true

    @Option(help: ArgumentHelp("Measure the cost of a snapshot that stays open for this time.", valueName: "seconds"))
    var pinnedSnapshot: Int?

    @OptionGroup var options: ReportOptions

    func validate() throws {
        for (option, numbers, range) in [
            ("--parties", parties, 100...1_000_000), ("--connections", connections, 1...16),
        ] {
            guard !numbers.isEmpty, Set(numbers).count == numbers.count else {
                throw ValidationError("\(option) needs distinct numbers")
            }
            for number in numbers { try Self.check(option, number, in: range) }
        }
        if let pinnedSnapshot { try Self.check("--pinned-snapshot", pinnedSnapshot, in: 3...3_600) }
    }

    /// Creates a plan with the same number of ticks per transaction for any number of parties.
    /// - Returns: the plan, the clock's advance per round, and the number of rounds in which each adventure has one
    ///   tick.
    static func plan(_ parties: Int) -> (plan: FixturePlan, step: Duration, roundsPerInterval: Int) {
        let shards = min(Self.shards, (parties + ticksPerTransaction - 1) / ticksPerTransaction)
        let fitting = FixturePlan.slots * ticksPerTransaction * shards / parties
        // A divisor of the interval, so that the adventures of a round are due together again.
        let slots = (1...max(1, min(fitting, FixturePlan.slots))).last { FixturePlan.slots.isMultiple(of: $0) } ?? 1
        let plan = FixturePlan(
            parties: parties,
            shards: shards,
            interval: interval,
            start: start,
            ticksPlayed: ticksPlayed,
            // As many journeys as fights in each shard, four of each.
            distinctAdventures: 2 * shards * 4
        )
        return (plan, plan.slotLength * slots, FixturePlan.slots / slots)
    }

    func measure() async throws -> Report {
        if let pinnedSnapshot, let connections = connections.max() {
            let run = SnapshotRun(parties: parties[0], connections: connections, pinned: .seconds(pinnedSnapshot))
            return try await run.measure()
        }
        let server = try await BenchmarkPostgres()
        var lanes: [Lane] = []
        for size in parties { lanes += try await makeLanes(size, on: server) }
        try await server.checkpoint()
        var progress = Progress(of: lanes.reduce(0) { $0 + $1.warmUps + Self.rounds })
        for lane in lanes {
            for round in 0..<lane.warmUps {
                _ = try await lane.measure(round, on: server)
                progress.advance()
            }
        }
        try await server.resetStatements()
        for round in 0..<Self.rounds {
            for index in lanes.indices {
                let cost = try await lanes[index].measure(lanes[index].warmUps + round, on: server)
                lanes[index].result.rounds.append(cost)
                progress.advance()
            }
        }
        try await compareHeads(lanes)
        let statements = try await server.statements(of: lanes[0].database, limit: Self.shownStatements)
        return Self.report(lanes.map(\.result), statements: statements, of: lanes[0].result)
    }

    private func makeLanes(_ size: Int, on server: BenchmarkPostgres) async throws -> [Lane] {
        let (plan, step, warmUps) = Self.plan(size)
        let name = "world_\(size)"
        let world = try await server.create(name)
        try await plan.load(into: world)
        // Otherwise the first lane would clean up after COPY.
        try await BenchmarkPostgres.pool(world).withConnection { try await $0.script("VACUUM ANALYZE") }
        var recording: TickRecording?
        if floor {
            let recorded = try await server.create("recorded_\(size)", from: name)
            recording = try await TickRecording(warmUps + Self.rounds, uri: recorded, plan: plan, step: step)
            try await server.drop("recorded_\(size)")
        }
        var lanes: [Lane] = []
        for count in connections {
            let played = "played_\(size)_\(count)"
            let uri = try await server.create(played, from: name)
            let pool = BenchmarkPostgres.pool(uri, connections: count)
            let game = GameLane(pool: pool, plan: plan, step: step, connections: count)
            let result = TickLaneResult(parties: size, connections: count, isFloor: false)
            lanes.append(
                Lane(database: played, uri: uri, warmUps: warmUps, result: result) { _ in try await game.play() }
            )
            guard let recording else { continue }
            let replayed = "replayed_\(size)_\(count)"
            let floorURI = try await server.create(replayed, from: name)
            let floor = FloorLane(uri: floorURI, recording: recording, connections: count)
            let floorResult = TickLaneResult(parties: size, connections: count, isFloor: true)
            lanes.append(
                Lane(database: replayed, uri: floorURI, warmUps: warmUps, result: floorResult) { round in
                    try await floor.play(round)
                    return nil
                }
            )
        }
        try await server.drop(name)
        return lanes
    }

    /// Checks that game and floor have written the same number of log entries.
    private func compareHeads(_ lanes: [Lane]) async throws {
        for size in parties {
            var heads: Set<Int64> = []
            for lane in lanes where lane.result.parties == size {
                let store = GameStore(pool: BenchmarkPostgres.pool(lane.uri))
                heads.insert(try await store.heads(of: Shard.all).reduce(0) { $0 + $1.head })
            }
            guard heads.count == 1 else {
                throw BenchmarkFailure("Engine and floor have written different numbers of log entries: \(heads)")
            }
        }
    }

    /// The game or its floor on a separate database.
    private struct Lane {
        let database: String
        let uri: String
        /// The number of rounds before the measured ones, in which each adventure is played once: after a checkpoint
        /// PostgreSQL writes each page whole to its log once, which is not part of a tick's cost.
        let warmUps: Int
        var result: TickLaneResult
        /// Plays a round and returns the number of its ticks; nil if it does not count them.
        let play: (_ round: Int) async throws -> Int?

        func measure(_ round: Int, on server: BenchmarkPostgres) async throws -> TickCost {
            try await TickCost.measured(on: server) { try await play(round) }
        }
    }

    /// Returns the report of all lanes.
    ///
    /// `statements` are the statistics of `game`, one of the lanes.
    static func report(_ lanes: [TickLaneResult], statements: [StatementStatistics], of game: TickLaneResult) -> Report
    {
        let games = lanes.filter { !$0.isFloor }
        let rows = games.map { game in
            game.row(
                floor: lanes.first { $0.isFloor && $0.parties == game.parties && $0.connections == game.connections }
            )
        }
        let main = zip(games, rows).filter { $0.0.parties == games[0].parties }.max {
            $0.0.connections < $1.0.connections
        }
        let ticks = game.rounds.reduce(0) { $0 + ($1.ticks ?? 0) }

        var report = Report()
        report.set(
            ["parties", "connections", "ticksPerSecond", "floorTicksPerSecond", "ratio", "walBytesPerTick"],
            from: main?.1
        )
        report.add(rows, as: "rows")
        var growth: [Report.Row] = []
        for connections in Set(games.map(\.connections)).sorted() {
            let sizes = games.filter { $0.connections == connections }.sorted { $0.parties < $1.parties }
            guard let fewest = sizes.first, let most = sizes.last, fewest.parties < most.parties else { continue }
            func cpu(_ game: TickLaneResult) -> Double {
                game.perTick { $0.engineSeconds } + game.perTick { $0.postgresSeconds }
            }
            let processorRatio = cpu(most) / cpu(fewest)
            let timeRatio = most.perTick { $0.seconds } / fewest.perTick { $0.seconds }
            growth.append([
                .value("connections", connections), .value("fewestParties", fewest.parties),
                .value("maxParties", most.parties), .value("processorRatio", processorRatio),
                .value("timeRatio", timeRatio),
            ])
            report.add([
                "A tick with \(most.parties.grouped) parties costs \(processorRatio.grouped(digits: 2)) times the CPU time "
                    + "and \(timeRatio.grouped(digits: 2)) times the time of one with \(fewest.parties.grouped), over "
                    + "\(connections) connection\(connections == 1 ? "" : "s")."
            ])
        }
        report.set("growth", growth)
        report.add([
            "Each figure is the median of \(game.rounds.count) rounds in turns; µs of CPU time and WAL bytes are per tick. "
                + "FLOOR is", "the same statements without the engine, over as many connections.",
        ])
        report.set("statements", statements)
        report.add(statements.map { $0.row(ofTicks: ticks) })
        report.set("ticksOfStatements", ticks)
        report.set("medianOf", game.rounds.count)
        return report
    }
}

extension StatementStatistics {
    fileprivate func row(ofTicks ticks: Int) -> Report.Row {
        let (calls, ticks) = (Double(max(calls, 1)), Double(max(ticks, 1)))
        return [
            .text(nil, "STATEMENT", statement), .count(nil, "CALLS", self.calls),
            .number(nil, "MS PER CALL", milliseconds / calls, digits: 3),
            .number(nil, "ROWS PER CALL", Double(rows) / calls),
            .number(nil, "µS PER TICK", milliseconds * 1_000 / ticks, digits: 2),
            .number(nil, "WAL PER TICK", Double(walBytes) / ticks),
        ]
    }
}

/// The measured rounds of the game, or of its floor.
struct TickLaneResult {
    let parties: Int
    let connections: Int
    let isFloor: Bool
    var rounds: [TickCost] = []

    /// Returns the median of a cost per tick.
    ///
    /// Rounds have different numbers of ticks, since adventures end. A floor has the ticks of its `game`.
    func perTick(of game: Self? = nil, _ cost: (TickCost) -> Double) -> Double {
        zip(rounds, (game ?? self).rounds).map { round, played in cost(round) / Double(played.ticks ?? 1) }.median
    }

    func row(floor: Self?) -> Report.Row {
        let seconds = perTick { $0.seconds }
        let floorSeconds = floor.map { $0.perTick(of: self) { $0.seconds } }
        return [
            .count("parties", "PARTIES", parties), .count("connections", "CONNECTIONS", connections),
            .value("ticksPerRound", rounds[0].ticks ?? 0), .number("ticksPerSecond", "TICKS/S", 1 / seconds),
            .number("floorTicksPerSecond", "FLOOR", floorSeconds.map { 1 / $0 }),
            .number("ratio", "RATIO", floorSeconds.map { $0 / seconds }, digits: 2),
            .number("engineMicrosecondsPerTick", "ENGINE µS", perTick { $0.engineSeconds } * 1_000_000, digits: 1),
            .number(
                "postgresMicrosecondsPerTick",
                "POSTGRES µS",
                perTick { $0.postgresSeconds } * 1_000_000,
                digits: 1
            ), .number("walBytesPerTick", "WAL BYTES", perTick { $0.walBytes }),
        ]
    }
}

/// The cost of one round.
struct TickCost: Hashable, Sendable {
    /// The number of ticks; nil for a floor, which has the ticks of the game's round.
    let ticks: Int?
    let seconds: Double
    let walBytes: Double
    /// The CPU time of this process, which runs the engine.
    let engineSeconds: Double
    /// The CPU time of PostgreSQL.
    let postgresSeconds: Double

    static let zero = Self(ticks: 0, seconds: 0, walBytes: 0, engineSeconds: 0, postgresSeconds: 0)

    /// Measures the cost of `work`.
    ///
    /// `work` returns the number of ticks, or nil if it does not count them.
    static func measured(on server: BenchmarkPostgres, _ work: () async throws -> Int?) async throws -> Self {
        let before = try await server.usage()
        let cpu = ProcessUsage.ownCPUSeconds
        let start = ContinuousClock.now
        let ticks = try await work()
        let elapsed = ContinuousClock.now - start
        let engineSeconds = ProcessUsage.ownCPUSeconds - cpu
        let after = try await server.usage()
        return Self(
            ticks: ticks,
            seconds: elapsed / .seconds(1),
            walBytes: Double(after.walBytes - before.walBytes),
            engineSeconds: engineSeconds,
            postgresSeconds: after.cpuSeconds - before.cpuSeconds
        )
    }

    static func += (left: inout Self, right: Self) {
        left = Self(
            ticks: left.ticks.flatMap { ticks in right.ticks.map { ticks + $0 } },
            seconds: left.seconds + right.seconds,
            walBytes: left.walBytes + right.walBytes,
            engineSeconds: left.engineSeconds + right.engineSeconds,
            postgresSeconds: left.postgresSeconds + right.postgresSeconds
        )
    }
}
