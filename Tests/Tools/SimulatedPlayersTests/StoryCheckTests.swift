import GameCore
import LiveActivityContent
import Testing

@testable import SimulatedPlayers

@Suite struct StoryCheckTests {
    private let mina = SampleAdventure.roles[0]
    private let sora = SampleAdventure.roles[1]

    private func report(_ journey: SampleAdventure, _ fight: SampleAdventure) -> StoryReport {
        var budgets = PhoneBudgets()
        return StoryCheck.report(journey: journey.evidence(), bossFight: fight.evidence(), spending: &budgets)
    }

    @Test func `all conditions hold for a correct story`() {
        let report = report(SampleAdventure.journey, SampleAdventure.fight)
        #expect(report.conditions.flatMap(\.faults) == [])
        #expect(report.holds)
        #expect(report.phones.map(\.bossFight.priority10) == [4, 3])
        #expect(report.phones.map(\.journey.priority5) == [2, 2])
        #expect(report.phones.map(\.alerts) == [2, 2])
        #expect(report.phones.map(\.ends) == [2, 2])
    }

    @Test func `the report has a table and names the phone with a wrong state`() {
        var fight = SampleAdventure.fight
        fight.stateChanges[mina] = { $0.tick = 6 }
        let report = report(SampleAdventure.journey, fight)
        #expect(!report.holds)
        #expect(report.lines.contains { $0.hasPrefix("Mina") && $0.hasSuffix("WRONG") })
        #expect(report.lines.contains { $0.hasPrefix("Sora") && $0.hasSuffix("right") })
        #expect(report.lines.contains("    Mina's phone, boss fight: tick: the phone shows 6, the server has 7"))
    }

    @Test(
        arguments: [
            "sequence", "outcome", "health", "own health", "down", "boss's health", "boss's phase", "turn",
            "hero's name", "no heroes",
        ]
    )
    func `a phone with a wrong state is a fault`(what: String) {
        var fight = SampleAdventure.fight
        fight.stateChanges[sora] = { state in
            switch what {
            case "sequence": state.sequence -= 1
            case "outcome": state.outcome = nil
            case "health": state.heroes[0].healthLevel = 0.502
            case "own health": state.currentHealthLevel = 0.5
            case "down": state.heroes[1].isDown = false
            case "boss's health": state.boss?.healthLevel = 0.001
            case "boss's phase": state.boss?.phase = nil
            case "turn": state.turn = .init(number: 7, heroIndex: nil, endsEpochSeconds: nil)
            case "hero's name": state.heroes[0].name = "Splash"
            default: state.heroes = []
            }
        }
        #expect(StoryCheck.lastStates(of: [fight.evidence()]).faults.count == 1)
    }

    @Test func `loot at priority 10 is a fault`() {
        var journey = SampleAdventure.journey
        journey.pushes[sora]?[1].priority = 10
        #expect(StoryCheck.lowPriorityEvents(of: journey.evidence()).faults.count == 1)
    }

    @Test func `neither the first state nor the state after a cancelled alert may have priority 10`() {
        var journey = SampleAdventure.journey
        journey.pushes[sora]?[0].priority = 10
        #expect(StoryCheck.lowPriorityEvents(of: journey.evidence()).faults.count == 1)
        journey = SampleAdventure.journey
        let ember = Seat(rawValue: 1)
        journey.events.insert(
            contentsOf: [(5, .heroDown(hero: ember)), (5, .heroRevived(hero: ember, helper: nil))],
            at: 1
        )
        for role in SampleAdventure.roles {
            journey.pushes[role]?[1].sequence = 4
            journey.pushes[role]?[2].sequence = 5
        }
        #expect(StoryCheck.lowPriorityEvents(of: journey.evidence()).faults == [])
        journey.pushes[mina]?[1].priority = 10
        #expect(StoryCheck.lowPriorityEvents(of: journey.evidence()).faults.count == 1)
    }

    @Test func `a journey with loot but without pushes at priority 5 is a fault`() {
        var journey = SampleAdventure.journey
        for role in SampleAdventure.roles { journey.pushes[role]?.removeFirst(2) }
        #expect(StoryCheck.lowPriorityEvents(of: journey.evidence()).faults == ["no push had priority 5"])
    }

    @Test func `phones with frequent pushes without more pushes than the others are a fault`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.remove(at: 1)
        #expect(StoryCheck.frequency(of: fight.evidence()).faults == ["with: [4], without: [4]"])
    }

    @Test func `a missing end, a second end and a push after the end are faults`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.removeLast()
        #expect(StoryCheck.ends(of: [fight.evidence()]).faults == ["Mina's phone, boss fight: got end 0 times"])
        fight = SampleAdventure.fight
        fight.pushes[mina]?.append(.init(after: 23, priority: 10, kind: .end, sequence: 5))
        #expect(StoryCheck.ends(of: [fight.evidence()]).faults == ["Mina's phone, boss fight: got end 2 times"])
        fight = SampleAdventure.fight
        fight.pushes[mina]?.append(.init(after: 23, sequence: 5))
        #expect(
            StoryCheck.ends(of: [fight.evidence()]).faults == ["Mina's phone, boss fight: got a push after its end"]
        )
    }

    @Test func `an end that is repeated after a crash counts once`() {
        var fight = SampleAdventure.fight
        for after in [21.2, 26] {
            fight.pushes[mina]?.removeAll { $0.kind == .end && $0.id == nil }
            fight.pushes[mina]?.append(.init(after: after, priority: 10, kind: .end, sequence: 5, id: "the end"))
        }
        #expect(fight.pushes[mina]?.count { $0.kind == .end } == 2)
        fight.serverWasKilled = true
        #expect(StoryCheck.ends(of: [fight.evidence()]).holds)
    }

    @Test func `an end that is repeated without a crash is a fault, even with the same apns-id`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.removeLast()
        for after in [21.2, 22.2] {
            fight.pushes[mina]?.append(.init(after: after, priority: 10, kind: .end, sequence: 5, id: "the end"))
        }
        #expect(StoryCheck.ends(of: [fight.evidence()]).faults == ["Mina's phone, boss fight: got end 2 times"])
    }

    @Test func `a violation is a fault`() {
        var fight = SampleAdventure.fight
        fight.violations = [ViolationResponse(kind: "missingExpiration", activityID: nil, detail: "absent")]
        #expect(StoryCheck.violations(of: [fight.evidence()]).faults == ["missingExpiration: absent"])
    }

    @Test func `a phone that a visitor has changed is not judged`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.removeLast(2)
        #expect(!report(SampleAdventure.journey, fight).holds)
        fight.swiped = [mina]
        let swiped = report(SampleAdventure.journey, fight)
        #expect(swiped.conditions.flatMap(\.faults) == [])
        #expect(swiped.changedByVisitors == ["Mina's phone, boss fight"])

        fight.swiped = []
        fight.pushes[mina]?[2].reaction = "stored"
        #expect(report(SampleAdventure.journey, fight).holds)
    }
}
