import Encodings
import Testing

@testable import GameCore
@testable import GameLog

/// Raids of several shards: what the home adds up equals what the fights say, in every order of things.
struct RaidFollowerTests {
    @Test func `the damage of all fights equals the ledger's, and a replay gives every fight, byte for byte`() throws {
        var outcomes: [String: Int] = [:]
        var requests = 0
        var uncounted = 0
        for seed in UInt64(1)...60 {
            // Healths at which about half of the raids run out.
            var world = RaidWorld(seed: seed, health: 200 * (1 + Int(seed % 12)), seconds: 12)
            try world.playOut(stoppingAfter: seed % 7 == 0 ? .seconds(6) : nil)
            requests += world.requests

            let last = try #require(world.decisions.last)
            #expect(world.decisions.map(\.number) == Array(1...world.decisions.count), "seed \(seed)")
            #expect(world.decisions.dropLast().allSatisfy { $0.outcome == nil }, "seed \(seed)")
            #expect(last.dealt == world.ledger.dealt && last.dealt == world.totals.reduce(0) { $0 + $1.damage })

            var blows: [RaidBlow] = []
            var dealt = 0
            for state in world.shards {
                var damages: [PartyID: Int] = [:]
                for fight in state.fights {
                    let (replayed, events) = try world.replay(fight, in: state)
                    #expect(replayed.adventure.encoded == fight.stored.adventure.encoded, "seed \(seed)")
                    #expect(replayed.digest == fight.stored.digest, "seed \(seed)")
                    #expect(
                        events.map(\.event) == fight.events.map(\.event) && events.map(\.at) == fight.events.map(\.at)
                    )
                    damages[replayed.partyID, default: 0] += try #require(replayed.countedDamage)
                    blows += Self.blows(of: replayed.id, fight.opening, events)
                }
                #expect(state.follower.damages(in: RaidWorld.raidID) == damages, "seed \(seed)")
                dealt += damages.values.reduce(0, +)
            }
            #expect(dealt == last.dealt, "seed \(seed)")
            outcomes[Self.name(of: last.outcome), default: 0] += 1
            uncounted += blows.reduce(0) { $0 + $1.damage } - dealt

            // All blows in their order say the same.
            var health = world.ledger.maximumHealth
            let finishing = blows.sorted().first { blow in
                health -= blow.damage
                return health <= 0
            }
            if case .defeated(let blow) = last.outcome {
                #expect(blow.adventureID == finishing?.adventureID && blow.sequence == finishing?.sequence)
                #expect(blow.at == finishing?.at && blow.damage == (finishing?.damage ?? 0) + health, "seed \(seed)")
                #expect(last.dealt == world.ledger.maximumHealth && last.healthLeft == 0)
            } else {
                let counted = blows.filter { $0.at < last.roundEnd }.reduce(0) { $0 + $1.damage }
                #expect(last.dealt == counted && counted < world.ledger.maximumHealth, "seed \(seed)")
            }
        }
        #expect(outcomes.keys.sorted() == ["defeated", "escaped", "stopped"], "\(outcomes)")
        #expect(requests > 0 && uncounted > 0)
    }

    /// The blows in the events of a fight; earlier ones than its first round count as of its beginning.
    private static func blows(of id: AdventureID, _ opening: Adventure, _ events: [StoredEvent]) -> [RaidBlow] {
        events.compactMap { event in
            guard case .actionTaken(_, _, let damage) = event.event, damage > 0, let raid = opening.raid else {
                return nil
            }
            let moment = max(event.at, raid.countsFrom)
            return RaidBlow(at: moment, adventureID: id, sequence: event.sequence, damage: damage)
        }
    }

    private static func name(of outcome: RaidDecision.Outcome?) -> String {
        switch outcome {
        case nil: "running"
        case .defeated: "defeated"
        case .escaped: "escaped"
        case .stopped: "stopped"
        }
    }
}
