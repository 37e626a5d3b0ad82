import Encodings
import GameCore
import GameLog
import GameStore
import Hummingbird
import JSONCoding

/// A page of an adventure's events.
struct EventPageView: JSONWritable {
    private static let defaultLimit = 100
    /// The maximum number of events in a page: about 100 KiB of JSON.
    private static let maxLimit = 1_000

    /// The query parameters of a request for a page.
    static let query: Set = ["after", "limit"]

    let events: [EventView]
    /// The value of `after` for the next page; nil if this is currently the last page.
    let next: Int?

    /// Reads the page that the query's `after` and `limit` select, and returns the response.
    static func response<Caller>(
        to request: APIRequest<Caller>,
        for stored: StoredAdventure,
        from store: GameStore
    ) async throws -> Response {
        let after = try request.number("after", in: 0...Int(Int32.max), default: 0)
        let limit = try request.number("limit", in: 1...maxLimit, default: defaultLimit)
        // One more event than the page holds shows whether there is a next page.
        let found = try await store.events(of: stored.id, after: after, limit: limit + 1)
        let events = found.prefix(limit)
        let page = EventPageView(
            events: events.map(EventView.init),
            next: found.count > limit ? events.last?.sequence : nil
        )
        return Response(json: page)
    }

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("events", events)
            if let next { json.member("next", next) }
        }
    }
}

/// An event with its sequence, tick and time, in one flat object: `{kind, …, sequence, tick, at}`.
struct EventView: JSONWritable {
    private let stored: StoredEvent

    init(_ stored: StoredEvent) { self.stored = stored }

    func write(to json: inout JSONWriter) {
        // The event's own object, without its closing brace.
        json.value(encoded: Array(stored.event.json.dropLast()))
        json.member("sequence", stored.sequence)
        json.member("tick", stored.tick)
        json.member("at", stored.at.rfc3339)
        json.close("}")
    }
}
