import Encodings
import Foundation
import GameCore
import GameStore
import PostgresClient
import ServiceRuntime

/// The takeover of leases from a node that was killed or stopped.
///
/// It is derived from the leases alone, since they do not name nodes: a holder that renews or acquires a lease after
/// the fault is alive, and the leases of all others have to be taken over.
struct Takeover: Sendable {
    /// The times of a takeover since the fault.
    struct Times: Encodable, Hashable, Sendable {
        /// The time until every shard has a dispatcher that is alive; nil when that took too long.
        let dispatcherSeconds: Double?
        /// The number of leases whose holder changed.
        let shards: Int
        /// The time at which the awaited ticks became due: zero if they were already due at the fault; nil when none
        /// became due.
        let engineDueSeconds: Double?
        /// The time from then until these ticks were played; nil when none became due or that took too long.
        let engineSeconds: Double?

        /// The span in which dispatchers were awaited.
        var dispatcherWait: ClosedRange<Double>? { dispatcherSeconds.map { 0...$0 } }

        /// The span in which engines were awaited.
        var engineWait: ClosedRange<Double>? {
            guard let engineDueSeconds, let engineSeconds else { return nil }
            return engineDueSeconds...engineDueSeconds + engineSeconds
        }

        /// The shards without a dispatcher and the ticks without an engine long after the fault, as sentences.
        var problems: [String] {
            let areTicksOverdue = engineDueSeconds != nil && engineSeconds == nil
            return [
                dispatcherSeconds == nil ? "some shards have no dispatcher \(TakeoverWatch.timeout.text) later" : nil,
                areTicksOverdue ? "due ticks are not played \(TakeoverWatch.timeout.text) later" : nil,
            ].compactMap(\.self)
        }
    }

    struct Lease: Hashable, Sendable {
        let shard: Int
        /// The dispatcher that holds the lease; nil for a released lease.
        let holder: UUID?
        let expiresAt: Timestamp
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
            guard let holder = lease.holder else { continue }
            let was = before[lease.shard]
            if was?.holder != holder || was.map({ $0.expiresAt < lease.expiresAt }) ?? true { living.insert(holder) }
        }
        return !leases.isEmpty && leases.allSatisfy { $0.holder.map(living.contains) ?? false }
    }

    /// Returns the number of leases whose holder is not the one right after the fault.
    func changedLeases(_ leases: [Lease]) -> Int { leases.count { before[$0.shard]?.holder != $0.holder } }
}

/// The takeover of due ticks from a node that was killed or stopped.
///
/// The awaited ticks are those that were due at the fault. If there are none, because other engines have just played
/// them, the first ticks that a later poll finds are awaited; they count as due since the last poll that found none.
struct EngineTakeover: Sendable {
    /// The awaited ticks: all that were due at `moment`.
    private var awaited: (moment: Timestamp, dueSeconds: Double)?
    private var lastIdleSeconds = 0.0
    /// The time from the moment at which the ticks were due until they had been played, in seconds; nil until then.
    private(set) var seconds: Double?

    /// The time at which the ticks were due, in seconds since the fault; nil when no ticks were due so far.
    var dueSeconds: Double? { awaited?.dueSeconds }

    /// Returns the moment for which the next poll checks whether ticks are due.
    func moment(at now: Timestamp) -> Timestamp { awaited?.moment ?? now }

    /// Records a poll.
    /// - Parameters:
    ///   - isDue: whether ticks were due at `moment(at: now)`.
    ///   - now: the beginning of the poll.
    ///   - beganSeconds: the same, in seconds since the fault.
    ///   - endedSeconds: the end of the poll, in seconds since the fault.
    mutating func polled(_ isDue: Bool, at now: Timestamp, beganSeconds: Double, endedSeconds: Double) {
        switch (awaited, isDue) {
        case (nil, true): awaited = (now, lastIdleSeconds)
        case (nil, false): lastIdleSeconds = beganSeconds
        case (.some, true): break
        case (.some(let awaited), false): seconds = max(0, endedSeconds - awaited.dueSeconds)
        }
    }
}

/// Measures takeovers by polling the database.
struct TakeoverWatch: Sendable {
    private static let leases = Statement(
        "chaos.holdings",
        "SELECT shard, holder, expires_at FROM leases ORDER BY shard"
    )
    private static let activities = Statement("chaos.activities", "SELECT activity_id FROM activities WHERE shard = $1")
    private static let pause = Duration.milliseconds(50)
    /// The maximum wait: twice the sum of the longest outage of PostgreSQL and a lease.
    static let timeout = Duration.seconds(90)

    private let pool: PostgresPool
    private let store: GameStore
    private let interval: Duration

    /// Creates a watch.
    /// - Parameters:
    ///   - pool: a pool that bypasses the nodes.
    ///   - interval: the time between two ticks of a journey.
    init(_ pool: PostgresPool, interval: Duration) {
        self.pool = pool
        store = GameStore(pool: pool)
        self.interval = interval
    }

    /// Measures the takeover from a node that has just been killed or stopped.
    func times() async -> Takeover.Times {
        let start = ContinuousClock.now
        async let engine = engineTakeover(since: start)
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
            return current.isComplete(leases)
        }
        let engines = await engine
        return Takeover.Times(
            dispatcherSeconds: dispatcher,
            shards: shards,
            engineDueSeconds: engines.dueSeconds,
            engineSeconds: engines.seconds
        )
    }

    /// Waits until the awaited ticks have been played.
    private func engineTakeover(since start: ContinuousClock.Instant) async -> EngineTakeover {
        var takeover = EngineTakeover()
        _ = await elapsed(since: start) {
            let (now, began) = (Runtime.system.now(), (.now - start) / .seconds(1))
            let shards = try await store.shardsDue(at: takeover.moment(at: now), every: interval)
            takeover.polled(
                !shards.isEmpty,
                at: now,
                beganSeconds: began,
                endedSeconds: (.now - start) / .seconds(1)
            )
            return takeover.seconds != nil
        }
        return takeover
    }

    /// Returns the current leases.
    func leases() async throws -> [Takeover.Lease] {
        try await pool.query(PostgresQuery(Self.leases)).map { row in
            let (shard, holder, expiresAt) = try row.decode(Int16.self, UUID?.self, PostgresTimestamp.self)
            return Takeover.Lease(
                shard: Int(shard),
                holder: holder,
                expiresAt: Timestamp(microseconds: expiresAt.microseconds)
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

extension GameStore {
    /// The number of slots of a journey's interval.
    private static let slotsPerInterval: Int64 = 100

    /// Returns the shards with ticks that are due at `moment`, in order; `interval` is the time between two ticks of a
    /// journey.
    func shardsDue(at moment: Timestamp, every interval: Duration) async throws -> [Shard] {
        try await shardsDue(at: moment, slotMicroseconds: Int64(interval / .microseconds(1)) / Self.slotsPerInterval)
    }
}
