import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import TestSupport
import Testing

@testable import PushDispatch
@testable import PushDispatcher

/// How a dispatcher knows the names of players, which alerts need where heroes are equal.
@Suite struct PlayerNameTests {
    @Test func `names are loaded for equal heroes, come with who joins, and go with who is erased`() async throws {
        try await DispatchWorld.with { world in
            let (stored, players, _, _) = try await world.shownFight()
            var dispatcher = SteppedDispatcher(in: world)
            dispatcher.accept(try await dispatcher.push())
            #expect(await dispatcher.loop.playerNames(in: stored.id) == ["Ada", "Ben"])

            let party = try #require(try await world.store.party(stored.partyID))
            _ = try await world.game.join(party, try await world.game.player("Cleo"))
            await dispatcher.runCycle()
            #expect(await dispatcher.loop.playerNames(in: stored.id) == ["Ada", "Ben", "Cleo"])

            try await world.commands.erase(players[1])
            await dispatcher.runCycle()
            #expect(await dispatcher.loop.playerNames(in: stored.id) == ["Ada", "Cleo"])
        }
    }
}

extension DispatchLoop {
    /// The names that alerts about an adventure may have.
    fileprivate func playerNames(in id: AdventureID) -> [String] {
        (shards[id.shard]?.follower.adventures[id]?.playerNames.values).map { $0.sorted() } ?? []
    }
}
