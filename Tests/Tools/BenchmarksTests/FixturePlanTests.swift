import Encodings
import GameCore
import GameFixtures
import GameStore
import Testing

@testable import Benchmarks

@Suite struct FixturePlanTests {
    @Test(arguments: [100, 10_000, 100_000, 1_000_000])
    func `the number of ticks per transaction does not depend on the number of parties`(parties: Int) {
        let (plan, step, roundsPerInterval) = TicksBenchmark.plan(parties)
        #expect(step * roundsPerInterval == plan.interval)
        let slots = Int(step / plan.slotLength)
        let perShard = Double(plan.parties) / Double(plan.shards)
        let due = perShard * Double(slots) / Double(FixturePlan.slots)
        if parties >= TicksBenchmark.ticksPerTransaction {
            #expect((0.8...1.1).contains(due / Double(TicksBenchmark.ticksPerTransaction)))
        } else {
            #expect(due == Double(parties))
        }
    }

    @Test func `a shard's journeys and fights are spread evenly over the slots`() throws {
        let plan = FixturePlan(
            parties: 2_000,
            shards: 4,
            interval: .seconds(10),
            start: Timestamp(epochSeconds: 1_750_000_000),
            ticksPlayed: 5,
            distinctAdventures: 16
        )
        let adventures = try plan.adventures()
        var dueAt: [Duration: Int] = [:]
        var phases: [Int: Int] = [:]
        for number in plan.numbers(in: 3) {
            let played = adventures[number % adventures.count]
            let party = plan.party(number, in: played, tokens: [[1], [2]])
            #expect(party.adventure.id.shard == Shard(rawValue: 3))
            #expect((party.adventure.phase == nil) == (party.adventure.adventure.kind == .bossFight))
            #expect((party.adventure.turnDueAt == nil) == (party.adventure.adventure.kind == .journey))
            if let due = party.adventure.turnDueAt { dueAt[due - plan.start, default: 0] += 1 }
            if let phase = party.adventure.phase { phases[phase, default: 0] += 1 }
        }
        // 250 of each in 100 slots.
        #expect(dueAt.count == 100 && dueAt.values.allSatisfy { (2...3).contains($0) })
        #expect(dueAt.keys.min() == .milliseconds(100) && dueAt.keys.max() == .seconds(10))
        #expect(phases.count == 100 && phases.values.allSatisfy { (2...3).contains($0) })
    }

    @Test func `few parties are spread over the interval too`() throws {
        let plan = FixturePlan(
            parties: 100,
            shards: 100,
            interval: .seconds(10),
            start: Timestamp(epochSeconds: 1_750_000_000),
            ticksPlayed: 5,
            distinctAdventures: 100
        )
        #expect(Set((0..<100).map(plan.slot)).count == 100)
        #expect(try plan.adventures().count { $0.adventure.kind == .journey } == 50)
    }

    @Test func `identifiers are unique`() {
        let plan = TicksBenchmark.plan(1_000).plan
        var seen: Set<String> = []
        for number in 0..<plan.parties {
            seen.insert("\(plan.adventureID(number))")
            for seat in 0..<FixturePlan.heroes {
                seen.insert("\(plan.playerID(number, seat: seat))")
                seen.insert("\(plan.activityID(number, seat: seat))")
            }
        }
        #expect(seen.count == plan.parties * (1 + 2 * FixturePlan.heroes))
    }

    @Test func `adventures are running and have played different numbers of ticks`() throws {
        let plan = TicksBenchmark.plan(100).plan
        let played = try plan.adventures()
        #expect(played.allSatisfy { $0.adventure.status == .running && $0.opening.status == .ready })
        #expect(Set(played.map(\.adventure.tick)).count > 1)
        #expect(Set(played.map(\.adventure.kind)) == Set(AdventureKind.allCases))
    }
}
