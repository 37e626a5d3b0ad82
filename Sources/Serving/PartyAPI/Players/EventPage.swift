import Encodings
import GameCore
import GameStore
import Hummingbird

/// A page of an adventure's events.
struct EventPage: Encodable {
    private static let standardLimit = 100
    /// About 100 KiB of JSON.
    private static let largestLimit = 1_000

    /// What the query of such a request may have.
    static let query: Set = ["after", "limit"]

    let events: [EventView]
    /// What to give as `after` for the next page; nothing when this is the last for now.
    let next: Int?

    /// Answers a request with `after` and `limit` in its query.
    static func answer<Caller>(
        to call: Call<Caller>,
        about stored: StoredAdventure,
        from store: GameStore
    ) async throws -> Response {
        let after = try call.number("after", in: 0...Int(Int32.max), default: 0)
        let limit = try call.number("limit", in: 1...largestLimit, default: standardLimit)
        try stored.checkDetails()
        // One more than asked for tells whether there is a next page.
        let found = try await store.events(of: stored.id, after: after, limit: limit + 1)
        let events = found.prefix(limit)
        let page = EventPage(
            events: events.map(EventView.init),
            next: found.count > limit ? events.last?.sequence : nil
        )
        return try Response(json: page)
    }
}

/// An event with its place in its adventure, flat: `{sequence, tick, kind, at, …}`.
struct EventView: Encodable {
    private enum CodingKeys: CodingKey {
        case sequence
        case tick
        case at
    }

    private let stored: StoredEvent

    init(_ stored: StoredEvent) {
        self.stored = stored
    }

    func encode(to encoder: any Encoder) throws {
        try stored.event.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(stored.sequence, forKey: .sequence)
        try container.encode(stored.tick, forKey: .tick)
        try container.encode(stored.at.rfc3339, forKey: .at)
    }
}
