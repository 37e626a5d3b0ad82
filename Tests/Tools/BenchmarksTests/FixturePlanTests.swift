import Encodings
import GameCore
import GameFixtures
import GameLog
import GameStore
import PrivatePostgres
import Testing

@testable import Benchmarks

@Suite struct FixturePlanTests {
    private static let start = Timestamp(epochSeconds: 1_750_000_000)

    private func plan(_ parties: Int, shards: Int = 4, bossTurn: Duration = .seconds(30)) -> FixturePlan {
        .steady(parties: parties, shards: shards, journeyTick: .seconds(10), bossTurn: bossTurn, at: Self.start)
    }

    @Test func `a shard's journeys and fights are of all ages, and their ticks are spread evenly`() throws {
        let plan = plan(2_000)
        let openings = plan.openings()
        var counts: [AdventureKind: (tenths: [Int: Int], ages: [Int: Int])] = [:]
        for number in plan.numbers(in: 3) {
            let opening = openings[number % openings.count]
            let party = plan.party(number, of: opening, tokens: [[1], [2]])
            #expect(party.adventureID.shard == Shard(rawValue: 3))
            #expect((opening.adventure.kind == .journey) == plan.isJourney(number))
            let played = (Self.start - party.startedAt) / plan.interval(number)
            #expect(played >= 0 && played < Double(opening.ticks))
            let phase = Int(played.truncatingRemainder(dividingBy: 1) * 10)
            let age = Int(played / Double(opening.ticks) * 4)
            counts[opening.adventure.kind, default: ([:], [:])].tenths[phase, default: 0] += 1
            counts[opening.adventure.kind, default: ([:], [:])].ages[age, default: 0] += 1
        }
        // 250 of each kind.
        for (tenths, ages) in counts.values {
            #expect(tenths.count == 10 && tenths.values.allSatisfy { (20...30).contains($0) }, "\(tenths)")
            #expect(ages.count == 4 && ages.values.allSatisfy { (50...75).contains($0) }, "\(ages)")
        }
        #expect(plan.ticksPerSecond == 100 + 1_000.0 / 30)
    }

    @Test func `live parties have played few ticks, and half of them travel`() {
        let plan = FixturePlan.live(parties: 100, interval: .seconds(10))
        let openings = plan.openings()
        let ages = (0..<100).map { Int((plan.start - plan.start($0, of: openings[$0])) / .seconds(10)) }
        #expect(Set(ages) == Set(0...7))
        #expect(openings.count { $0.adventure.kind == .journey } == 50)
        #expect(openings.allSatisfy { $0.adventure.status == .ready && $0.ticks > 8 })
    }

    @Test func `identifiers are unique`() {
        let plan = plan(1_000)
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

    @Test func `loaded adventures are played up to the clock`() async throws {
        let plan = plan(20)
        let uri = try await TestDatabases.make()
        try await plan.load(into: uri) { _ in [[1, 2, 3]] }
        let store = GameStore(pool: BenchmarkPostgres.pool(uri), clock: .manual { Self.start })
        let openings = plan.openings()
        for number in 0..<plan.parties {
            let stored = try #require(try await store.adventure(plan.adventureID(number)))
            let played = (Self.start - stored.startedAt) / plan.interval(number)
            #expect(stored.adventure.tick == Int(played) && stored.adventure.status == .running)
            #expect(stored.startedAt == plan.start(number, of: openings[number]))
        }
        let statistics = try await store.backlogStatistics()
        #expect(statistics.journeys == 10 && statistics.bossFights == 10 && statistics.liveActivities == 20)
    }
}
