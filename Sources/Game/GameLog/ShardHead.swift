public import Encodings
public import GameCore

/// The row of a shard: lock, fence, head of the log and clock.
public struct ShardHead: Sendable, Hashable {
    /// The shard.
    public let shard: Shard
    /// The position of the newest log entry; zero without entries.
    public package(set) var head: Int64
    /// The running digest of all log entries.
    public package(set) var digest: LogDigest
    /// The moment up to which everything in the shard is decided.
    public package(set) var clock: Timestamp
    /// How long after the clock an engine moves it next; nil while nothing lives in the shard.
    private let dueAfter: Duration?
    /// How long the shard's games have stood still in outages, in total.
    package var stoppedFor: Duration
    package var journeys: Int
    package var bossFights: Int
    package var raids: Int
    /// When an engine writes the next rows of rounds of raids; nil without raids.
    package var raidDueAt: Timestamp?
    /// The version that a node must know to work on the shard.
    package var requires: Int
    /// The newest version that this node knows of rules, openings and log entries.
    package let knownVersion: RulesVersion

    /// Creates a row.
    package init(
        shard: Shard,
        head: Int64,
        digest: LogDigest,
        clock: Timestamp,
        dueAfter: Duration? = nil,
        stoppedFor: Duration,
        journeys: Int,
        bossFights: Int,
        raids: Int = 0,
        raidDueAt: Timestamp? = nil,
        requires: Int,
        knownVersion: RulesVersion = .newest
    ) {
        self.shard = shard
        self.head = head
        self.digest = digest
        self.clock = clock
        self.dueAfter = dueAfter
        self.stoppedFor = stoppedFor
        self.journeys = journeys
        self.bossFights = bossFights
        self.raids = raids
        self.raidDueAt = raidDueAt
        self.requires = requires
        self.knownVersion = knownVersion
    }

    /// Whether this version of the program knows everything that the shard's log and adventures need.
    public var isSupported: Bool { requires <= knownVersion.rawValue }

    /// Returns the row as it was after an entry of the log, for readers that follow the log.
    public func read(through entry: LogEntry) -> Self {
        var head = self
        (head.head, head.digest) = (entry.position, entry.digest)
        return head
    }

    /// When an engine moves the clock next; nil while nothing lives in the shard.
    package var dueAt: Timestamp? { dueAfter.map { clock + $0 } }

    /// The number of live adventures.
    package var liveAdventures: Int { journeys + bossFights + raids }
}
