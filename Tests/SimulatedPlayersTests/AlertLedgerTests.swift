import GameCore
import LiveActivityContent
import Testing

@testable import SimulatedPlayers

@Suite struct AlertLedgerTests {
    private let mina = SampleAdventure.roles[0]
    private let ember = Seat(rawValue: 1)

    private func condition(_ fight: SampleAdventure) throws -> StoryCondition {
        StoryCheck.alerts(of: [try fight.evidence()])
    }

    @Test func `alerts that came are counted`() throws {
        let condition = try condition(.fight)
        #expect(condition.faults == [])
        #expect(condition.note == "4 came, 0 were cancelled before they could be sent")
    }

    @Test func `an alert that never came is missing`() throws {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.remove(at: 2)
        #expect(
            try condition(fight).faults == [
                "Mina's phone, boss fight: the alert \"Ember is down!\" (event 3) never came"
            ]
        )
    }

    @Test func `an alert at priority 5 is too quiet`() throws {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?[2].priority = 5
        #expect(try condition(fight).faults.count == 1)
    }

    @Test func `an alert without its own sound is another alert`() throws {
        var fight = SampleAdventure.fight
        let alert = SampleAdventure.down(seenBy: mina)
        fight.pushes[mina]?[2].alert = .init(title: alert.title, body: alert.body, sound: "boss-defeated.wav")
        // Once for the alert that came for nothing, once for the one that never came.
        #expect(try condition(fight).faults.count == 2)
    }

    @Test func `a hero who is up again at once needs no alert`() throws {
        var fight = SampleAdventure.fight
        fight.events.insert((11, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.pushes[mina]?.remove(at: 2)
        let condition = try condition(fight)
        #expect(condition.faults == [])
        #expect(condition.note == "3 came, 1 were cancelled before they could be sent")
    }

    @Test func `a hero who is up again much later needed one`() throws {
        var fight = SampleAdventure.fight
        fight.events.insert((16, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.pushes[mina]?.remove(at: 2)
        #expect(try condition(fight).faults.count == 1)
    }

    @Test func `a boss's defeat is told whatever comes after it`() throws {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.remove(at: 3)
        #expect(try condition(fight).faults.count == 1)
    }

    @Test func `a hero who goes down twice is alerted twice`() throws {
        var fight = SampleAdventure.fight
        fight.events.insert((14, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.events.insert((15, .heroDown(hero: ember)), at: 4)
        for role in SampleAdventure.roles {
            fight.pushes[role]?.removeAll { $0.kind == .end || $0.alert == SampleAdventure.defeated }
            fight.pushes[role]?.append(.init(after: 20.2, priority: 10, sequence: 7, alert: SampleAdventure.defeated))
        }
        let faults = try condition(fight).faults
        #expect(faults.count == 2)
        #expect(faults.allSatisfy { $0.hasSuffix("(event 5) never came") })
    }

    @Test func `what happened before the phone was known is shown, and not alerted`() throws {
        var fight = SampleAdventure.fight
        fight.events[2].after = 0
        for role in SampleAdventure.roles {
            fight.pushes[role]?.removeAll { $0.alert == SampleAdventure.down(seenBy: role) }
            fight.pushes[role]?[0].sequence = 3
        }
        #expect(try condition(fight).faults == [])
    }
}
