public import Foundation
public import GameCore

/// An event of an adventure, with its position.
public struct EventResponse: Hashable, Sendable {
    /// The number of the event in its adventure, from 1, without gaps.
    public let sequence: Int
    /// The tick in which the event happened.
    public let tick: Int
    /// The time of the event, to the millisecond.
    public let at: Date
    /// The name of the event, such as `heroDown`.
    public let kind: String
    /// The event; nil if this version of the app does not know its kind.
    ///
    /// Its sequence number is used nevertheless.
    public let event: AdventureEvent?
}

extension EventResponse: Decodable {
    private enum CodingKeys: CodingKey {
        case sequence
        case tick
        case at
        case kind
    }

    /// Decodes the flat form: `{"sequence": 3, "tick": 2, "at": "…", "kind": "heroDown", "hero": 2}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        sequence = try container.decode(Int.self, forKey: .sequence)
        tick = try container.decode(Int.self, forKey: .tick)
        at = try container.decode(Date.self, forKey: .at)
        kind = try container.decode(String.self, forKey: .kind)
        // An event of a newer server fails here; the rest of the page stays readable.
        event = try? AdventureEvent(from: decoder)
    }
}

/// A page of an adventure's events.
public struct EventPage: Decodable, Hashable, Sendable {
    /// The events in order.
    public let events: [EventResponse]
    /// The `after` parameter of the next page; nil if there are no further events yet.
    public let next: Int?
}

/// The result of a command.
public struct CommandResponse: Decodable, Hashable, Sendable {
    /// The events that the command caused.
    public let events: [EventResponse]
    /// The adventure after the command.
    public let adventure: AdventureResponse
}
