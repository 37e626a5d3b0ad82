import Encodings
import GameCore
import GameEngine
import GameFixtures
import GameLog
import GameStore
import PostgresClient
import ServiceRuntime

/// The measurement of `raid`.
struct RaidRun {
    private static let boss = BossCatalogue.all[0].id
    private static let counterLength = Duration.seconds(5)
    /// The time in which decisions reach all members after the stop.
    private static let limit = Duration.seconds(60)
    private static let poll = Duration.milliseconds(50)

    let parties: Int
    let seconds: Int
    let connections: Int

    private var plan: FixturePlan {
        let turn = GameSettings().bossTurn
        return FixturePlan(
            parties: parties,
            shards: min(256, parties),
            journeyTick: turn,
            bossTurn: turn,
            start: Runtime.system.now(),
            maxTicksPlayed: 0,
            distinctAdventures: parties
        )
    }

    func measure(on server: BenchmarkPostgres) async throws -> RaidResult {
        var result = RaidResult(parties: parties)
        try await playRaid(on: server, &result)
        result.fights = try await playFights(on: server)
        let rate = Double(result.raid.work.ticks * FixturePlan.heroes) / result.raid.seconds
        let counter = try await NaiveCounter(into: try await server.create("counter"), connections: connections)
        let paces: [(String, Double?)] = [("raid", rate), ("fastest", nil)]
        for (pace, rate) in paces {
            let cost = try await TickCost.measured(on: server) {
                TickWork(ticks: try await counter.count(for: Self.counterLength, perSecond: rate))
            }
            result.counters.append((pace, cost))
        }
        return result
    }

    func store(_ uri: String) -> GameStore {
        // The system's clock, which knows no outage between loading and playing.
        GameStore(
            pool: BenchmarkPostgres.pool(uri, connections: connections + 2),
            clock: .manual { Runtime.system.now() }
        )
    }

    private func engine(_ store: GameStore) -> GameEngine {
        GameEngine(
            store: store,
            maxConcurrentShards: connections,
            runtime: .system,
            wakeSignal: WakeSignal(),
            logger: silentLogger
        )
    }

    private func heroes(_ number: Int) -> [Hero] {
        RandomParty.heroes(FixturePlan.heroes, level: 1 + number % 5, seed: UInt64(number)).enumerated().map {
            seat,
            hero in
            Hero(
                playerID: plan.playerID(number, seat: seat),
                id: hero.id,
                experience: hero.experience,
                potions: hero.potions
            )
        }
    }

    /// Starts a raid whose boss loses about two thirds of its health, and stores the fights.
    func load(_ uri: String, _ store: GameStore, _ commands: GameCommands) async throws -> Raid {
        let plan = plan
        _ = try await store.migrate()
        // A hero deals some 20 a turn; the boss must not fall.
        let turns = Double(seconds) / (plan.bossTurn / .seconds(1)) + 1
        let health = parties * FixturePlan.heroes * Int(turns * 40)
        let raid = try await commands.startRaid(
            RaidPlan(boss: Self.boss, health: health, startsAt: nil, duration: .seconds(24 * 3_600), regions: []),
            by: AuditAuthor(program: "rangers-bench", user: "bench"),
            dryRun: false
        )
        let pool = BenchmarkPostgres.pool(uri)
        for index in 0..<plan.shards {
            let shard = Shard(rawValue: UInt8(index))
            guard let found = try await store.addMember(shard, to: raid.id) else {
                throw BenchmarkFailure("the raid was not stored")
            }
            let first = plan.partyID(index)
            let admission = try await store.withShard(shard) { transaction in
                try await transaction.admission(to: raid.id, found: found, of: first)
            }
            guard case .open(let opening) = admission else { throw BenchmarkFailure("the raid does not run") }
            let now = Runtime.system.now()
            let fights = plan.numbers(in: index).map { number in
                let adventure = Adventure.raid(opening, heroes: heroes(number), seed: UInt64(number))
                let age = plan.bossTurn * (Double(number) * 0.754_877_666_246_692_7).truncatingRemainder(dividingBy: 1)
                return FixtureParty(
                    id: plan.partyID(number),
                    adventureID: plan.adventureID(number),
                    opening: FixtureOpening(adventure),
                    startedAt: now - age,
                    interval: plan.bossTurn
                )
            }
            try await FixtureLoader(pool: pool).load(fights, in: shard, at: now)
        }
        return raid
    }

