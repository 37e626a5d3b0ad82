import Encodings
import GameCore
import GameEngine
import GameFixtures
import GameLog
import GameStore
import PostgresClient
import RangersMetrics
import ServiceRuntime
import Synchronization

/// A game with a constant number of live adventures: an engine moves the clocks of a database, and one follower derives
/// everything that happens by them.
///
/// It is played in rounds, over a clock that advances by a step per round.
final class TickGame {
    static let database = "game"
    /// The maximum number of ticks in a round per adventure.
    private static let maxTicksPerAdventure = 3
    private static let interval = Duration.seconds(10)

    let server: BenchmarkPostgres
    let uri: String
    private var plan: FixturePlan
    private let pool: PostgresPool
    private let openings: [FixtureOpening]
    private let clock: GameClock
    private let engine: GameEngine
    private let follower: TickFollower
    /// The advance of the clock per round.
    private let step: Duration
    private var nextNumber: Int

    /// Loads the parties.
    /// - Parameters:
    ///   - parties: the number of parties.
    ///   - connections: the number of the engine's connections.
    ///   - server: the server of the database.
    /// - Throws: PostgreSQL's errors.
    init(parties: Int, connections: Int, on server: BenchmarkPostgres) async throws {
        self.server = server
        plan = .steady(
            parties: parties,
            journeyTick: Self.interval,
            bossTurn: Self.interval,
            at: Timestamp(epochSeconds: 1_750_000_000)
        )
        uri = try await server.create(Self.database)
        try await plan.load(into: uri)
        openings = plan.openings()
        let ticks = min(TicksBenchmark.ticksPerRound, Self.maxTicksPerAdventure * parties)
        step = Self.interval * (Double(ticks) / Double(parties))
        let clock = GameClock(plan.start)
        self.clock = clock
        pool = BenchmarkPostgres.pool(uri, connections: connections + 1)
        let store = GameStore(pool: pool, clock: .manual { clock.now })
        engine = GameEngine(
            store: store,
            maxConcurrentShards: connections,
            runtime: Runtime(now: { clock.now }, randomBits: { 0 }),
            wakeSignal: WakeSignal(),
            logger: silentLogger
        )
        follower = TickFollower(of: store)
        nextNumber = parties
        await follower.add(adventures(0..<parties))
        // From here on, the heads are known.
        _ = try await follower.follow()
    }

    /// Returns the adventures of parties, as a follower knows them.
    private func adventures(_ numbers: Range<Int>) -> [StoredAdventure] {
        var events: [StoredEvent] = []
        return numbers.map { number in
            let opening = openings[number % openings.count]
            events.removeAll(keepingCapacity: true)
            return StoredAdventure(
                plan.adventureID(number),
                of: plan.partyID(number),
                starting: opening.adventure,
                at: plan.start(number, of: opening),
                interval: plan.interval(number),
                appendingTo: &events
            )
        }
    }

    /// Plays a round: the engine moves every clock to the present and closes what has ended, while the follower plays
    /// everything that earlier moves have decided.
    ///
    /// Adventures that have ended are replaced by new ones, which is not measured.
    func play() async throws -> TickCost {
        clock.advance(by: step)
        let cost = try await TickCost.measured(on: server) { [engine, follower] in
            async let moved = Self.moveClocks(by: engine)
            var followed = try await follower.follow()
            let cycle = try await moved
            (followed.moves, followed.ends) = (cycle.moves, cycle.ends)
            return followed
        }
        try await replaceEnded()
        return cost
    }

    private static func moveClocks(by engine: GameEngine) async throws -> GameEngine.PollCycle {
        let cycle = try await engine.runPollCycle()
        guard cycle.failures == 0 else { throw BenchmarkFailure("\(cycle.failures) clocks could not be moved") }
        return cycle
    }

    private func replaceEnded() async throws {
        let missing = nextNumber..<nextNumber + plan.parties - (await follower.liveAdventures)
        nextNumber = missing.upperBound
        (plan.start, plan.maxTicksPlayed) = (clock.now, 0)
        for (shard, numbers) in Dictionary(grouping: missing, by: { $0 % plan.shards }) {
            let parties = numbers.map { plan.party($0, of: openings[$0 % openings.count]) }
            try await FixtureLoader(pool: pool).load(parties, in: Shard(rawValue: UInt8(shard)), at: clock.now)
        }
        await follower.add(adventures(missing))
    }

    /// Returns the size of the database.
    func databaseBytes() async throws -> Int {
        try await TableStatistics.read(from: pool).reduce(0) { $0 + $1.bytes }
    }

    /// Compares some of the ended adventures with what the follower derived.
    func check() async throws { try await follower.check() }
}

/// A clock that stands still between advances.
private final class GameClock: Sendable {
    private let microseconds: Atomic<Int64>

    init(_ moment: Timestamp) { microseconds = Atomic(moment.microseconds) }

    var now: Timestamp { Timestamp(microseconds: microseconds.load(ordering: .acquiring)) }

    func advance(by duration: Duration) {
        microseconds.add(duration.wholeMicroseconds, ordering: .acquiringAndReleasing)
    }
}

