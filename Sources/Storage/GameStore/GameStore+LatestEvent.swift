public import GameCore

extension GameStore {
    /// Returns the latest event of an adventure that satisfies a predicate; nil if there is none.
    ///
    /// Starts with the last 16 events, where most results are, and extends the search until it finds one.
    /// - Throws: `PostgresError`; ``StoreError/undecodable(table:id:reason:)`` for an event that this version cannot
    ///   decode.
    public func latestEvent(of stored: StoredAdventure, where predicate: (AdventureEvent) -> Bool) async throws
        -> AdventureEvent?
    {
        let newest = stored.adventure.sequence
        var count = 16
        while true {
            let events = try await events(of: stored.id, after: max(0, newest - count), limit: count)
            if let found = events.last(where: { predicate($0.event) }) { return found.event }
            guard count < newest else { return nil }
            count *= 4
        }
    }
}
