import GameCore
import GameStore
import HeapModule

/// The subscriptions of this node's event streams, with the log position up to which each adventure was read.
///
/// It is a value without I/O.
///
/// Each adventure has a read position: its subscribers have received all of its events up to that position, or the
/// events were stored before they subscribed. The first subscriber of an adventure sets the read position to the last
/// known head of the shard's log, which may be behind the actual head but never ahead of it, and then reads the stored
/// events. So it misses none in between, and recognizes duplicates by their sequence.
struct FeedSubscriptions {
    private struct SubscribedShard {
        /// The last known position of the shard's log.
        var head: Int64
        var adventures: [AdventureID: SubscribedAdventure] = [:]
    }

    private struct SubscribedAdventure {
        var readPosition: Int64
        var subscribers: [ObjectIdentifier: Entry] = [:]
    }

    private struct Entry {
        let subscriber: StreamSubscriber
        var lastSentAt: ContinuousClock.Instant
    }

    /// A subscriber with the time of its last frame, as of the last check for heartbeats.
    private struct Silence: Comparable {
        let since: ContinuousClock.Instant
        /// A strong reference, so that no other subscriber can get the same object identifier before the next check.
        let subscriber: StreamSubscriber

        static func < (left: Self, right: Self) -> Bool { left.since < right.since }
        static func == (left: Self, right: Self) -> Bool { left.since == right.since }
    }

    private var shardsByID: [Shard: SubscribedShard] = [:]
    /// The subscribers whose token and membership must be checked again.
    private var unchecked: [ObjectIdentifier: StreamSubscriber] = [:]
    /// One entry for each subscriber, and some for removed ones.
    ///
    /// A check for heartbeats visits only the overdue entries.
    private var silences = Heap<Silence>()

    /// The number of subscribers.
    private(set) var count = 0

    /// The shards with subscribers, sorted.
    var shards: [Shard] { shardsByID.keys.sorted() }

    /// All subscribers, in no order.
    var subscribers: [StreamSubscriber] {
        shardsByID.values.flatMap { $0.adventures.values.flatMap { $0.subscribers.values.map(\.subscriber) } }
    }

    /// Adds a subscriber if its shard has subscribers already.
    /// - Returns: whether it was added; if not, call ``add(_:openingAt:at:)`` with the head of the shard's log.
    mutating func add(_ subscriber: StreamSubscriber, at now: ContinuousClock.Instant) -> Bool {
        guard let head = shardsByID[subscriber.adventureID.shard]?.head else { return false }
        add(subscriber, openingAt: head, at: now)
        return true
    }

    /// Adds a subscriber.
    /// - Parameters:
    ///   - subscriber: the subscriber.
    ///   - head: a position that the shard's log has reached. It is ignored if the shard has subscribers already.
    ///   - now: the time.
    mutating func add(_ subscriber: StreamSubscriber, openingAt head: Int64, at now: ContinuousClock.Instant) {
        let shard = subscriber.adventureID.shard
        let known = shardsByID[shard]?.head ?? head
        shardsByID[shard, default: SubscribedShard(head: known)]
            .adventures[subscriber.adventureID, default: SubscribedAdventure(readPosition: known)]
            .subscribers[ObjectIdentifier(subscriber)] = Entry(subscriber: subscriber, lastSentAt: now)
        unchecked[ObjectIdentifier(subscriber)] = subscriber
        silences.insert(Silence(since: now, subscriber: subscriber))
        count += 1
    }

    /// Removes a subscriber, and adventures and shards without subscribers.
    mutating func remove(_ subscriber: StreamSubscriber) {
        let (shard, adventureID) = (subscriber.adventureID.shard, subscriber.adventureID)
        let id = ObjectIdentifier(subscriber)
        guard shardsByID[shard]?.adventures[adventureID]?.subscribers.removeValue(forKey: id) != nil else { return }
        count -= 1
        unchecked[id] = nil
        guard shardsByID[shard]?.adventures[adventureID]?.subscribers.isEmpty == true else { return }
        shardsByID[shard]?.adventures[adventureID] = nil
        if shardsByID[shard]?.adventures.isEmpty == true { shardsByID[shard] = nil }
    }

