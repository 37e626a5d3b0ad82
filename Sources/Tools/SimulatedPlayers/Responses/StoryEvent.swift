public import Encodings
import Foundation
public import GameCore
import RangersClient

/// An event with its sequence and time.
public struct StoryEvent: Hashable, Sendable {
    /// The event's sequence: from 1, without gaps.
    public let sequence: Int
    /// The time of the event, with millisecond precision.
    public let at: Timestamp
    /// The event.
    public let event: AdventureEvent

    /// Creates an event.
    public init(sequence: Int, at: Timestamp, event: AdventureEvent) {
        self.sequence = sequence
        self.at = at
        self.event = event
    }
}

extension StoryEvent {
    /// Converts an event of the server.
    /// - Throws: ``StoryError/unknownEvent(_:)``.
    init(_ response: EventResponse) throws(StoryError) {
        guard let event = response.event else { throw .unknownEvent(response.kind) }
        self.init(sequence: response.sequence, at: Timestamp(response.at), event: event)
    }
}

extension Timestamp {
    /// Converts a date with millisecond precision.
    init(_ date: Date) {
        self.init(microseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()) * 1_000)
    }
}

extension KeyedDecodingContainer {
    /// Decodes a time of the simulator: RFC 3339 in UTC with milliseconds.
    func decodeTimestamp(forKey key: Key) throws -> Timestamp {
        let text = try decode(String.self, forKey: key)
        guard let timestamp = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key,
                in: self,
                debugDescription: "'\(text)' is not an RFC 3339 time"
            )
        }
        return timestamp
    }
}
