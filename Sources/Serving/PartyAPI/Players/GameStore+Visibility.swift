import GameCore
import GameEngine
import GameLog
import GameStore

extension GameStore {
    /// Reads an adventure for a player with a seat in it, or for a member of its party.
    ///
    /// A member may have no seat, because all were occupied.
    /// - Throws: ``CommandError/unknownAdventure`` for other players, as for an adventure that does not exist.
    func adventure(_ id: AdventureID, visibleTo playerID: PlayerID) async throws -> StoredAdventure {
        try await requireVisible(try await adventure(id), to: playerID)
    }

    /// Returns an adventure if a player may see it.
    /// - Throws: ``CommandError/unknownAdventure`` if not, or if there is no adventure.
    func requireVisible(_ found: StoredAdventure?, to playerID: PlayerID) async throws -> StoredAdventure {
        guard let stored = found else { throw CommandError.unknownAdventure }
        let isSeated = stored.adventure.heroes.contains { $0.playerID == playerID && !$0.hasLeft }
        if !isSeated {
            let party = try await party(stored.partyID)
            guard party?.member(playerID) != nil else { throw CommandError.unknownAdventure }
        }
        return stored
    }
}
