import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient
import ServiceRuntime

/// The takeover of leases from a node that was killed or stopped.
///
/// It is derived from the rows of dispatchers and leases alone, since they do not name nodes: a dispatcher that renews or
/// registers itself after the fault is alive, and the leases of all others have to be taken over.
struct Takeover: Sendable {
    /// The times of a takeover since the fault.
    struct Times: Encodable, Hashable, Sendable {
        /// The time until every shard has a dispatcher that is alive and follows it; nil when that took too long.
        let dispatcherSeconds: Double?
        /// The number of leases whose holder changed.
        let shards: Int
        /// The time until the clocks of all shards with live adventures had passed the fault; nil when that took too long,
        /// or when nothing was live.
        let engineSeconds: Double?
        /// Whether clocks stood still for too long.
        let areClocksLate: Bool

        /// The shards without a dispatcher and without an engine long after the fault, as sentences.
        var problems: [String] {
            [
                dispatcherSeconds == nil ? "some shards have no dispatcher \(TakeoverWatch.timeout.text) later" : nil,
                areClocksLate ? "clocks stand still \(TakeoverWatch.timeout.text) later" : nil,
            ].compactMap(\.self)
        }
    }

    struct Lease: Hashable, Sendable {
        let shard: Int
        /// The dispatcher that holds the lease; nil for a released lease.
        let holder: UUID?
        /// The expiry of the holder; nil if it is not registered.
        let expiresAt: Timestamp?
    }

    private let before: [Int: Lease]
    private var living: Set<UUID> = []

    /// Creates a takeover.
    /// - Parameter leases: the leases right after the fault.
    init(from leases: [Lease]) { before = Dictionary(leases.map { ($0.shard, $0) }) { $1 } }

    /// Compares the current leases with those right after the fault.
    /// - Returns: whether each lease has a holder that is alive.
    mutating func isComplete(_ leases: [Lease]) -> Bool {
        for lease in leases {
            guard let holder = lease.holder, let expiresAt = lease.expiresAt else { continue }
            let was = before.values.first { $0.holder == holder }?.expiresAt
            if was.map({ $0 < expiresAt }) ?? true { living.insert(holder) }
        }
        return !leases.isEmpty && leases.allSatisfy { $0.holder.map(living.contains) ?? false }
    }

    /// Returns the number of leases whose holder is not the one right after the fault.
    func changedLeases(_ leases: [Lease]) -> Int { leases.count { before[$0.shard]?.holder != $0.holder } }
}

/// Measures takeovers by polling the database.
struct TakeoverWatch: Sendable {
    private static let leases = Statement(
        "chaos.holdings",
        "SELECT shard, holder, expires_at FROM leases LEFT JOIN dispatchers USING (holder) ORDER BY shard"
    )
    private static let activities = Statement("chaos.activities", "SELECT activity_id FROM activities WHERE shard = $1")
    private static let pause = Duration.milliseconds(50)
    /// The maximum wait: twice the sum of the longest outage of PostgreSQL and a lease.
    static let timeout = Duration.seconds(90)

    private let pool: PostgresPool
    private let store: GameStore
    private let nodes: [ChaosNode]

    /// Creates a watch over a pool that bypasses the nodes.
    init(_ pool: PostgresPool, nodes: [ChaosNode]) {
        self.pool = pool
        self.nodes = nodes
        store = GameStore(pool: pool)
    }

    /// Measures the takeover from a node that has just been killed or stopped.
    func times() async -> Takeover.Times {
        let start = ContinuousClock.now
        async let engine = engineSeconds(since: start)
        var takeover: Takeover?
        var shards = 0
        let dispatcher = await elapsed(since: start) {
            let leases = try await leases()
            guard var current = takeover else {
                takeover = Takeover(from: leases)
                return false
            }
            defer { takeover = current }
            shards = current.changedLeases(leases)
            // A dispatcher that has a lease first reads the shard.
            return current.isComplete(leases) ? await followedShards() >= Shard.all.count : false
        }
        let (seconds, isLate) = await engine
        return Takeover.Times(
            dispatcherSeconds: dispatcher,
            shards: shards,
            engineSeconds: seconds,
            areClocksLate: isLate
        )
    }

    /// Returns the number of shards that the dispatchers of all nodes without a fault follow.
    private func followedShards() async -> Int {
        var sum = 0
        for node in nodes { sum += await node.followedShards() ?? 0 }
        return sum
    }

    /// Waits until every clock with live adventures has passed the present.
    private func engineSeconds(since start: ContinuousClock.Instant) async -> (seconds: Double?, isLate: Bool) {
        // The database runs on this machine, so its clock is that of this process.
        let fault = Runtime.system.now()
        var isIdle = false
        let seconds = await elapsed(since: start) {
            let oldest = try await store.backlogStatistics().oldestClock
            isIdle = oldest == nil
            return oldest.map { $0 >= fault } ?? true
        }
        return (isIdle ? nil : seconds, seconds == nil)
    }
    /// Returns the current leases.
    func leases() async throws -> [Takeover.Lease] {
        try await pool.query(PostgresQuery(Self.leases)).map { row in
            let (shard, holder, expiresAt) = try row.decode(Int16.self, UUID?.self, PostgresTimestamp?.self)
            return Takeover.Lease(
                shard: Int(shard),
                holder: holder,
                expiresAt: expiresAt.map { Timestamp(microseconds: $0.microseconds) }
            )
        }
    }

    /// Returns the activities of a shard.
    func activities(of shard: Int) async throws -> Set<ActivityID> {
        Set(
            try await pool.query(PostgresQuery(Self.activities, Int16(shard))).map {
                ActivityID(rawValue: try $0.decode(UUID.self))
            }
        )
    }

    /// Returns the seconds until a condition holds; nil when it does not hold in time.
    private func elapsed(since start: ContinuousClock.Instant, _ condition: () async throws -> Bool) async -> Double? {
        // Throws only in a cancelled task, which measures nothing.
        let holds = try? await Polling.until(within: Self.timeout, every: Self.pause) {
            // Unknown while the database is down.
            (try? await condition()) ?? false
        }
        return holds == true ? (.now - start) / .seconds(1) : nil
    }
}
