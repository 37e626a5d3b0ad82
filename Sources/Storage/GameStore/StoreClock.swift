public import Encodings
public import GameCore

/// The clock that decides the moments of everything in a shard.
public struct StoreClock: Sendable {
    /// Returns the time instead of the database; nil for the database's own clock.
    let now: (@Sendable () -> Timestamp)?
    /// How far a shard's clock may be behind before the gap counts as an outage; nil if no gap does.
    let outageLimit: Duration?

    /// The database's clock, which comes back with the lock of a shard's row.
    ///
    /// The clocks of nodes decide nothing.
    ///
    /// The engine moves the clock of each shard with live adventures when something is due, and at least once a second.
    /// A gap of more than two seconds is an outage of engine or database, during which the shard's games stood still.
    public static let database = Self(now: nil, outageLimit: .seconds(2))

    /// Whether a gap between a shard's clock and the present counts as an outage: its games stood still.
    func isOutage(_ gap: Duration, of row: ShardHead) -> Bool {
        outageLimit.map { row.liveAdventures > 0 && gap > $0 } ?? false
    }

    /// A clock that a caller advances, for tests and simulations of the game.
    public static func manual(outageLimit: Duration? = nil, now: @escaping @Sendable () -> Timestamp) -> Self {
        Self(now: now, outageLimit: outageLimit)
    }
}

/// The row of a shard: lock, fence, head of the log and clock.
public struct ShardHead: Sendable, Hashable {
    /// The shard.
    public let shard: Shard
    /// The position of the newest log entry; zero without entries.
    public internal(set) var head: Int64
    /// The running digest of all log entries.
    public internal(set) var digest: LogDigest
    /// The moment up to which everything in the shard is decided.
    public internal(set) var clock: Timestamp
    /// How long after the clock an engine moves it next; nil while nothing lives in the shard.
    var dueAfter: Duration?
    /// How long the shard's games have stood still in outages, in total.
    var stoppedFor: Duration
    var journeys: Int
    var bossFights: Int
    /// The version that a node must know to work on the shard.
    var requires: Int
    /// The newest version that this node knows of rules, openings and log entries.
    var knownVersion = RulesVersion.current

    /// Whether this version of the program knows everything that the shard's log and adventures need.
    public var isSupported: Bool { requires <= knownVersion.rawValue }

    /// Returns the row as it was after an entry of the log, for readers that follow the log.
    public func read(through entry: LogEntry) -> Self {
        var head = self
        (head.head, head.digest) = (entry.position, entry.digest)
        return head
    }

    /// When an engine moves the clock next; nil while nothing lives in the shard.
    var dueAt: Timestamp? { dueAfter.map { clock + $0 } }

    /// The number of live adventures.
    var liveAdventures: Int { journeys + bossFights }
}
