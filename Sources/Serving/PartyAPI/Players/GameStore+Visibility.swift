import GameCore
import GameEngine
import GameStore

extension GameStore {
    /// An adventure for those who have a seat in it and for the members of its party: a party can hold members who came
    /// when every seat was taken.
    /// - Throws: ``CommandError/unknownAdventure`` for everybody else, as if there were none.
    func adventure(_ id: AdventureID, visibleTo playerID: PlayerID) async throws -> StoredAdventure {
        try await shown(try await adventure(id), to: playerID)
    }

    /// An adventure that was found, if the player may see it.
    /// - Throws: ``CommandError/unknownAdventure``, also for none.
    func shown(_ found: StoredAdventure?, to playerID: PlayerID) async throws -> StoredAdventure {
        guard let stored = found else { throw CommandError.unknownAdventure }
        let isSeated = stored.adventure.heroes.contains { $0.playerID == playerID && !$0.hasLeft }
        if !isSeated {
            let party = try await party(stored.partyID)
            guard party?.member(playerID) != nil else { throw CommandError.unknownAdventure }
        }
        return stored
    }
}
