import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import Synchronization
import TestSupport
import Testing

/// What a reader has seen is never taken back: commands, clocks and readers race.
@Suite struct FenceTests {
    /// What a reader saw at one moment.
    private struct Sight: Sendable {
        let head: ShardHead
        let events: [StoredEvent]
    }

    private final class Race: Sendable {
        let state: Mutex<(writers: Int, sights: [Sight])>

        init(writers: Int) { state = Mutex((writers, [])) }
    }

    /// Reads the head first, as every reader does, then the events.
    private func look(at id: AdventureID, _ world: World) async throws -> Sight {
        let head = try await world.store.heads(of: [id.shard])[0]
        return Sight(head: head, events: try await world.store.events(of: id, after: 0, limit: 10_000))
    }

    private func perform(_ command: Command, in id: AdventureID, by player: PlayerID, _ world: World) async throws {
        do {
            try await unlessLocked {
                _ = try await world.commands.perform(command, in: id, by: player, request: nil) { _, _ in
                    EncodedResponse(status: 200, body: "")
                }
            }
        } catch is CommandError {
            // Not the player's turn, for example.
        }
    }

    /// Changes something, unless others keep the shard locked for too long: on a busy machine eight writers may.
    private func unlessLocked(_ change: () async throws -> Void) async throws {
        do {
            try await change()
        } catch {
            guard case .lockTimedOut = DatabaseFailure(error) else { throw error }
        }
    }

    @Test func `refused commands do not keep the clock from moving`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [try await world.player("Ada")])
            let fight = try await world.commands.startBossFight(of: party.id, against: "glitch", by: .test)
            func refused() async throws -> ShardHead {
                await #expect(throws: CommandError.party(.adventureRunning)) {
                    try await world.commands.startBossFight(of: party.id, against: "glitch", by: .test)
                }
                return try await world.store.heads(of: [fight.id.shard])[0]
            }
            world.clock.advance(by: .seconds(16))
            let due = try await refused()
            #expect(due.clock == world.clock.now)
            #expect(try await world.store.adventure(fight.id)?.adventure.tick == 1)
            // Otherwise a refusal writes nothing.
            world.clock.advance(by: .milliseconds(1))
            #expect(try await refused() == due)
        }
    }

    @Test func `whatever a reader saw is a prefix of what everybody sees later`() async throws {
        var options = World.Options()
        // Each look at the clock takes a second, so turns pass while commands race.
        options.clock = TestClock(step: .seconds(1))
        try await World.with(options) { world in
            let players = [
                try await world.player("Ada", hero: "zippy"), try await world.player("Ben", hero: "boulder"),
            ]
            let party = try await world.party(of: players)
            let fight = try await world.commands.startBossFight(of: party.id, against: "cinderwing", by: .test)
            let shard = fight.id.shard
            let race = Race(writers: players.count * 3 + 2)
            try await withThrowingTaskGroup { group in
                for player in players {
                    for command in [Command.attack, .guardUp, .policy(.automatic)] {
                        group.addTask {
                            defer { race.state.withLock { $0.writers -= 1 } }
                            for _ in 0..<25 { try await perform(command, in: fight.id, by: player, world) }
                        }
                    }
                }
                for _ in 0..<2 {
                    group.addTask {
                        defer { race.state.withLock { $0.writers -= 1 } }
                        for _ in 0..<40 { try await unlessLocked { _ = try await world.store.moveClock(of: shard) } }
                    }
                }
                for _ in 0..<3 {
                    group.addTask {
                        while race.state.withLock({ $0.writers > 0 }) {
                            let sight = try await look(at: fight.id, world)
                            race.state.withLock { $0.sights.append(sight) }
                        }
                    }
                }
                try await group.waitForAll()
            }

            let log = try await world.store.log(of: shard, after: 0, limit: 10_000)
            let final = try await world.store.events(of: fight.id, after: 0, limit: 10_000)
            try #require(final.count > 40 && log.count > 10)
            let seen = race.state.withLock { $0.sights }
            for sight in seen {
                let events = sight.events
                #expect(events.map(\.event) == final.prefix(events.count).map(\.event))
                #expect(events.map(\.at) == final.prefix(events.count).map(\.at))
                // Everything up to the clock was known, and nothing is decided before it afterwards.
                #expect(events.count >= final.count { $0.at <= sight.head.clock })
                #expect(log.dropFirst(Int(sight.head.head)).allSatisfy { $0.at > sight.head.clock })
                if sight.head.head > 0 { #expect(log[Int(sight.head.head) - 1].digest == sight.head.digest) }
            }
            try #require(Set(seen.map(\.head.clock)).count > 10)
            _ = try await world.store.replay(fight.id)
        }
    }
}
