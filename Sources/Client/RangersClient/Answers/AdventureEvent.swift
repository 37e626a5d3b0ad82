public import Foundation
public import GameCore

/// An event at its place in its adventure.
public struct AdventureEvent: Hashable, Sendable {
    /// 1 and up, without gaps.
    public let sequence: Int
    /// How far the adventure had come.
    public let tick: Int
    /// When it happened, to the millisecond.
    public let at: Date
    /// The event's name, such as `heroDown`.
    public let kind: String
    /// What happened; nil when this version does not know the event: its place is taken all the same.
    public let event: Event?
}

extension AdventureEvent: Decodable {
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
        // What fails here is an event of a newer server, or a word in one, and no reason to lose the page.
        event = try? Event(from: decoder)
    }
}

/// A page of an adventure's events.
public struct EventPage: Decodable, Hashable, Sendable {
    /// In order.
    public let events: [AdventureEvent]
    /// What to give as `after` for the next page; nil when this is the last for now.
    public let next: Int?
}

/// What a command did.
public struct CommandAnswer: Decodable, Hashable, Sendable {
    /// What happened by it.
    public let events: [AdventureEvent]
    /// The adventure afterwards.
    public let adventure: AdventureAnswer
}
