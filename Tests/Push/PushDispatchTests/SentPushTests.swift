import Encodings
import Foundation
import GameCore
import TestSupport
import Testing

@testable import PushCadence
@testable import PushDispatch
@testable import PushRules

@Suite(.computing) struct SentPushTests {
    private static let start = Timestamp(microseconds: 1_790_000_000_123_456)
    private static let key = ActivityKey(
        adventureID: AdventureID(rawValue: UUID()),
        activityID: ActivityID(rawValue: UUID())
    )

    private static func planned(_ reason: SendReason, timestamp: Int64, changeAt: Timestamp) -> PlannedPush {
        PlannedPush(
            event: .update(staleDate: timestamp + 600),
            priority: .high,
            alert: nil,
            alertMoments: [],
            timestamp: timestamp,
            expiration: timestamp + 600,
            changeAt: changeAt,
            pendingSince: nil,
            coveredEvents: 1,
            notice: nil,
            reason: reason
        )
    }

    @Test func `an entry tells the sequence, timestamp and apns-id of its push, also after a restart`() throws {
        var log = DecisionLog()
        let push = Self.planned(.turn, timestamp: 1_790_000_001, changeAt: Self.start)
        log.decided(.send(push), with: PushContent(sequence: 300, generation: 2), at: Self.start)
        log.completed(.accepted, because: .noResponse, changeAt: Self.start, at: Self.start + .milliseconds(80))
        #expect(log.encoded.suffix(10) == [0xac, 2, 2, 0xb0, 9, 2, 0xc8, 3, 0xa0, 1])
        let record = try #require(DecisionLog(encoded: log.encoded).records.first)
        #expect(record.push == log.records.first?.push)
        #expect(record.push?.sequence == 300 && record.push?.generation == 2)
        #expect(record.push?.timestamp == 1_790_000_001 && record.push?.expiration == 1_790_000_601)
        #expect(record.push?.acceptedAt == Timestamp(microseconds: 1_790_000_000_203_000))
        let expected = SendReason.turn.apnsID(of: Self.key, generation: 2, changeAt: Self.start)
        #expect(record.apnsID(of: Self.key) == expected)
    }

    @Test func `a second try has the facts of the push that was sent last`() {
        var log = DecisionLog()
        let first = Self.planned(.turn, timestamp: 1_790_000_000, changeAt: Self.start)
        log.decided(.send(first), with: PushContent(sequence: 3, generation: 1), at: Self.start)
        log.completed(
            .retryLater(after: .seconds(1)),
            because: .noResponse,
            changeAt: Self.start,
            at: Self.start + .milliseconds(80)
        )
        let second = Self.planned(.turn, timestamp: 1_790_000_002, changeAt: Self.start + .seconds(1))
        log.decided(.send(second), with: PushContent(sequence: 4, generation: 1), at: Self.start + .seconds(2))
        #expect(log.records.map(\.push?.sequence) == [4])
        #expect(log.records.map(\.push?.timestamp) == [1_790_000_002])
    }

    @Test func `an entry whose facts are cut off is left out`() {
        var log = DecisionLog()
        let push = Self.planned(.turn, timestamp: 1_790_000_001, changeAt: Self.start)
        log.decided(.send(push), with: PushContent(sequence: 300, generation: 2), at: Self.start)
        var bytes = log.encoded
        bytes.removeLast()
        bytes[7] -= 1
        #expect(DecisionLog(encoded: bytes).records.isEmpty)
    }
}
