import Encodings
import Foundation
import GameCore
import GameLog
import TestSupport
import Testing

@testable import GameStore
@testable import PartyAPI

@Suite struct FeedSubscriptionsTests {
    private let start = ContinuousClock.now
    private let silence = Duration.seconds(15)
    private let shard = Shard(rawValue: 7)
    private static let noon = Timestamp(epochSeconds: 1_700_000_000)
    private static let tick = Duration.seconds(10)
    private var generator = SystemRandomNumberGenerator()
    /// The events of the journeys' starts.
    private var started: [AdventureID: [StoredEvent]] = [:]

    private func subscriber(to id: AdventureID, after sequence: Int = 0, mark: String? = nil) -> StreamSubscriber {
        StreamSubscriber(
            to: id,
            after: Resumption(sequence: sequence, mark: mark),
            for: .member(Membership(of: PlayerID(rawValue: UUID()), in: PartyID(rawValue: UUID())), tokenHash: []),
            maxBufferedFrames: 8,
            holding: [],
            disconnect: {}
        )
    }

    /// Returns a journey of two heroes that has just started.
    private mutating func journey() -> StoredAdventure {
        let heroes = (0..<2).map { _ in
            Hero(playerID: PlayerID(rawValue: UUID()), id: "spouty", experience: 0, potions: 3)
        }
        var events: [StoredEvent] = []
        let stored = StoredAdventure(
            AdventureID(at: Self.noon, in: shard, using: &generator),
            of: PartyID(rawValue: UUID()),
            starting: .journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: 7),
            at: Self.noon,
            interval: Self.tick,
            appendingTo: &events
        )
        started[stored.id] = events
        return stored
    }

    private func head(_ position: Int64 = 0, _ digest: UInt64 = 0, at clock: Duration = .zero, requires: Int = 1)
        -> ShardHead
    {
        ShardHead(
            shard: shard,
            head: position,
            digest: LogDigest(value: digest),
            clock: Self.noon + clock,
            stoppedFor: .zero,
            journeys: 1,
            bossFights: 0,
            requires: requires
        )
    }

    private func entry(
        _ content: LogEntry.Content,
        _ position: Int64,
        of id: AdventureID?,
        at offset: Duration,
        digest: UInt64? = nil,
        isKnown: Bool = true
    ) -> LogEntry {
        LogEntry(
            position: position,
            adventureID: id,
            at: Self.noon + offset,
            content: content,
            isKnown: isKnown,
            eventDigest: digest,
            digest: LogDigest(value: UInt64(position))
        )
    }

    /// Returns subscriptions with loaded adventures, each with one subscriber.
    private func following(_ adventures: [StoredAdventure], from head: ShardHead? = nil) -> (
        FeedSubscriptions, [StreamSubscriber]
    ) {
        var subscriptions = FeedSubscriptions()
        let subscribers = adventures.map { subscriber(to: $0.id) }
        for subscriber in subscribers { subscriptions.add(subscriber, at: start) }
        #expect(subscriptions.unloaded == Set(adventures.map(\.id)) && subscriptions.shards.isEmpty)
        #expect(subscriptions.beginLoading() == Set(adventures.map(\.id)))
        let loaded = subscriptions.load(
            adventures.map { ($0, started[$0.id] ?? []) },
            of: adventures.map(\.id),
            head: head ?? self.head(),
            at: start
        )
        #expect(loaded.count == adventures.count && subscriptions.unloaded.isEmpty && subscriptions.shards == [shard])
        _ = subscriptions.takeUnchecked()
        return (subscriptions, subscribers)
    }

    /// Returns the sequences of the events in deliveries.
    private func sequences(_ deliveries: [StreamDelivery]) -> [Int] {
        deliveries.flatMap { delivery in
            switch delivery.content {
            case .past(let events, _, _), .events(let events): events.map(\.stored.sequence)
            case .undecodable: [] as [Int]
            }
        }
    }

    /// Returns the identifiers of the events in deliveries, by sequence.
    private func ids(_ deliveries: [StreamDelivery]) -> [Int: String] {
        let events = deliveries.flatMap { delivery in
            switch delivery.content {
            case .past(let events, _, _), .events(let events): events
            case .undecodable: [] as [StreamEvent]
            }
        }
        return Dictionary(events.map { ($0.stored.sequence, $0.id) }) { first, _ in first }
    }

    private func isEnd(_ delivery: StreamDelivery) -> Bool {
        if case .undecodable = delivery.content { true } else { false }
    }

    @Test mutating func `ticks are delivered when the clock has passed them, once to all subscribers`() {
        let stored = journey()
        var (subscriptions, subscribers) = following([stored])
        let second = subscriber(to: stored.id)
        subscriptions.add(second, at: start)
        _ = subscriptions.beginLoading()
        _ = subscriptions.load([(stored, started[stored.id] ?? [])], of: [stored.id], head: head(), at: start)
        #expect(subscriptions.behind([head()]).isEmpty)
        let early = subscriptions.play([], upTo: head(at: Self.tick - .microseconds(1)), at: start).deliveries
        #expect(early.isEmpty)
        let due = subscriptions.play([], upTo: head(at: Self.tick), at: start).deliveries
        #expect(due.count == 1)
        #expect(
            Set(due[0].subscribers.map(ObjectIdentifier.init)) == [
                ObjectIdentifier(subscribers[0]), ObjectIdentifier(second),
            ]
        )
        var played = stored
        var expected: [StoredEvent] = []
        played.play(to: Self.noon + Self.tick, appendingTo: &expected)
        #expect(sequences(due) == expected.map(\.sequence) && !expected.isEmpty)
        #expect(subscriptions.play([], upTo: head(at: Self.tick), at: start).deliveries.isEmpty)
    }

    @Test mutating func `a new subscriber gets all events so far before the next ones`() {
        let stored = journey()
        var (subscriptions, subscribers) = following([stored])
        var newer = stored
        var events = started[stored.id] ?? []
        newer.play(to: Self.noon + .seconds(30), appendingTo: &events)
        let (last, next) = (newer.adventure.sequence, head(at: .seconds(40)))

        let late = subscriber(to: stored.id, after: last - 1)
        subscriptions.add(late, at: start)
        #expect(subscriptions.unloaded == [stored.id])
        // Not loaded yet, it gets nothing; the other gets everything up to the clock.
        let early = subscriptions.play([], upTo: head(at: .seconds(10)), at: start).deliveries
        #expect(early.flatMap(\.subscribers).map { $0 === subscribers[0] } == [true])
        #expect(subscriptions.beginLoading() == [stored.id])
        let past = subscriptions.load([(newer, events)], of: [stored.id], head: next, at: start)
        #expect(past.flatMap(\.subscribers).map { $0 === late } == [true] && sequences(past) == [last])
        // The adventure is not played from where it was loaded, but from what the other subscriber has.
        let both = subscriptions.play([], upTo: next, at: start).deliveries
        #expect(both.flatMap(\.subscribers).count == 2 && (sequences(both).first ?? .max) < last)
        // An event has the same identifier for both.
        #expect(ids(past)[last] != nil && ids(past)[last] == ids(both)[last])
    }

    @Test mutating func `a subscriber that has seen another history gets a reset and all events`() throws {
        let stored = journey()
        let events = try #require(started[stored.id])
        var digest = EventDigest()
        let last = try #require(StreamEvent.marked(events, after: &digest).last)
        var subscriptions = FeedSubscriptions()
        let known = subscriber(to: stored.id, after: events.count, mark: last.mark)
        let other = subscriber(to: stored.id, after: events.count, mark: "00000000")
        let ahead = subscriber(to: stored.id, after: events.count + 1, mark: last.mark)
        for subscriber in [known, other, ahead] { subscriptions.add(subscriber, at: start) }
        #expect(subscriptions.beginLoading() == [stored.id])
        // What was read before it came may be older than what it has seen.
        let late = subscriber(to: stored.id, after: events.count + 9, mark: last.mark)
        subscriptions.add(late, at: start)
        let deliveries = subscriptions.load([(stored, events)], of: [stored.id], head: head(), at: start)
        for delivery in deliveries {
            guard case .past(let past, isOver: false, let isReset) = delivery.content else {
                Issue.record("\(delivery.content)")
                continue
            }
            let expected = isReset ? [other, ahead] : [known]
            #expect(Set(delivery.subscribers.map(ObjectIdentifier.init)) == Set(expected.map(ObjectIdentifier.init)))
            #expect(past.map(\.stored.sequence) == (isReset ? events.map(\.sequence) : []))
        }
        #expect(deliveries.count == 2 && subscriptions.unloaded == [stored.id])
    }

    @Test mutating func `without events, of which only the last state is known, nothing is reset`() {
        let stored = journey()
        var subscriptions = FeedSubscriptions()
        subscriptions.add(subscriber(to: stored.id, after: 1, mark: "00000000"), at: start)
        _ = subscriptions.beginLoading()
        let deliveries = subscriptions.load([(stored, [])], of: [stored.id], head: head(), at: start)
        guard case .past(_, _, isReset: false)? = deliveries.first?.content, deliveries.count == 1 else {
            Issue.record("\(deliveries)")
            return
        }
    }

    @Test mutating func `an input is applied between the ticks around it, and not twice`() throws {
        let stored = journey()
        var reference = stored
        var events: [StoredEvent] = []
        let input = AdventureInput.leave(stored.adventure.heroes[1].playerID)
        let entry = entry(.input(input), 1, of: stored.id, at: .seconds(15))
        try reference.apply(entry, appendingTo: &events)
        reference.play(to: Self.noon + .seconds(30), appendingTo: &events)

        var (subscriptions, subscribers) = following([stored])
        let now = head(1, 1, at: .seconds(30))
        #expect(subscriptions.behind([now]).map(\.head) == [0])
        // The log may have grown since the head was read.
        let later = self.entry(.input(.end), 2, of: stored.id, at: .seconds(31))
        let applied = subscriptions.play([entry, later], upTo: now, at: start).deliveries
        #expect(sequences(applied) == events.map(\.sequence))
        // A member who leaves may lose access.
        #expect(subscriptions.takeUnchecked().map { $0 === subscribers[0] } == [true])

        // Loaded after the input, the adventure knows it already.
        reference.noteRead(through: 1, LogDigest(value: 1))
        var (again, _) = following([reference])
        #expect(again.play([entry], upTo: now, at: start).deliveries.isEmpty)
    }

    @Test mutating func `an outage postpones all ticks of the shard`() {
        let adventures = [journey(), journey()]
        var (subscriptions, _) = following(adventures)
        let outage = entry(.outage(.seconds(60)), 1, of: nil, at: .seconds(5))
        #expect(subscriptions.play([outage], upTo: head(1, 1, at: .seconds(66)), at: start).deliveries.isEmpty)
        #expect(subscriptions.play([], upTo: head(1, 1, at: .seconds(69)), at: start).deliveries.isEmpty)
        #expect(subscriptions.play([], upTo: head(1, 1, at: .seconds(70)), at: start).deliveries.count == 2)
    }

    @Test mutating func `a page is applied, and the clock follows with the last one`() {
        let stored = journey()
        var (subscriptions, _) = following([stored])
        let now = head(2, 2, at: .seconds(30))
        let first = entry(.started, 1, of: nil, at: .seconds(1))
        #expect(subscriptions.play([first], upTo: now, at: start).deliveries.isEmpty)
        #expect(subscriptions.behind([now]).map(\.head) == [1])
        let last = entry(.started, 2, of: nil, at: .seconds(2))
        #expect(subscriptions.play([last], upTo: now, at: start).deliveries.count == 1)
    }

    @Test(arguments: ["head", "digest", "clock", "version", "short log", "other log", "unknown kind"])
    mutating func `streams end when the log has forked or is too new`(fault: String) {
        let stored = journey()
        var (subscriptions, subscribers) = following([stored], from: head(5, 5, at: .seconds(5)))
        let next = entry(.started, 6, of: nil, at: .seconds(6), isKnown: fault != "unknown kind")
        let (entries, row): ([LogEntry], ShardHead) =
            switch fault {
            case "head": ([], head(4, 4, at: .seconds(6)))
            case "digest": ([], head(5, 6, at: .seconds(6)))
            case "clock": ([], head(5, 5, at: .seconds(4)))
            case "version": ([], head(5, 5, at: .seconds(6), requires: 99))
            case "short log": ([], head(6, 6, at: .seconds(8)))
            case "other log": ([next], head(6, 7, at: .seconds(8)))
            default: ([next], head(6, 6, at: .seconds(8)))
            }
        let (deliveries, _, forkedAt) = subscriptions.play(entries, upTo: row, at: start)
        #expect((forkedAt == nil) == ["version", "unknown kind"].contains(fault))
        #expect(deliveries.map(isEnd) == [true] && deliveries[0].subscribers[0] === subscribers[0])
        #expect(subscriptions.subscribers.isEmpty && subscriptions.shards.isEmpty)
        // It can be loaded again.
        subscriptions.add(subscribers[0], at: start)
        #expect(subscriptions.unloaded == [stored.id])
    }

    @Test(arguments: ["nothing", "position", "clock", "digest", "moment"])
    mutating func `streams end when the database has lost something that was loaded ahead of the log`(lost: String) {
        let (stored, other) = (journey(), journey())
        var (subscriptions, _) = following([stored], from: head(5, 5, at: .seconds(5)))
        // It is streamed already, but not as far as this subscriber sees it.
        var newer = lost == "digest" ? other : stored
        var events = started[newer.id] ?? []
        newer.play(to: Self.noon + .seconds(25), appendingTo: &events)
        newer.noteRead(through: 7, LogDigest(value: lost == "digest" ? 70 : 7))
        subscriptions.add(subscriber(to: newer.id), at: start)
        _ = subscriptions.beginLoading()
        _ = subscriptions.load([(newer, events)], of: [newer.id], head: head(5, 5, at: .seconds(5)), at: start)

        let known = [entry(.started, 6, of: nil, at: .seconds(6)), entry(.started, 7, of: nil, at: .seconds(7))]
        let next = entry(.started, 8, of: nil, at: .seconds(lost == "moment" ? 24 : 26))
        let (entries, row): ([LogEntry], ShardHead) =
            switch lost {
            case "position": ([known[0]], head(6, 6, at: .seconds(30)))
            case "clock": (known, head(7, 7, at: .seconds(24)))
            default: (known + [next], head(8, 8, at: .seconds(30)))
            }
        let (deliveries, _, forkedAt) = subscriptions.play(entries, upTo: row, at: start)
        #expect((forkedAt == nil) == (lost == "nothing"))
        #expect(deliveries.contains(where: isEnd) == (lost != "nothing"))
        #expect(subscriptions.subscribers.count == (lost == "nothing" ? 2 : 0))
    }

    @Test mutating func `an adventure that cannot be played any further ends its own streams only`() {
        let adventures = [journey(), journey(), journey()]
        var (subscriptions, subscribers) = following(adventures)
        let damaged = [
            entry(
                .unreadable(.undecodable(table: "log", id: "7/1", reason: "")),
                1,
                of: adventures[0].id,
                at: .seconds(1)
            ),
            // Ended by an operator at another node that could not play it.
            entry(.ended, 2, of: adventures[1].id, at: .seconds(2)),
        ]
        let deliveries = subscriptions.play(damaged, upTo: head(2, 2, at: Self.tick), at: start).deliveries
        let ended = deliveries.filter(isEnd).flatMap(\.subscribers)
        #expect(Set(ended.map(ObjectIdentifier.init)) == Set(subscribers.prefix(2).map(ObjectIdentifier.init)))
        #expect(subscriptions.subscribers.count == 1 && !sequences(deliveries).isEmpty)
    }

    @Test mutating func `an adventure that ended with other events ends its streams without them`() throws {
        var stored = journey()
        var (subscriptions, _) = following([stored])
        var events: [StoredEvent] = []
        let end = entry(.input(.end), 1, of: stored.id, at: .seconds(5))
        try stored.apply(end, appendingTo: &events)
        let ended = entry(.ended, 2, of: stored.id, at: .seconds(5), digest: 77)
        let (deliveries, unplayable, _) = subscriptions.play(
            [end, ended],
            upTo: head(2, 2, at: .seconds(6)),
            at: start
        )
        #expect(deliveries.map(isEnd) == [true] && Array(unplayable.keys) == [stored.id])
        #expect(!events.isEmpty)
    }

    @Test mutating func `an adventure that cannot be loaded ends its streams`() {
        let stored = journey()
        var subscriptions = FeedSubscriptions()
        subscriptions.add(subscriber(to: stored.id), at: start)
        let deliveries = subscriptions.load([], of: [stored.id], head: head(), at: start)
        #expect(deliveries.map(isEnd) == [true])
        #expect(subscriptions.subscribers.isEmpty && subscriptions.unloaded.isEmpty)
    }

    @Test mutating func `a subscriber that leaves before the adventure is loaded gets nothing`() {
        let stored = journey()
        var subscriptions = FeedSubscriptions()
        let subscriber = subscriber(to: stored.id)
        subscriptions.add(subscriber, at: start)
        subscriptions.remove(subscriber)
        #expect(subscriptions.load([(stored, [])], of: [stored.id], head: head(), at: start).isEmpty)
        #expect(subscriptions.shards.isEmpty && subscriptions.unloaded.isEmpty)
    }

    @Test mutating func `a subscriber without frames gets a heartbeat in each interval`() {
        var (subscriptions, _) = following([journey()])
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(14)).isEmpty)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(16)).count == 1)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(30)).isEmpty)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(31)).count == 1)
    }

    @Test mutating func `an event postpones the heartbeats of its subscribers only`() {
        let (receiving, other) = (journey(), journey())
        var (subscriptions, subscribers) = following([receiving, other])
        let input = AdventureInput.leave(receiving.adventure.heroes[1].playerID)
        let entry = entry(.input(input), 1, of: receiving.id, at: .seconds(1))
        let now = start + .seconds(10)
        let deliveries = subscriptions.play([entry], upTo: head(1, 1, at: .seconds(1)), at: now).deliveries
        #expect(deliveries.flatMap(\.subscribers).map { $0 === subscribers[0] } == [true])
        let silent = subscriptions.takeSilent(for: silence, at: start + .seconds(20))
        #expect(silent.map { $0 === subscribers[1] } == [true])
        // The interval begins at the event, not at the last check.
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(24)).isEmpty)
        let later = subscriptions.takeSilent(for: silence, at: start + .seconds(25))
        #expect(later.map { $0 === subscribers[0] } == [true])
    }

    @Test mutating func `a removed subscriber gets neither heartbeats nor checks`() {
        var (subscriptions, subscribers) = following([journey()])
        subscriptions.markAllUnchecked()
        subscriptions.remove(subscribers[0])
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(60)).isEmpty)
        #expect(subscriptions.takeUnchecked().isEmpty)
        #expect(subscriptions.subscribers.isEmpty && subscriptions.shards.isEmpty)
    }

    @Test mutating func `new subscribers are checked, then all on request`() {
        let (first, second) = (journey(), journey())
        var subscriptions = FeedSubscriptions()
        for stored in [first, first, second] { subscriptions.add(subscriber(to: stored.id), at: start) }
        #expect(subscriptions.takeUnchecked().count == 3)
        #expect(subscriptions.takeUnchecked().isEmpty)
        subscriptions.markAllUnchecked()
        #expect(subscriptions.takeUnchecked().count == 3)
    }
}
