import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient
import ServiceRuntime

/// Looks in the database who does the work.
struct TakeoverWatch: Sendable {
    private static let holdings = Statement(
        "chaos.holdings",
        "SELECT shard, holder, expires_at FROM leases ORDER BY shard"
    )
    private static let activities = Statement(
        "chaos.activities",
        "SELECT activity_id FROM activities WHERE shard = $1"
    )
    /// As fine as the times are told.
    private static let pause = Duration.milliseconds(50)
    /// The longest that PostgreSQL is away, and a lease, and as long again.
    static let longest = Duration.seconds(90)

    private let pool: PostgresPool
    private let store: GameStore
    private let interval: Duration

    /// - Parameters:
    ///   - pool: on the run's database, past all nodes.
    ///   - interval: between two ticks of a journey.
    init(_ pool: PostgresPool, interval: Duration) {
        self.pool = pool
        store = GameStore(pool: pool)
        self.interval = interval
    }

    /// Waits until others do what a node did that was struck just now.
    func times() async -> Takeover.Times {
        let begin = ContinuousClock.now
        async let engine = engineWait(since: begin)
        var takeover: Takeover?
        var shards = 0
        let dispatcher = await elapsed(since: begin) {
            let holdings = try await read()
            guard var begun = takeover else {
                takeover = Takeover(from: holdings)
                return false
            }
            defer { takeover = begun }
            shards = begun.changed(holdings)
            return begun.isOver(holdings)
        }
        let wait = await engine
        return Takeover.Times(
            dispatcherSeconds: dispatcher,
            shards: shards,
            engineDueSeconds: wait?.lowerBound,
            engineSeconds: wait.map { $0.upperBound - $0.lowerBound }
        )
    }

    /// From when until when, in seconds, something was due; nil when that was not seen within the time.
    private func engineWait(since begin: ContinuousClock.Instant) async -> ClosedRange<Double>? {
        var takeover = EngineTakeover()
        var wait: ClosedRange<Double>?
        _ = await elapsed(since: begin) {
            let (now, began) = (Runtime.system.now(), (.now - begin) / .seconds(1))
            let shards = try await store.shardsDue(at: takeover.moment(at: now), every: interval)
            wait = takeover.looked(
                !shards.isEmpty,
                at: now,
                beganSeconds: began,
                endedSeconds: (.now - begin) / .seconds(1)
            )
            return wait != nil
        }
        return wait
    }

    /// Who sends for which shard now.
    func read() async throws -> [Takeover.Holding] {
        try await pool.query(PostgresQuery(Self.holdings)).map { row in
            let (shard, holder, expiresAt) = try row.decode(Int16.self, UUID?.self, PostgresTimestamp.self)
            return Takeover.Holding(
                shard: Int(shard),
                holder: holder,
                expiresAt: Timestamp(microseconds: expiresAt.microseconds)
            )
        }
    }

    /// The cards of a shard.
    func activities(of shard: Int) async throws -> Set<ActivityID> {
        Set(
            try await pool.query(PostgresQuery(Self.activities, Int16(shard))).map {
                ActivityID(rawValue: try $0.decode(UUID.self))
            }
        )
    }

    /// How many seconds pass until something is so; nil when it is not within the time.
    private func elapsed(since begin: ContinuousClock.Instant, _ isSo: () async throws -> Bool) async -> Double? {
        // Only a cancelled task throws here, and has measured nothing.
        let isReached = try? await Wait.until(atMost: Self.longest, lookingEvery: Self.pause) {
            // A database that is away says nothing of it.
            (try? await isSo()) ?? false
        }
        return isReached == true ? (.now - begin) / .seconds(1) : nil
    }
}

extension GameStore {
    /// A journey's interval has so many.
    private static let slotsOfInterval: Int64 = 100

    /// The shards in which something is due.
    /// - Parameters:
    ///   - moment: what is due later does not count.
    ///   - interval: between two ticks of a journey.
    /// - Returns: them in order.
    /// - Throws: what keeps the database from saying so.
    func shardsDue(at moment: Timestamp, every interval: Duration) async throws -> [Shard] {
        try await shardsDue(at: moment, slotMicroseconds: Int64(interval / .microseconds(1)) / Self.slotsOfInterval)
    }
}
