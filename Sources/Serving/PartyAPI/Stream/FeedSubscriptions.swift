import GameCore
import GameLog
import GameStore
import HeapModule

/// The subscriptions of this node's event streams, and the adventures that they follow.
///
/// It is a value without I/O.
///
/// A new subscriber lets its adventure be loaded with all events so far, which are never older than those that the feed
/// has delivered to others. It receives them first, and then the following ones. So it misses no event, and recognizes
/// duplicates by their sequence.
struct FeedSubscriptions {
    /// An adventure with all events so far.
    typealias Loaded = (stored: StoredAdventure, events: [StoredEvent])

    private struct Subscription {
        let subscriber: StreamSubscriber
        var lastSentAt: ContinuousClock.Instant
        /// Whether its adventure is being loaded for it; what was read before may be older than what it has seen.
        var isLoading = false
        /// Whether it has received the events so far.
        var isCaughtUp = false
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
    /// The digests of the events of these shards' adventures so far.
    private var digests: [AdventureID: EventDigest] = [:]
    /// The adventures to be loaded for new subscribers.
    private(set) var unloaded: Set<AdventureID> = []
    /// The subscribers whose token and membership must be checked again.
    private var unchecked: [ObjectIdentifier: StreamSubscriber] = [:]
    /// One entry for each subscriber, and some for removed ones.
    ///
    /// A check for heartbeats visits only the overdue entries.
    private var silences = Heap<Silence>()

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
        unloaded.insert(id)
        unchecked[ObjectIdentifier(subscriber)] = subscriber
        silences.insert(Silence(since: now, subscriber: subscriber))
    }

    /// Removes a subscriber, and an adventure without subscribers.
    mutating func remove(_ subscriber: StreamSubscriber) {
        let (adventureID, id) = (subscriber.adventureID, ObjectIdentifier(subscriber))
        guard subscriptions[adventureID]?.removeValue(forKey: id) != nil else { return }
        unchecked[id] = nil
        if subscriptions[adventureID]?.isEmpty == true { stopFollowing(adventureID) }
    }

    /// Returns the adventures to be loaded for the new subscribers so far.
    mutating func beginLoading() -> Set<AdventureID> {
        for id in unloaded {
            for key in subscriptions[id].map({ Array($0.keys) }) ?? [] { subscriptions[id]?[key]?.isLoading = true }
        }
        return unloaded
    }

    /// Adds loaded adventures.
    /// - Parameters:
    ///   - results: the adventures of one shard; those that cannot be played are missing.
    ///   - ids: the adventures that were to be loaded, after ``beginLoading()``.
    ///   - head: the shard's row, read before the adventures. It is ignored if the shard is known.
    ///   - now: the time.
    /// - Returns: what to send.
    mutating func load(
        _ results: [Loaded],
        of ids: [AdventureID],
        head: ShardHead,
        at now: ContinuousClock.Instant
    ) -> [StreamDelivery] {
        unloaded.subtract(ids)
        var failed = Set(ids)
        var deliveries: [StreamDelivery] = []
        for (stored, events) in results {
            failed.remove(stored.id)
            var digest = EventDigest()
            let past = StreamEvent.marked(events, after: &digest)
            deliveries += deliver(past, isOver: stored.endedAt != nil, to: stored.id, at: now)
            guard subscriptions[stored.id] != nil else { continue }
            streamedShards[head.shard, default: StreamedShard(from: head)].noteLoaded(stored)
            guard streamedShards[head.shard]?.contains(stored.id) != true else { continue }
            streamedShards[head.shard]?.add(stored)
            digests[stored.id] = stored.digest ?? digest
        }
        // Those that were added in the meantime.
        unloaded.formUnion(ids.filter { subscriptions[$0]?.values.contains { !$0.isCaughtUp } ?? false })
        return deliveries + failed.flatMap { drop($0) }
    }

    /// Returns the rows up to which the logs of shards were read, for those that are longer by now.
    func behind(_ heads: [ShardHead]) -> [ShardHead] {
        heads.compactMap { head in streamedShards[head.shard].map(\.read).flatMap { $0.head < head.head ? $0 : nil } }
    }