    private func playRaid(on server: BenchmarkPostgres, _ result: inout RaidResult) async throws {
        let plan = plan
        let uri = try await server.create("raid")
        let store = store(uri)
        let commands = GameCommands(
            store: store,
            settings: GameSettings(),
            runtime: .system,
            wakeSignal: WakeSignal()
        )
        let raid = try await load(uri, store, commands)
        let shards = (0..<plan.shards).map { Shard(rawValue: UInt8($0)) }
        let heads = try await store.heads(of: shards)
        let engine = engine(store)
        let worker = RaidWorker(store: store, runtime: .system, wakeSignal: WakeSignal(), logger: silentLogger)
        let pool = BenchmarkPostgres.pool(uri)
        let length = Duration.seconds(seconds)
        let measured = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            group.addTask { try await worker.run() }
            defer { group.cancelAll() }
            // The rounds since the start of the raid are written at once, which is no part of the measurement.
            _ = try await Polling.until(within: Self.limit, every: Self.poll) {
                guard let read = try await store.raid(raid.id) else { return false }
                return read.schedule.end(ofRound: read.round) + .seconds(2) > Runtime.system.now()
            }
            let before = try await UpdatedRows.read(from: pool)
            var latencies: [Double] = []
            let from = Runtime.system.now()
            let cost = try await TickCost.measured(on: server) {
                let end = ContinuousClock.now + length
                var next = try await store.raid(raid.id)?.round ?? 0
                while .now < end {
                    let round = try await store.raid(raid.id)?.round ?? next
                    let now = Runtime.system.now()
                    while next < round {
                        latencies.append((now - raid.schedule.end(ofRound: next)) / .milliseconds(1))
                        next += 1
                    }
                    try await Task.sleep(for: Self.poll)
                }
                return TickWork()
            }
            let to = Runtime.system.now()
            // PostgreSQL's sessions report their counts once a second.
            try await Task.sleep(for: .seconds(2))
            let after = try await UpdatedRows.read(from: pool)
            let elapsed = cost.seconds + 2
            let updates = after.map { table, rows in
                let changed = Double(rows - (before[table] ?? 0))
                return (table: table, rate: changed / elapsed / (table == "raids" ? 1 : Double(shards.count)))
            }
            let stopped = try await commands.stopRaid(
                raid.id,
                by: AuditAuthor(program: "rangers-bench", user: "bench")
            )
            let settled = try await Polling.until(within: Self.limit, every: Self.poll) {
                try await store.raidRecord(of: raid.id)?.isSettled == true
            }
            guard settled else { throw BenchmarkFailure("the raid did not end in every shard") }
            return (
                cost: cost, from: from, to: to, latencies: latencies, updates: updates,
                stoppedAt: stopped.endedAt ?? raid.endsAt
            )
        }
        result.raid = measured.cost
        result.roundLatencies = measured.latencies
        result.updatesPerSecond = measured.updates.sorted { $0.table < $1.table }
        for page in try await store.logs(after: heads, limit: 100_000) {
            for entry in page {
                guard case .raid(_, let decision) = entry.content else { continue }
                if decision.outcome == nil {
                    result.decisionLatencies.append((entry.at - decision.roundEnd) / .milliseconds(1))
                } else {
                    let latency = (entry.at - measured.stoppedAt) / .milliseconds(1)
                    result.stopMilliseconds = max(result.stopMilliseconds, latency)
                }
            }
        }
        let ended = try await store.raid(raid.id)
        result.dealt = ended?.dealt ?? 0
        result.rounds = ended?.round ?? 0
        let history = try await store.raidHistory(of: raid.id, after: -1, limit: 100_000)
        result.history = history.reduce(0) { $0 + $1.damage }
        let (from, to) = (measured.from, measured.to)
        let replays = try await concurrently(parties, limit: connections) {
            (number) async throws -> (damage: Int, turns: Int) in
            guard let stored = try await store.replay(plan.adventureID(number))?.stored else {
                throw BenchmarkFailure("the fight of party \(number) is missing")
            }
            // Without commands every turn is as long as the others.
            let turns = (0..<stored.adventure.tick).count { turn in
                let at = stored.startedAt + plan.bossTurn * (turn + 1)
                return at > from && at <= to
            }
            return (damage: stored.countedDamage ?? 0, turns: turns)
        }
        result.replayed = replays.reduce(0) { $0 + $1.damage }
        result.raid.work.ticks = replays.reduce(0) { $0 + $1.turns }
    }

    /// Plays as many ordinary fights for the same time.
    private func playFights(on server: BenchmarkPostgres) async throws -> TickCost {
        let plan = plan
        let uri = try await server.create("fights")
        let store = store(uri)
        _ = try await store.migrate()
        let follower = TickFollower(of: store)
        let pool = BenchmarkPostgres.pool(uri)
        for index in 0..<plan.shards {
            let now = Runtime.system.now()
            var events: [StoredEvent] = []
            var fights: [FixtureParty] = []
            var stored: [StoredAdventure] = []
            for number in plan.numbers(in: index) {
                let adventure = Adventure.bossFight(against: Self.boss, heroes: heroes(number), seed: UInt64(number))
                let age = plan.bossTurn * (Double(number) * 0.754_877_666_246_692_7).truncatingRemainder(dividingBy: 1)
                fights.append(
                    FixtureParty(
                        id: plan.partyID(number),
                        adventureID: plan.adventureID(number),
                        opening: FixtureOpening(adventure),
                        startedAt: now - age,
                        interval: plan.bossTurn
                    )
                )
                events.removeAll(keepingCapacity: true)
                stored.append(
                    StoredAdventure(
                        plan.adventureID(number),
                        of: plan.partyID(number),
                        starting: adventure,
                        at: now - age,
                        interval: plan.bossTurn,
                        appendingTo: &events
                    )
                )
            }
            try await FixtureLoader(pool: pool).load(fights, in: Shard(rawValue: UInt8(index)), at: now)
            await follower.add(stored)
        }
        _ = try await follower.follow()
        let engine = engine(store)
        let length = Duration.seconds(seconds)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await engine.run() }
            defer { group.cancelAll() }
            try await Task.sleep(for: .seconds(2))
            _ = try await follower.follow()
            return try await TickCost.measured(on: server) {
                let end = ContinuousClock.now + length
                var work = TickWork()
                while .now < end {
                    try await Task.sleep(for: .seconds(1))
                    work += try await follower.follow()
                }
                return work
            }
        }
    }
}

