import Encodings
import GameCore
import GameLog
import GameStore
import GameTestSupport
import ServiceRuntime
import TestSupport
import Testing

@testable import GameEngine

/// Nodes of two versions on one database, as during an upgrade and after its way back.
@Suite struct TwoVersionsTests {
    /// A node: engine, commands and store of one version.
    private struct Node {
        let store: GameStore
        let commands: GameCommands
        let engine: GameEngine

        init(knowing version: RulesVersion, in world: World) {
            var store = GameStore(pool: world.pool, clock: .manual { [clock = world.clock] in clock.now })
            store.version = version
            self.store = store
            let wakeSignal = WakeSignal()
            commands = GameCommands(
                store: store,
                settings: world.settings,
                runtime: world.runtime,
                wakeSignal: wakeSignal
            )
            engine = GameEngine(
                store: store,
                runtime: world.runtime,
                wakeSignal: wakeSignal,
                logger: world.logs.logger
            )
        }

        func start(_ party: Party) async throws -> StoredAdventure {
            try await commands.startBossFight(of: party.id, against: "old-tangle", by: .test)
        }

        /// Lets a turn pass, and runs a poll cycle of the engine.
        func play(in world: World) async throws -> GameEngine.PollCycle {
            world.clock.advance(by: world.settings.bossTurn + .seconds(1))
            return try await engine.runPollCycle()
        }

        func tick(of adventure: StoredAdventure) async throws -> Int? {
            try await store.adventure(adventure.id)?.adventure.tick
        }

        /// Expects that nothing of the shards with these adventures is shown or decided.
        func expectRefusal(of adventures: [StoredAdventure]) async throws {
            for adventure in adventures {
                let shard = adventure.id.shard
                func isNewer(_ error: any Error) -> Bool {
                    if case StoreError.newerShard(shard, requires: RulesVersion.v3.rawValue) = error {
                        true
                    } else {
                        false
                    }
                }
                #expect(try await store.heads(of: [shard]).map(\.isSupported) == [false])
                await #expect(performing: { try await store.adventure(adventure.id) }, throws: isNewer)
                await #expect(performing: { try await store.replay(adventure.id) }, throws: isNewer)
                await #expect(performing: { try await commands.end(adventure.id, by: .test) }, throws: isNewer)
                await #expect(performing: { try await store.moveClock(of: shard) }, throws: isNewer)
            }
        }
    }

    @Test func `an older node leaves only the shards with newer rules, during an upgrade and after its way back`()
        async throws
    {
        try await World.with { world in
            var parties: [Party] = []
            while parties.count < 2 {
                let party = try await world.party(of: [try await world.player()])
                if party.id.shard != parties.first?.id.shard { parties.append(party) }
            }
            let old = Node(knowing: .v2, in: world)
            let first = try await old.start(parties[0])
            let second = try await old.start(parties[1])
            #expect(first.adventure.rules == .v2 && second.adventure.rules == .v2)
            #expect(try await old.play(in: world) == GameEngine.PollCycle(moves: 2))

            // The new node plays on under the rules with which the adventures began, and both derive the same.
            var new = Node(knowing: .v3, in: world)
            #expect(try await new.play(in: world) == GameEngine.PollCycle(moves: 2))
            for node in [old, new] { #expect(try await node.tick(of: first) == 2) }
            #expect(try await old.store.adventure(first.id)?.digest == new.store.adventure(first.id)?.digest)
            _ = try await new.commands.end(second.id, by: .test)
            #expect(try await old.store.adventure(second.id)?.endedAt != nil)

            // An adventure with new rules closes its shard to the old node, with what it has read there before.
            let third = try await new.start(parties[1])
            #expect(third.adventure.rules == .v3)
            try await old.expectRefusal(of: [second, third])
            #expect(try await old.play(in: world) == GameEngine.PollCycle(moves: 1))
            #expect(try await old.tick(of: first) == 3)
            #expect(try await new.tick(of: third) == 0)
            #expect(try await new.play(in: world) == GameEngine.PollCycle(moves: 2))
            let shown = try #require(try await new.store.adventure(third.id))
            #expect(shown.adventure.tick == 2)

            // The way back: another old node works on in the other shard, and the new adventure waits.
            let back = Node(knowing: .v2, in: world)
            let before = try await new.store.heads(of: [third.id.shard])
            for _ in 0..<3 { #expect(try await back.play(in: world).failures == 0) }
            try await back.expectRefusal(of: [second, third])
            #expect(try await new.store.heads(of: [third.id.shard]) == before)
            _ = try await back.commands.end(first.id, by: .test)
            let fourth = try await back.start(parties[0])
            #expect(fourth.adventure.rules == .v2)

            // The upgrade after all.
            new = Node(knowing: .v3, in: world)
            #expect(try await new.store.adventure(third.id)?.digest == shown.digest)
            #expect(try await new.play(in: world).failures == 0)
            #expect(try await new.tick(of: third) ?? 0 > 2)
            for adventure in [first, second, third, fourth] {
                #expect(try await new.store.replay(adventure.id)?.stored.adventure.rules == adventure.adventure.rules)
            }
        }
    }
}
