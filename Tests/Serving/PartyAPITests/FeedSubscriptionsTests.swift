import Encodings
import Foundation
import GameCore
import TestSupport
import Testing

@testable import GameStore
@testable import PartyAPI

@Suite struct FeedSubscriptionsTests {
    private let start = ContinuousClock.now
    private let silence = Duration.seconds(15)
    private let shard = Shard(rawValue: 7)
    private var generator = SystemRandomNumberGenerator()

    private mutating func adventureID() -> AdventureID {
        AdventureID(at: Timestamp(epochSeconds: 1_700_000_000), in: shard, using: &generator)
    }

    private mutating func subscriber(to adventureID: AdventureID) -> StreamSubscriber {
        let membership = Membership(of: PlayerID(rawValue: UUID()), in: PartyID(rawValue: UUID()))
        return StreamSubscriber(
            to: adventureID,
            by: membership,
            tokenHash: [],
            maxBufferedFrames: 8,
            slot: nil,
            disconnect: {}
        )
    }

    private func event(_ event: AdventureEvent, at position: Int64, of id: AdventureID) throws -> (
        LogEntry, StreamFrame
    ) {
        let entry = LogEntry(
            position: position,
            adventureID: id,
            tick: 1,
            at: Timestamp(epochSeconds: 1_700_000_000),
            content: .event(event, sequence: 1)
        )
        return (entry, try #require(StreamFrame(entry)))
    }

    @Test mutating func `a subscriber without frames gets a heartbeat in each interval`() {
        let subscriber = subscriber(to: adventureID())
        var subscriptions = FeedSubscriptions()
        subscriptions.add(subscriber, openingAt: 0, at: start)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(14)).isEmpty)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(16)).count == 1)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(30)).isEmpty)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(31)).count == 1)
    }

    @Test mutating func `an event postpones the heartbeats of its subscribers only`() throws {
        let receiver = subscriber(to: adventureID())
        let other = subscriber(to: adventureID())
        var subscriptions = FeedSubscriptions()
        subscriptions.add(receiver, openingAt: 0, at: start)
        subscriptions.add(other, openingAt: 0, at: start)
        let logs = subscriptions.logs(upTo: [(shard, 1)])
        #expect(logs.map(\.head) == [1])
        let entries = [try event(.adventureStarted(kind: .journey), at: 1, of: receiver.adventureID)]
        let deliveries = subscriptions.read(logs[0], entries, through: 1, at: start + .seconds(10))
        #expect(deliveries.map { $0.subscriber === receiver } == [true])
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(20)).map { $0 === other } == [true])
        // The interval begins at the event, not at the last check.
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(24)).isEmpty)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(25)).map { $0 === receiver } == [true])
    }

    @Test mutating func `a removed subscriber gets neither heartbeats nor checks`() {
        let subscriber = subscriber(to: adventureID())
        var subscriptions = FeedSubscriptions()
        subscriptions.add(subscriber, openingAt: 0, at: start)
        subscriptions.remove(subscriber)
        #expect(subscriptions.takeSilent(for: silence, at: start + .seconds(60)).isEmpty)
        #expect(subscriptions.takeUnchecked().isEmpty)
        #expect(subscriptions.count == 0 && subscriptions.subscribers.isEmpty && subscriptions.shards.isEmpty)
    }

    @Test
    mutating func `new subscribers are checked, then all on request, and those of an adventure that a member leaves`()
        throws
    {
        let adventureID = adventureID()
        let subscribers = [
            subscriber(to: adventureID), subscriber(to: adventureID), subscriber(to: self.adventureID()),
        ]
        var subscriptions = FeedSubscriptions()
        for subscriber in subscribers { subscriptions.add(subscriber, openingAt: 0, at: start) }
        #expect(subscriptions.takeUnchecked().count == 3)
        #expect(subscriptions.takeUnchecked().isEmpty)
        subscriptions.markAllUnchecked()
        #expect(subscriptions.takeUnchecked().count == 3)
        let logs = subscriptions.logs(upTo: [(shard, 5)])
        let entries = [try event(.memberLeft(hero: Seat(rawValue: 0)), at: 5, of: adventureID)]
        _ = subscriptions.read(logs[0], entries, through: 5, at: start)
        let unchecked = subscriptions.takeUnchecked()
        #expect(unchecked.count == 2)
        #expect(!unchecked.contains { $0 === subscribers[2] })
    }
}
