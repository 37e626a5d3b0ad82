public import Encodings
import Foundation
public import GameCore
import RangersClient

/// An event as the server tells it: with its place in its adventure and its time.
public struct StoryEvent: Hashable, Sendable {
    /// 1 and up, without gaps.
    public let sequence: Int
    /// When it happened, to the millisecond.
    public let at: Timestamp
    /// What happened.
    public let event: Event

    /// An event at its place.
    public init(sequence: Int, at: Timestamp, event: Event) {
        self.sequence = sequence
        self.at = at
        self.event = event
    }
}

extension StoryEvent {
    /// - Throws: ``StoryError/unknownEvent(_:)``.
    init(_ answer: AdventureEvent) throws(StoryError) {
        guard let event = answer.event else { throw .unknownEvent(answer.kind) }
        self.init(sequence: answer.sequence, at: Timestamp(answer.at), event: event)
    }
}

extension Timestamp {
    /// A moment that came with milliseconds.
    init(_ date: Date) {
        self.init(microseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()) * 1_000)
    }
}

extension KeyedDecodingContainer {
    /// A moment as the simulator writes it: RFC 3339 in UTC with milliseconds.
    func decodeMoment(forKey key: Key) throws -> Timestamp {
        let text = try decode(String.self, forKey: key)
        guard let timestamp = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "'\(text)' is no moment")
        }
        return timestamp
    }
}
