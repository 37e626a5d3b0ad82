import GameCore
import GameStore
import HeapModule

/// The subscriptions of this node's event streams, and the adventures that they follow.
///
/// It is a value without I/O.
///
/// The first subscriber of an adventure lets it be loaded. Once it is loaded, its subscribers are told the sequence after
/// which they receive all events, and read the ones up to there from the store. A subscriber of an adventure that is
/// loaded already reads the stored events, too, which are never older than those of the feed. So no event is missed, and
/// duplicates are recognized by their sequence.
struct FeedSubscriptions {
    private struct Subscription {
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

    private var subscriptions: [AdventureID: [ObjectIdentifier: Subscription]] = [:]
    private var streamedShards: [Shard: StreamedShard] = [:]
    /// The adventures with subscribers that are not loaded yet.
    private(set) var unloaded: Set<AdventureID> = []
    /// The subscribers whose token and membership must be checked again.
    private var unchecked: [ObjectIdentifier: StreamSubscriber] = [:]
    /// One entry for each subscriber, and some for removed ones.
    ///
    /// A check for heartbeats visits only the overdue entries.
    private var silences = Heap<Silence>()

    /// The number of subscribers.
    private(set) var count = 0

    /// The shards of loaded adventures, sorted.
    var shards: [Shard] { streamedShards.keys.sorted() }

    /// All subscribers, in no order.
    var subscribers: [StreamSubscriber] { subscriptions.values.flatMap { $0.values.map(\.subscriber) } }

    /// Adds a subscriber.
    mutating func add(_ subscriber: StreamSubscriber, at now: ContinuousClock.Instant) {
        let id = subscriber.adventureID
        subscriptions[id, default: [:]][ObjectIdentifier(subscriber)] = Subscription(
            subscriber: subscriber,
            lastSentAt: now
        )
        if streamedShards[id.shard]?.contains(id) != true { unloaded.insert(id) }
        unchecked[ObjectIdentifier(subscriber)] = subscriber
        silences.insert(Silence(since: now, subscriber: subscriber))
        count += 1
    }

    /// Removes a subscriber, and an adventure without subscribers.
    mutating func remove(_ subscriber: StreamSubscriber) {
        let (adventureID, id) = (subscriber.adventureID, ObjectIdentifier(subscriber))
        guard subscriptions[adventureID]?.removeValue(forKey: id) != nil else { return }
        count -= 1
        unchecked[id] = nil
        if subscriptions[adventureID]?.isEmpty == true { stopFollowing(adventureID) }
    }

    /// Adds loaded adventures.
    /// - Parameters:
    ///   - results: the adventures of one shard; those that cannot be played are missing.
    ///   - ids: the adventures that were to be loaded.
    ///   - head: the shard's row, read before the adventures. It is ignored if the shard is known.
    ///   - now: the time.
    /// - Returns: what to send.
    mutating func load(
        _ results: [StoredAdventure],
        of ids: [AdventureID],
        head: ShardHead,
        at now: ContinuousClock.Instant
    ) -> [StreamDelivery] {
        var deliveries: [StreamDelivery] = []
        for stored in results where subscriptions[stored.id] != nil {
            streamedShards[stored.id.shard, default: StreamedShard(from: head)].add(stored)
            deliveries += deliver(.following(stored), to: stored.id, at: now)
        }
        let loaded = Set(results.map(\.id))
        unloaded.subtract(ids)
        return deliveries + ids.filter { !loaded.contains($0) }.flatMap { drop($0, at: now) }
    }

    /// Plays the adventures of shards up to their new clocks.
    /// - Parameters:
    ///   - heads: the shards' rows.
    ///   - now: the time.
    /// - Returns: what to send, and the shards with log entries to be read first, each with its row.
    mutating func play(to heads: [ShardHead], at now: ContinuousClock.Instant)
        -> (deliveries: [StreamDelivery], behind: [(read: ShardHead, head: ShardHead)])
    {
        var deliveries: [StreamDelivery] = []
        var behind: [(ShardHead, ShardHead)] = []
        for head in heads {
            guard let read = streamedShards[head.shard]?.read else { continue }
            do throws(StreamedShard.Unreadable) {
                if let changes = try streamedShards[head.shard]?.play(to: head) {
                    deliveries += deliver(changes, at: now)
                } else {
                    behind.append((read, head))
                }
            } catch {
                deliveries += drop(head.shard, at: now)
            }
        }
        return (deliveries, behind)
    }

    /// Applies entries of a shard's log.
    /// - Parameters:
    ///   - entries: the entries after those that were read before.
    ///   - head: the shard's row.
    ///   - isPage: whether more entries may follow.
    ///   - now: the time.
    /// - Returns: what to send.
    mutating func apply(
        _ entries: [LogEntry],
        upTo head: ShardHead,
        isPage: Bool,
        at now: ContinuousClock.Instant
    ) -> [StreamDelivery] {
        do throws(StreamedShard.Unreadable) {
            let changes = try streamedShards[head.shard]?.apply(entries, upTo: head, isPage: isPage)
            return deliver(changes ?? .init(), at: now)
        } catch {
            return drop(head.shard, at: now)
        }
    }

    private mutating func deliver(_ changes: StreamedShard.Changes, at now: ContinuousClock.Instant) -> [StreamDelivery]
    {
        var deliveries: [StreamDelivery] = []
        for (id, events) in changes.events where !events.isEmpty {
            deliveries += deliver(.events(events), to: id, at: now)
            guard events.contains(where: \.event.endsMembership) else { continue }
            for (key, subscription) in subscriptions[id] ?? [:] { unchecked[key] = subscription.subscriber }
        }
        return deliveries + changes.unplayable.flatMap { drop($0, at: now) }
    }

    private mutating func deliver(
        _ content: StreamDelivery.Content,
        to id: AdventureID,
        at now: ContinuousClock.Instant
    ) -> [StreamDelivery] {
        guard let subscribers = subscriptions[id]?.values.map(\.subscriber) else { return [] }
        for subscriber in subscribers { set(now, of: subscriber) }
        return [StreamDelivery(content: content, subscribers: subscribers)]
    }

    /// Ends the streams of a shard, so that they are resumed elsewhere, or here from what the database has now.
    private mutating func drop(_ shard: Shard, at now: ContinuousClock.Instant) -> [StreamDelivery] {
        subscriptions.keys.filter { $0.shard == shard && !unloaded.contains($0) }.flatMap { drop($0, at: now) }
    }

    private mutating func drop(_ id: AdventureID, at now: ContinuousClock.Instant) -> [StreamDelivery] {
        let deliveries = deliver(.undecodable, to: id, at: now)
        for subscriber in deliveries.flatMap(\.subscribers) { remove(subscriber) }
        return deliveries
    }

    private mutating func stopFollowing(_ id: AdventureID) {
        subscriptions[id] = nil
        unloaded.remove(id)
        streamedShards[id.shard]?.remove(id)
        if streamedShards[id.shard]?.isEmpty == true { streamedShards[id.shard] = nil }
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
            guard var lastSentAt = lastSentAt(of: subscriber) else { continue }
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
        subscriptions[subscriber.adventureID]?[ObjectIdentifier(subscriber)]?.lastSentAt
    }

    private mutating func set(_ lastSentAt: ContinuousClock.Instant, of subscriber: StreamSubscriber) {
        subscriptions[subscriber.adventureID]?[ObjectIdentifier(subscriber)]?.lastSentAt = lastSentAt
    }
}

extension AdventureEvent {
    /// Whether the event may end a player's access to the adventure.
    fileprivate var endsMembership: Bool {
        if case .memberLeft = self { true } else { false }
    }
}
