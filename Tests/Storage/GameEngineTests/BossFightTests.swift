import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@Suite struct BossFightTests {
    private static let boss = BossCatalogue.all[0].id

    /// Attacks, and returns a response with the number of events and the adventure's sequence.
    private func attack(
        _ world: World,
        _ stored: StoredAdventure,
        by player: PlayerID,
        request: IdempotentRequest? = nil
    ) async throws -> EncodedResponse {
        try await world.commands.perform(.attack, in: stored.id, by: player, request: request) { events, after in
            EncodedResponse(status: 200, body: "\(events.count) events, sequence \(after.adventure.sequence)")
        }
    }

    /// Lets turns pass until a hero's turn is open, and returns its player.
    private func playersTurn(_ world: World, _ stored: StoredAdventure) async throws -> PlayerID {
        for _ in 0..<20 {
            let now = try #require(try await world.store.adventure(stored.id))
            if let seat = now.adventure.turn?.hero { return now.adventure.heroes[seat.rawValue].playerID }
            world.clock.advance(by: .seconds(15))
            _ = try await world.engine().runPollCycle()
        }
        return try #require(nil as PlayerID?, "no hero's turn within 20 turns")
    }

    @Test func `a turn passes at its deadline, not before`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let stored = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            let engine = world.engine()
            world.clock.advance(by: .seconds(14))
            #expect(try await engine.runPollCycle().moves == 1)
            #expect(try await world.store.adventure(stored.id)?.adventure.tick == 0)
            world.clock.advance(by: .milliseconds(1_001))
            #expect(try await engine.runPollCycle().moves == 1)
            #expect(try await engine.runPollCycle().moves == 0)
            let now = try #require(try await world.store.adventure(stored.id))
            #expect(now.adventure.tick == 1 && now.turnDueAt == stored.startedAt + .seconds(30))
        }
    }

    @Test func `a command in the player's turn resolves it and opens the next deadline`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let stored = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            let player = try await playersTurn(world, stored)
            let before = try #require(try await world.store.adventure(stored.id))
            world.clock.advance(by: .seconds(10))
            _ = try await attack(world, stored, by: player)
            let after = try #require(try await world.store.adventure(stored.id))
            #expect(after.adventure.turn != before.adventure.turn)
            #expect(after.turnDueAt == world.runtime.now() + .seconds(15))
            await #expect(throws: CommandError.adventure(.notYourTurn)) {
                let others = after.adventure.heroes.map(\.playerID)
                let turn = after.adventure.turn?.hero.map { after.adventure.heroes[$0.rawValue].playerID }
                let waiting = try #require(others.first { $0 != turn })
                _ = try await attack(world, stored, by: waiting)
            }
        }
    }

    @Test func `a command repeated with its key is applied once, also concurrently`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada"), world.player("Ben")])
            let stored = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            let player = try await playersTurn(world, stored)
            let before = try #require(try await world.store.adventure(stored.id)).adventure.sequence
            let request = IdempotentRequest(key: "one", hash: [1])
            let responses = try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { try await attack(world, stored, by: player, request: request) }
                }
                return try await group.reduce(into: [EncodedResponse]()) { $0.append($1) }
            }
            #expect(responses.count { !$0.isReplayed } == 1)
            let after = try #require(try await world.store.adventure(stored.id)).adventure.sequence
            #expect(Set(responses.map(\.body)) == ["\(after - before) events, sequence \(after)"])
            await #expect(throws: CommandError.keyReused) {
                _ = try await attack(world, stored, by: player, request: IdempotentRequest(key: "one", hash: [2]))
            }
        }
    }

    @Test func `after an operator ends a fight, nothing is due`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada")])
            let stored = try await world.commands.startBossFight(of: party.id, against: Self.boss, by: .test)
            _ = try await world.commands.end(stored.id, by: .test)
            world.clock.advance(by: .seconds(60))
            #expect(try await world.engine().runPollCycle().moves == 0)
            #expect(try await world.party(party.id).adventureID == nil)
            await #expect(throws: CommandError.adventure(.adventureOver)) {
                _ = try await world.commands.end(stored.id, by: .test)
            }
        }
    }
}
