import Encodings
import GameCore
import GameLog
import GameStore
import HeapModule

/// The adventures of a shard that this node streams, played up to the shard's clock.
///
/// It is a value without I/O.
struct StreamedShard {
    /// The moment of an adventure's next tick; outdated if the adventure has another one by now.
    private struct DueTick: Comparable {
        let at: Timestamp
        let id: AdventureID

        static func < (left: Self, right: Self) -> Bool { left.at < right.at }
        static func == (left: Self, right: Self) -> Bool { left.at == right.at }
    }

    /// What changed: the new events of each adventure, and the adventures that cannot be played any further.
    struct Changes {
        var events: [AdventureID: [StoredEvent]] = [:]
        var unplayable: [AdventureID: StoreError] = [:]
    }

    /// Why a shard cannot be read any further.
    enum Unreadable: Error {
        /// The database has lost entries or a clock that were read, as after a failover.
        case forked
        /// This version does not know all that the shard needs.
        case newer
    }

    /// The log and the clock up to which the adventures are played; an adventure that was loaded later may be ahead.
    private(set) var read: ShardHead
    /// The newest position and moment up to which the log was read or an adventure was loaded: the next row of the shard
    /// is not before them.
    private var known: (head: Int64, clock: Timestamp)
    /// The digests of the log at positions after ``read``, up to which adventures were loaded.
    private var expectedDigests: [Int64: LogDigest] = [:]
    private var adventures: [AdventureID: StoredAdventure] = [:]
    /// The next tick of each adventure, and outdated ones.
    private var ticks = Heap<DueTick>()

    /// Creates a shard without adventures.
    /// - Parameter read: the shard's row, read before the adventures.
    init(from read: ShardHead) {
        self.read = read
        known = (read.head, read.clock)
    }

    /// Whether no adventure is played.
    var isEmpty: Bool { adventures.isEmpty }

    /// Whether an adventure is played.
    func contains(_ id: AdventureID) -> Bool { adventures[id] != nil }

    /// Notes that streams show an adventure as it was loaded, perhaps ahead of what was read.
    mutating func noteLoaded(_ stored: StoredAdventure) {
        known = (max(known.head, stored.readPosition), max(known.clock, stored.playedUntil))
        if stored.readPosition > read.head { expectedDigests[stored.readPosition] = stored.readDigest }
    }

    /// Adds an adventure.
    mutating func add(_ stored: StoredAdventure) {
        adventures[stored.id] = stored
        schedule(stored.id)
    }

    /// Removes an adventure.
    mutating func remove(_ id: AdventureID) { adventures[id] = nil }

    /// Applies entries of the log, and plays up to the clock if they are all.
    /// - Parameters:
    ///   - entries: the entries after ``read``, which may include some after `head`; empty if it has the same position.
    ///   - head: the shard's row.
    /// - Returns: the changes.
    /// - Throws: ``Unreadable``.
    mutating func play(_ entries: [LogEntry], upTo head: ShardHead) throws(Unreadable) -> Changes {
        guard head.isSupported else { throw .newer }
        guard head.head >= known.head, head.clock >= known.clock, head.head == read.head || !entries.isEmpty else {
            throw .forked
        }
        var changes = Changes()
        for entry in entries where entry.position <= head.head {
            guard entry.isKnown else { throw .newer }
            // A new decision for a moment that was shown: the database has lost the clock that had passed it.
            guard entry.digest == expectedDigests.removeValue(forKey: entry.position) ?? entry.digest,
                entry.position <= known.head || entry.at >= known.clock
            else { throw .forked }
            read = read.read(through: entry)
            for id in entry.adventureID.map({ [$0] }) ?? Array(adventures.keys) { apply(entry, to: id, &changes) }
        }
        // Otherwise another page follows.
        guard read.head == head.head else { return changes }
        guard read.digest == head.digest else { throw .forked }
        play(to: head, &changes)
        return changes
    }

    private mutating func apply(_ entry: LogEntry, to id: AdventureID, _ changes: inout Changes) {
        guard adventures[id] != nil else { return }
        do throws(StoreError) {
            try adventures[id]?.apply(entry, appendingTo: &changes.events[id, default: []])
            schedule(id)
        } catch {
            adventures[id] = nil
            changes.events[id] = nil
            changes.unplayable[id] = error
        }
    }

    /// Plays the adventures with due ticks; the others are not visited.
    private mutating func play(to head: ShardHead, _ changes: inout Changes) {
        while let next = ticks.min, next.at <= head.clock {
            ticks.removeMin()
            guard adventures[next.id]?.nextTickAt == next.at else { continue }
            adventures[next.id]?.play(to: head.clock, appendingTo: &changes.events[next.id, default: []])
            schedule(next.id)
        }
        read = head
        known = (head.head, head.clock)
    }

    private mutating func schedule(_ id: AdventureID) {
        if let next = adventures[id]?.nextTickAt { ticks.insert(DueTick(at: next, id: id)) }
    }
}