/// Plays every timeline up to the clock of its shard, like a dispatcher whose phones show all adventures.
actor TickFollower {
    /// The maximum number of log entries per read and shard.
    private static let pageSize = 10_000
    /// The number of ended adventures that are compared with the store.
    private static let maxChecked = 100

    private let store: GameStore
    private var heads: [Shard: ShardHead] = [:]
    private var adventures: [Shard: [AdventureID: StoredAdventure]] = [:]
    private var ended: [StoredAdventure] = []

    init(of store: GameStore) { self.store = store }

    var liveAdventures: Int { adventures.values.reduce(0) { $0 + $1.count } }

    /// Follows more adventures.
    func add(_ new: [StoredAdventure]) {
        for stored in new { adventures[stored.id.shard, default: [:]][stored.id] = stored }
    }

    /// Reads the heads and the new entries of the logs, and plays all adventures up to the clocks.
    func follow() async throws -> TickWork {
        let moved = try await store.heads(of: adventures.keys.sorted()).filter { $0 != heads[$0.shard] }
        // Most clocks move without an entry.
        let known = moved.compactMap { head in heads[head.shard].flatMap { $0.head == head.head ? nil : $0 } }
        let pages = known.isEmpty ? [] : try await store.logs(after: known, limit: Self.pageSize)
        let entries = Dictionary(zip(known.map(\.shard), pages)) { first, _ in first }
        var work = TickWork()
        for head in moved { try follow(head, entries[head.shard] ?? [], &work) }
        return work
    }

    private func follow(_ head: ShardHead, _ page: [LogEntry], _ work: inout TickWork) throws {
        // The log may have grown since the head was read.
        let entries = page.prefix { $0.position <= head.head }
        if let known = heads[head.shard], entries.last?.digest ?? known.digest != head.digest {
            throw BenchmarkFailure("the log of shard \(head.shard.rawValue) was not read completely, or has forked")
        }
        heads[head.shard] = head
        guard var followed = adventures.removeValue(forKey: head.shard) else { return }
        for index in followed.values.indices {
            followed.values[index].play(to: head.clock) { events, _, _ in
                work.ticks += 1
                work.events += events.count
            }
        }
        for entry in entries {
            guard case .ended = entry.content, let id = entry.adventureID,
                let stored = followed.removeValue(forKey: id), stored.endedAt != nil
            else { throw BenchmarkFailure("log entry \(entry.position) contradicts what was derived") }
            if ended.count < Self.maxChecked { ended.append(stored) }
        }
        adventures[head.shard] = followed
    }

    /// Compares some of the ended adventures with the store, which compares them with what the engine recorded.
    func check() async throws {
        for stored in ended {
            guard try await store.replay(stored.id)?.stored.digest == stored.digest else {
                throw BenchmarkFailure("adventure \(stored.id) has other events than its follower derived")
            }
        }
    }
}

/// The work of a round.
struct TickWork: Hashable, Sendable {
    /// The ticks whose events the follower derived.
    var ticks = 0
    var events = 0
    /// The clocks that the engine moved.
    var moves = 0
    /// The adventures whose end the engine recorded.
    var ends = 0

    static func += (left: inout Self, right: Self) {
        left.ticks += right.ticks
        left.events += right.events
        left.moves += right.moves
        left.ends += right.ends
    }
}

/// The work of some rounds and its cost.
struct TickCost: Hashable, Sendable {
    var work = TickWork()
    var seconds = 0.0
    var walBytes = 0.0
    /// The CPU time of this process, with engine and follower.
    var processSeconds = 0.0
    /// The CPU time of PostgreSQL.
    var postgresSeconds = 0.0

    /// Measures some work.
    static func measured(on server: BenchmarkPostgres, _ work: () async throws -> TickWork) async throws -> Self {
        let before = try await server.usage()
        let cpu = ProcessUsage.ownCPUSeconds
        let start = ContinuousClock.now
        let done = try await work()
        let elapsed = ContinuousClock.now - start
        let processSeconds = ProcessUsage.ownCPUSeconds - cpu
        let after = try await server.usage()
        return Self(
            work: done,
            seconds: elapsed / .seconds(1),
            walBytes: Double(after.walBytes - before.walBytes),
            processSeconds: processSeconds,
            postgresSeconds: after.cpuSeconds - before.cpuSeconds
        )
    }

    static func += (left: inout Self, right: Self) {
        left.work += right.work
        left.seconds += right.seconds
        left.walBytes += right.walBytes
        left.processSeconds += right.processSeconds
        left.postgresSeconds += right.postgresSeconds
    }

    var ticksPerSecond: Double { Double(work.ticks) / seconds }
    var walBytesPerTick: Double { walBytes / Double(max(work.ticks, 1)) }
    var postgresMicrosecondsPerTick: Double { postgresSeconds * 1_000_000 / Double(max(work.ticks, 1)) }
    var processMicrosecondsPerTick: Double { processSeconds * 1_000_000 / Double(max(work.ticks, 1)) }

    /// The columns that every measurement of ticks has.
    var fields: [Report.Field] {
        [
            .number("ticksPerSecond", "TICKS/S", ticksPerSecond),
            .number("endsPerSecond", "ENDS/S", Double(work.ends) / seconds),
            .number("clockMovesPerSecond", "MOVES/S", Double(work.moves) / seconds),
            .number("walBytesPerTick", "WAL BYTES", walBytesPerTick, digits: 1),
            .number("postgresMicrosecondsPerTick", "POSTGRES µS", postgresMicrosecondsPerTick, digits: 2),
            .number("processMicrosecondsPerTick", "PROCESS µS", processMicrosecondsPerTick, digits: 2),
            .number("processCores", "CORES", processSeconds / seconds, digits: 2),
        ]
    }
}
