import Foundation
public import GameCore

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

extension StoryEvent: Decodable {
    private enum CodingKeys: CodingKey {
        case sequence
        case at
    }

    /// Decodes the flat form, `{"sequence": 3, "at": "2026-11-21T09:30:00.123Z", "kind": "heroDown", "hero": 2}`.
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sequence = try container.decode(Int.self, forKey: .sequence)
        at = try container.decodeMoment(forKey: .at)
        event = try Event(from: decoder)
    }
}

extension KeyedDecodingContainer {
    /// A moment as RFC 3339 writes it in UTC with milliseconds.
    func decodeMoment(forKey key: Key) throws -> Timestamp {
        let text = try decode(String.self, forKey: key)
        guard let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "'\(text)' is no moment")
        }
        return Timestamp(microseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded()) * 1_000)
    }
}
