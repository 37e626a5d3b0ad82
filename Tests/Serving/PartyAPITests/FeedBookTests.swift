import Encodings
import Foundation
import GameCore
import Testing

@testable import GameStore
@testable import PartyAPI

/// Who is told what and when, without a server.
@Suite struct FeedBookTests {
    private let start = ContinuousClock.now
    private let silence = Duration.seconds(15)
    private let shard = Shard(rawValue: 7)
    private var generator = SystemRandomNumberGenerator()

    private mutating func adventureID() -> AdventureID {
        AdventureID(at: Timestamp(epochSeconds: 1_700_000_000), in: shard, using: &generator)
    }

    private mutating func follower(of adventureID: AdventureID) -> Follower {
        let membership = Membership(of: PlayerID(rawValue: UUID()), in: PartyID(rawValue: UUID()))
        return Follower(of: adventureID, by: membership, tokenHash: [], mostWaiting: 8, place: nil, disconnect: {})
    }

    private func event(_ event: Event, at position: Int64, of id: AdventureID) throws -> (LogRecord, StreamFrame) {
        let record = LogRecord(
            position: position,
            adventureID: id,
            tick: 1,
            at: Timestamp(epochSeconds: 1_700_000_000),
            entry: .event(event, sequence: 1)
        )
        return (record, try #require(try StreamFrame(record)))
    }

    @Test mutating func `a comment is due after a silence, and then after another`() {
        let follower = follower(of: adventureID())
        var book = FeedBook()
        book.add(follower, openingAt: 0, at: start)
        #expect(book.takeSilent(for: silence, at: start + .seconds(14)).isEmpty)
        #expect(book.takeSilent(for: silence, at: start + .seconds(16)).count == 1)
        #expect(book.takeSilent(for: silence, at: start + .seconds(30)).isEmpty)
        #expect(book.takeSilent(for: silence, at: start + .seconds(31)).count == 1)
    }

    @Test mutating func `an event breaks the silence of its followers alone`() throws {
        let told = follower(of: adventureID())
        let other = follower(of: adventureID())
        var book = FeedBook()
        book.add(told, openingAt: 0, at: start)
        book.add(other, openingAt: 0, at: start)
        let logs = book.logs(upTo: [(shard, 1)])
        #expect(logs.map(\.head) == [1])
        let records = [try event(.adventureStarted(kind: .journey), at: 1, of: told.adventureID)]
        let deliveries = book.read(logs[0], records, through: 1, at: start + .seconds(10))
        #expect(deliveries.map { $0.follower === told } == [true])
        #expect(book.takeSilent(for: silence, at: start + .seconds(20)).map { $0 === other } == [true])
        // To the second from the event on, not from the look at it before.
        #expect(book.takeSilent(for: silence, at: start + .seconds(24)).isEmpty)
        #expect(book.takeSilent(for: silence, at: start + .seconds(25)).map { $0 === told } == [true])
    }

    @Test mutating func `who has gone is neither silent nor in doubt`() {
        let follower = follower(of: adventureID())
        var book = FeedBook()
        book.add(follower, openingAt: 0, at: start)
        book.remove(follower)
        #expect(book.takeSilent(for: silence, at: start + .seconds(60)).isEmpty)
        #expect(book.takeDoubtful().isEmpty)
        #expect(book.count == 0 && book.everybody.isEmpty && book.shards.isEmpty)
    }

    @Test mutating func `who is new is in doubt, then all by the clock, and who shares what somebody left`() throws {
        let adventureID = adventureID()
        let followers = [follower(of: adventureID), follower(of: adventureID), follower(of: self.adventureID())]
        var book = FeedBook()
        for follower in followers { book.add(follower, openingAt: 0, at: start) }
        #expect(book.takeDoubtful().count == 3)
        #expect(book.takeDoubtful().isEmpty)
        book.doubtEverybody()
        #expect(book.takeDoubtful().count == 3)
        let logs = book.logs(upTo: [(shard, 5)])
        let records = [try event(.memberLeft(hero: Seat(rawValue: 0)), at: 5, of: adventureID)]
        _ = book.read(logs[0], records, through: 5, at: start)
        let doubtful = book.takeDoubtful()
        #expect(doubtful.count == 2)
        #expect(!doubtful.contains { $0 === followers[2] })
    }
}