/// PostgreSQL's counts of updated rows.
enum UpdatedRows {
    private static let read = Statement(
        "bench.updatedRows",
        "SELECT relname::text, n_tup_upd FROM pg_stat_user_tables WHERE relname IN ('raids', 'raid_shards', 'shards')"
    )

    static func read(from pool: PostgresPool) async throws -> [String: Int] {
        var rows: [String: Int] = [:]
        for row in try await pool.query(PostgresQuery(read)) {
            let (table, count) = try row.decode(String.self, Int64.self)
            rows[table] = Int(count)
        }
        return rows
    }
}

/// What a raid would be without rounds: one row that every blow changes.
struct NaiveCounter: Sendable {
    private static let blow = Statement("bench.blow", "UPDATE boss SET health = health - $1 WHERE raid = 1")

    private let pool: PostgresPool
    private let connections: Int

    init(into uri: String, connections: Int) async throws {
        self.connections = connections
        pool = BenchmarkPostgres.pool(uri, connections: connections)
        try await pool.withConnection {
            try await $0.script(
                "CREATE TABLE boss (raid integer PRIMARY KEY, health bigint); INSERT INTO boss VALUES (1, 1000000000000)"
            )
        }
    }

    /// Strikes for a time.
    /// - Parameters:
    ///   - length: the time.
    ///   - rate: the blows a second; nil for as many as possible.
    /// - Returns: the number of blows.
    /// - Throws: PostgreSQL's errors.
    func count(for length: Duration, perSecond rate: Double?) async throws -> Int {
        let start = ContinuousClock.now
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<connections {
                group.addTask {
                    var count = 0
                    while .now < start + length {
                        _ = try await pool.query(PostgresQuery(Self.blow, Int64(20)))
                        count += 1
                        if let rate {
                            let due = start + .seconds(Double(count * connections) / rate)
                            if due > .now { try await Task.sleep(until: due, clock: .continuous) }
                        }
                    }
                    return count
                }
            }
            return try await group.reduce(0, +)
        }
    }
}
