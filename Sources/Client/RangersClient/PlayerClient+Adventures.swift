import Foundation
public import GameCore

extension PlayerClient {
    /// Sets out with a party.
    /// - Parameters:
    ///   - party: which the player leads.
    ///   - region: where to.
    ///   - key: nil for a new one.
    /// - Returns: the journey as it begins.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func startJourney(
        of party: PartyID,
        in region: RegionID,
        key: IdempotencyKey? = nil
    ) async throws -> AdventureAnswer {
        let body = ["kind": AdventureKind.journey.rawValue, "region": region.rawValue]
        return try await http.write("POST", "v1/parties/\(party)/adventures", body, key: key)
    }

    /// An adventure as it is now.
    public func adventure(_ id: AdventureID) async throws -> AdventureAnswer {
        try await http.get("v1/adventures/\(id)")
    }

    /// A page of an adventure's events.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - sequence: the last event that is known; 0 before the first.
    ///   - limit: how many events at most, 1 to 1,000; nil for what the server takes to be enough.
    /// - Returns: the events after it.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func events(
        of id: AdventureID,
        after sequence: Int = 0,
        limit: Int? = nil
    ) async throws -> EventPage {
        var query = [URLQueryItem(name: "after", value: "\(sequence)")]
        if let limit { query.append(URLQueryItem(name: "limit", value: "\(limit)")) }
        return try await http.get("v1/adventures/\(id)/events", query: query)
    }

    /// Every event of an adventure after one, however many pages that takes.
    public func allEvents(of id: AdventureID, after sequence: Int = 0) async throws -> [AdventureEvent] {
        var events: [AdventureEvent] = []
        var next: Int? = sequence
        while let after = next {
            let page = try await self.events(of: id, after: after)
            events += page.events
            next = page.next
        }
        return events
    }

    /// Asks for something in an adventure.
    /// - Parameters:
    ///   - command: what.
    ///   - id: the adventure.
    ///   - key: nil for a new one.
    /// - Returns: what happened by it.
    /// - Throws: ``RangersError/problem(_:)`` with a ``ProblemType/refusal`` when the game does not let it happen.
    @discardableResult
    public func run(
        _ command: Command,
        in id: AdventureID,
        key: IdempotencyKey? = nil
    ) async throws -> CommandAnswer {
        try await http.write("POST", "v1/adventures/\(id)/commands", command, key: key)
    }
}
