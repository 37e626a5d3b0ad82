import Foundation
public import GameCore

extension PlayerClient {
    /// Starts a journey of a party.
    /// - Parameters:
    ///   - party: a party that the player leads.
    ///   - region: the region to travel through.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the journey at its start.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func startJourney(
        of party: PartyID,
        in region: RegionID,
        key: IdempotencyKey? = nil
    ) async throws -> AdventureResponse {
        let body = ["kind": AdventureKind.journey.rawValue, "region": region.rawValue]
        return try await http.write("POST", "v1/parties/\(party)/adventures", body, key: key)
    }

    /// Returns the current state of an adventure.
    public func adventure(_ id: AdventureID) async throws -> AdventureResponse {
        try await http.get("v1/adventures/\(id)")
    }

    /// Returns a page of an adventure's events.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - sequence: the sequence number of the last known event; 0 for none.
    ///   - limit: the maximum number of events, 1 to 1,000; nil for the server's default.
    /// - Returns: the events after the last known one.
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

    /// Returns all events of an adventure after the last known one, from as many pages as necessary.
    public func allEvents(of id: AdventureID, after sequence: Int = 0) async throws -> [EventResponse] {
        var events: [EventResponse] = []
        var next: Int? = sequence
        while let after = next {
            let page = try await self.events(of: id, after: after)
            events += page.events
            next = page.next
        }
        return events
    }

    /// Sends a command to an adventure.
    /// - Parameters:
    ///   - command: the command.
    ///   - id: the adventure.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the events that the command caused, and the adventure after it.
    /// - Throws: ``RangersError/problem(_:)`` with a ``ProblemType/refusal`` if the game refuses the command; any other
    ///   ``RangersError``; `CancellationError`.
    @discardableResult
    public func run(
        _ command: Command,
        in id: AdventureID,
        key: IdempotencyKey? = nil
    ) async throws -> CommandResponse {
        try await http.write("POST", "v1/adventures/\(id)/commands", command, key: key)
    }
}