    /// Applies entries of a shard's log, and plays its adventures up to its clock.
    /// - Parameters:
    ///   - entries: the entries after the row of ``behind(_:)``; empty if the shard is not behind.
    ///   - head: the shard's row.
    ///   - now: the time.
    /// - Returns: what to send; why adventures cannot be played any further; and the row of the shard as far as it
    ///   was read, if the database lost commits.
    mutating func play(
        _ entries: [LogEntry],
        upTo head: ShardHead,
        at now: ContinuousClock.Instant
    ) -> (deliveries: [StreamDelivery], unplayable: [AdventureID: StoreError], forkedAt: ShardHead?) {
        do throws(StreamedShard.Unreadable) {
            let changes = try streamedShards[head.shard]?.play(entries, upTo: head) ?? .init()
            var deliveries: [StreamDelivery] = []
            for (id, events) in changes.events where !events.isEmpty {
                guard var digest = digests[id] else { preconditionFailure("the digest of an adventure is unknown") }
                let next = StreamEvent.marked(events, after: &digest)
                digests[id] = digest
                let subscribers = markSent(to: id, at: now) { $0.isCaughtUp }
                if !subscribers.isEmpty {
                    deliveries.append(StreamDelivery(content: .events(next), subscribers: subscribers))
                }
                guard events.contains(where: \.event.endsMembership) else { continue }
                for (key, subscription) in subscriptions[id] ?? [:] { unchecked[key] = subscription.subscriber }
            }
            return (deliveries + changes.unplayable.keys.flatMap { drop($0) }, changes.unplayable, nil)
        } catch {
            let read = streamedShards[head.shard]?.read
            // The streams are resumed elsewhere, or here from what the database has now.
            let ids = subscriptions.keys.filter { streamedShards[head.shard]?.contains($0) ?? false }
            return (ids.flatMap { drop($0) }, [:], error == .forked ? read : nil)
        }
    }

    /// Returns the deliveries of all events so far to the new subscribers of an adventure.
    private mutating func deliver(
        _ events: [StreamEvent],
        isOver: Bool,
        to id: AdventureID,
        at now: ContinuousClock.Instant
    ) -> [StreamDelivery] {
        let new = markSent(to: id, at: now) { $0.isLoading && !$0.isCaughtUp }
        // Without events, only the last state is known.
        let lost = Set(new.filter { !events.isEmpty && $0.resumption.isLost(from: events) }.map(ObjectIdentifier.init))
        return [true, false].compactMap { isReset in
            let subscribers = new.filter { lost.contains(ObjectIdentifier($0)) == isReset }
            guard let first = subscribers.map(\.resumption.sequence).min() else { return nil }
            let rest = isReset ? events : events.filter { $0.stored.sequence > first }
            return StreamDelivery(content: .past(rest, isOver: isOver, isReset: isReset), subscribers: subscribers)
        }
    }

    /// Marks that some subscribers of an adventure receive events, after which they have all so far.
    /// - Returns: these subscribers.
    private mutating func markSent(
        to id: AdventureID,
        at now: ContinuousClock.Instant,
        where receives: (Subscription) -> Bool
    ) -> [StreamSubscriber] {
        let subscriptions = (subscriptions[id] ?? [:]).filter { receives($0.value) }
        for key in subscriptions.keys {
            self.subscriptions[id]?[key]?.isCaughtUp = true
            self.subscriptions[id]?[key]?.lastSentAt = now
        }
        return subscriptions.values.map(\.subscriber)
    }

    /// Ends the streams of an adventure.
    private mutating func drop(_ id: AdventureID) -> [StreamDelivery] {
        let subscribers = subscriptions[id]?.values.map(\.subscriber) ?? []
        for subscriber in subscribers { remove(subscriber) }
        return subscribers.isEmpty ? [] : [StreamDelivery(content: .undecodable, subscribers: subscribers)]
    }

    private mutating func stopFollowing(_ id: AdventureID) {
        subscriptions[id] = nil
        unloaded.remove(id)
        digests[id] = nil
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
