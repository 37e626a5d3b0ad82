import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import TestSupport
import Testing

/// Ends that come together.
@Suite struct EndsTests {
    private let shard = Shard(rawValue: 9)
    private let count = 450

    /// Starts journeys of many parties in one transaction.
    private func startJourneys(in world: World) async throws -> [StoredAdventure] {
        try await world.store.withShard(shard) { transaction in
            var generator = SeededGenerator(seed: 1)
            return try (0..<count).map { number in
                let player = PlayerID(at: transaction.now, using: &generator)
                let founder = Member(
                    playerID: player,
                    displayName: "Ada",
                    hero: "spouty",
                    experience: number,
                    joinedAt: transaction.now
                )
                var party = Party(
                    id: PartyID(at: transaction.now, in: shard, using: &generator),
                    name: "Party",
                    inviteCode: InviteCode(using: &generator),
                    capacity: 8,
                    founder: founder
                )
                transaction.insert(party)
                let id = AdventureID(at: transaction.now, in: shard, using: &generator)
                try party.startAdventure(id, by: nil)
                transaction.update(party)
                let hero = Hero(playerID: player, id: "spouty", experience: number, potions: 2)
                let opening = Adventure.journey(in: RegionCatalogue.all[0].id, heroes: [hero], seed: UInt64(number))
                return transaction.start(id, of: party.id, with: opening, interval: .seconds(10)).0
            }
        }
    }

    @Test func `all ends are recorded within a poll, even more than one transaction closes`() async throws {
        try await World.with { world in
            let adventures = try await startJourneys(in: world)
            world.clock.advance(by: .seconds(2_000))
            let cycle = try await world.engine().runPollCycle()
            #expect(cycle.moves == 3 && cycle.ends == count && cycle.failures == 0)
            #expect(try await world.store.backlogStatistics().journeys == 0)
            for result in try await world.store.adventures(adventures.map(\.id), of: shard) {
                let stored = try result.get()
                let party = try await world.party(stored.partyID)
                #expect(party.adventureID == nil)
                #expect(party.members.map(\.experience) == stored.adventure.heroes.map(\.experience))
            }
            let log = try await world.store.log(of: shard, after: 0, limit: 1_000)
            #expect(log.count == 2 * count)
            #expect(Set(log.suffix(count).map(\.adventureID)) == Set(adventures.map(\.id)))
        }
    }

    @Test func `a party starts its next adventure even if more ends than a transaction closes come first`() async throws
    {
        try await World.with { world in
            let adventures = try await startJourneys(in: world)
            func steps(_ stored: StoredAdventure) -> Int { stored.adventure.progress?.steps ?? 0 }
            let last = try #require(adventures.max { steps($0) < steps($1) })
            world.clock.advance(by: .seconds(2_000))
            let next = try await world.commands.startBossFight(of: last.partyID, against: "glitch", by: .test)
            #expect(next.startedAt == world.clock.now)
            let closed = try await world.store.log(of: shard, after: Int64(count), limit: 1_000)
            #expect(closed.count == 202 && closed.dropLast().last?.adventureID == last.id)
            #expect(try await world.store.backlogStatistics().journeys == count - 201)
        }
    }
}
