public import GameCore

extension GameStore {
    /// The newest event of an adventure that is of some kind; nil when there is none.
    ///
    /// Reads few where it is among the last ones, as most are, and more and more until it is found.
    /// - Throws: `PostgresError`; ``StoreError/undecodable(table:id:reason:)`` for an event that this version cannot read.
    public func newestEvent(of stored: StoredAdventure, where isWanted: (Event) -> Bool) async throws -> Event? {
        let newest = stored.adventure.sequence
        var reach = 16
        while true {
            let events = try await events(of: stored.id, after: max(0, newest - reach), limit: reach)
            if let found = events.last(where: { isWanted($0.event) }) { return found.event }
            guard reach < newest else { return nil }
            reach *= 4
        }
    }
}