    /// Returns the parts of the logs to read, given new heads.
    mutating func logs(upTo heads: [(shard: Shard, head: Int64)]) -> [FollowedLog] {
        heads.compactMap { shard, head in
            shardsByID[shard]?.head = head
            let behind = shardsByID[shard]?.adventures.filter { $0.value.readPosition < head } ?? [:]
            guard let position = behind.values.map(\.readPosition).min() else { return nil }
            return FollowedLog(shard: shard, after: position, through: head, of: behind.keys.sorted())
        }
    }

    /// Records that a part of a log was read.
    /// - Parameters:
    ///   - log: the part that was to be read.
    ///   - entries: the entries found, each with its frame for subscribers.
    ///   - position: the position up to which the entries are complete: the log's head, unless the page was full.
    ///   - now: the time.
    /// - Returns: the frames to send, in order.
    mutating func read(
        _ log: FollowedLog,
        _ entries: [(entry: LogEntry, frame: StreamFrame)],
        through position: Int64,
        at now: ContinuousClock.Instant
    ) -> [(subscriber: StreamSubscriber, frame: StreamFrame)] {
        var deliveries: [(StreamSubscriber, StreamFrame)] = []
        for (entry, frame) in entries {
            // All subscribers may have unsubscribed. A later read position belongs to a new subscriber, which reads the
            // stored events.
            guard
                var adventure = shardsByID[log.shard]?.adventures[entry.adventureID],
                adventure.readPosition < entry.position
            else { continue }
            for (id, subscription) in adventure.subscribers {
                deliveries.append((subscription.subscriber, frame))
                adventure.subscribers[id]?.lastSentAt = now
                if entry.endsMembership { unchecked[id] = subscription.subscriber }
            }
            shardsByID[log.shard]?.adventures[entry.adventureID] = adventure
        }
        for id in log.adventureIDs {
            guard let readPosition = shardsByID[log.shard]?.adventures[id]?.readPosition, readPosition < position else {
                continue
            }
            shardsByID[log.shard]?.adventures[id]?.readPosition = position
        }
        return deliveries
    }

    /// Marks all subscribers for a check of token and membership.
    mutating func markAllUnchecked() {
        for subscriber in subscribers { unchecked[ObjectIdentifier(subscriber)] = subscriber }
    }

    /// Removes and returns the marks of ``markAllUnchecked()`` and of other events.
    /// - Returns: the subscribers to check.
    mutating func takeUnchecked() -> [StreamSubscriber] {
        defer { unchecked = [:] }
        return Array(unchecked.values)
    }

    /// Returns the subscribers that have received no frame for some time, and records that they receive one now.
    mutating func takeSilent(for silence: Duration, at now: ContinuousClock.Instant) -> [StreamSubscriber] {
        var silent: [StreamSubscriber] = []
        while let oldest = silences.min, now - oldest.since >= silence {
            silences.removeMin()
            let subscriber = oldest.subscriber
            guard var lastSentAt = self.lastSentAt(of: subscriber) else { continue }
            if now - lastSentAt >= silence {
                silent.append(subscriber)
                lastSentAt = now
                set(lastSentAt, of: subscriber)
            }
            silences.insert(Silence(since: lastSentAt, subscriber: subscriber))
        }
        return silent
    }

    private func lastSentAt(of subscriber: StreamSubscriber) -> ContinuousClock.Instant? {
        shardsByID[subscriber.adventureID.shard]?.adventures[subscriber.adventureID]?
            .subscribers[ObjectIdentifier(subscriber)]?
            .lastSentAt
    }

    private mutating func set(_ lastSentAt: ContinuousClock.Instant, of subscriber: StreamSubscriber) {
        shardsByID[subscriber.adventureID.shard]?.adventures[subscriber.adventureID]?
            .subscribers[ObjectIdentifier(subscriber)]?
            .lastSentAt = lastSentAt
    }
}

extension LogEntry {
    /// Whether the entry may end a player's access to the adventure.
    fileprivate var endsMembership: Bool {
        if case .event(.memberLeft, _) = content { true } else { false }
    }
}
