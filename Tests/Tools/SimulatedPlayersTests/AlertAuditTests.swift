import GameCore
import LiveActivityContent
import Testing

@testable import SimulatedPlayers

@Suite struct AlertAuditTests {
    private let mina = SampleAdventure.roles[0]
    private let ember = Seat(rawValue: 1)

    private func condition(_ fight: SampleAdventure, after budgets: PhoneBudgets = PhoneBudgets()) -> StoryCondition {
        StoryCheck.alerts(of: [fight.evidence()], after: budgets)
    }

    @Test func `shown alerts are counted`() {
        let condition = condition(.fight)
        #expect(condition.faults == [])
        #expect(condition.note == "4 shown, 0 cancelled by later events, 2.0 s of delay tolerated")
    }

    @Test func `a missing alert is a fault`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.remove(at: 2)
        #expect(
            condition(fight).faults == [
                "Mina's phone, boss fight: the alert \"Ember is down!\" (event 3) never arrived"
            ]
        )
    }

    @Test func `an alert at priority 5 is a fault`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?[2].priority = 5
        #expect(condition(fight).faults.count == 1)
    }

    @Test func `an alert that the phone drops is a fault, although APNs has accepted it`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?[2].reaction = "throttled"
        let condition = condition(fight)
        #expect(
            condition.faults == [
                "Mina's phone, boss fight: the alert \"Ember is down!\" (event 3) was not shown: throttled"
            ]
        )
        #expect(condition.note == "3 shown, 0 cancelled by later events, 2.0 s of delay tolerated")
    }

    @Test func `an alert about one of two equal heroes without the right player's name is a fault`() {
        var fight = SampleAdventure.fight
        fight.hero = "spouty"
        func send(_ title: LocalizableText, _ body: LocalizableText, to role: PlayerRole, at index: Int) {
            fight.pushes[role]?[index].alert = .init(title: title, body: body, sound: "hero-down.wav")
        }
        func sendName(_ name: String) {
            send(
                LocalizableText(key: "%@’s Spouty is down!", args: [name]),
                LocalizableText(key: "Give %@’s Spouty a potion.", args: [name]),
                to: mina,
                at: 2
            )
        }
        send(
            LocalizableText(key: "You are down!"),
            LocalizableText(key: "Spouty cannot fight on. Ask your party for a potion."),
            to: SampleAdventure.roles[1],
            at: 1
        )
        sendName("Sora")
        #expect(condition(fight).faults == [])
        sendName("Mina")
        // One fault for the unexpected alert, one for the missing alert.
        #expect(condition(fight).faults.count == 2)
    }

    @Test func `an alert with another sound is a fault`() {
        var fight = SampleAdventure.fight
        let alert = SampleAdventure.down(seenBy: mina)
        fight.pushes[mina]?[2].alert = .init(title: alert.title, body: alert.body, sound: "boss-defeated.wav")
        // One fault for the unexpected alert, one for the missing alert.
        #expect(condition(fight).faults.count == 2)
    }

    @Test func `a hero who is revived immediately needs no alert`() {
        var fight = SampleAdventure.fight
        fight.events.insert((11, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.pushes[mina]?.remove(at: 2)
        let condition = condition(fight)
        #expect(condition.faults == [])
        #expect(condition.note == "3 shown, 1 cancelled by later events, 2.0 s of delay tolerated")
    }

    @Test func `a hero who is revived much later needs an alert`() {
        var fight = SampleAdventure.fight
        fight.events.insert((16, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.pushes[mina]?.remove(at: 2)
        #expect(condition(fight).faults.count == 1)
    }

    @Test func `a boss's defeat always needs an alert`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.remove(at: 3)
        #expect(condition(fight).faults.count == 1)
    }

    @Test func `a hero who goes down twice needs two alerts`() {
        var fight = SampleAdventure.fight
        fight.events.insert((14, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.events.insert((15, .heroDown(hero: ember)), at: 4)
        for role in SampleAdventure.roles {
            fight.pushes[role]?.removeAll { $0.kind == .end || $0.alert == SampleAdventure.defeated }
            fight.pushes[role]?.append(.init(after: 20.2, priority: 10, sequence: 7, alert: SampleAdventure.defeated))
        }
        let faults = condition(fight).faults
        #expect(faults.count == 2)
        #expect(faults.allSatisfy { $0.hasSuffix("(event 5) never arrived") })
    }

    @Test func `an event before the registration needs no alert`() {
        var fight = SampleAdventure.fight
        fight.events[2].after = 0
        for role in SampleAdventure.roles {
            fight.pushes[role]?.removeAll { $0.alert == SampleAdventure.down(seenBy: role) }
            fight.pushes[role]?[0].sequence = 3
        }
        #expect(condition(fight).faults == [])
    }

    @Test func `a missing alert is a fault if other pushes were sent meanwhile`() {
        var fight = SampleAdventure.fight
        fight.pushes[mina]?.remove(at: 2)
        fight.pushes[mina]?.insert(contentsOf: (10..<19).map { .init(after: Double($0) + 0.5, sequence: 3) }, at: 2)
        fight.events.insert((19, .heroRevived(hero: ember, helper: nil)), at: 3)
        #expect(condition(fight).faults.count == 1)
    }

    @Test func `an alert may be missing while the budget is spent`() {
        // All 30 pushes are sent in half a minute; with one refill in 14 s, the first alert beyond the reserve is
        // possible at 42.2 s.
        let spent = (0..<30).map { SampleAdventure.SamplePush(after: Double($0) + 0.2, priority: 10, sequence: 2) }
        for (revival, faults) in [(44.0, 0), (45.0, 1)] {
            var fight = SampleAdventure.fight
            fight.events[2].after = 29.5
            fight.events.insert((revival, .heroRevived(hero: ember, helper: nil)), at: 3)
            for index in 4..<6 { fight.events[index].after = 50 }
            for role in SampleAdventure.roles {
                let alertPush = SampleAdventure.SamplePush(
                    after: 30.2,
                    priority: 10,
                    sequence: 3,
                    alert: SampleAdventure.down(seenBy: role)
                )
                let ends = [
                    SampleAdventure.SamplePush(after: 50.2, priority: 10, sequence: 6, alert: SampleAdventure.defeated),
                    SampleAdventure.SamplePush(after: 51.2, priority: 10, kind: .end, sequence: 6),
                ]
                fight.pushes[role] = (role == mina ? spent : [alertPush]) + ends
            }
            #expect(condition(fight).faults.count == faults, "revived at \(revival) s")
        }
    }

    @Test func `an alert may be missing while an earlier adventure's pushes have spent the budget`() {
        // Ember is down from 10 s to 16 s after the start of the second fight.
        var fight = SampleAdventure.fight
        fight.events.insert((16, .heroRevived(hero: ember, helper: nil)), at: 3)
        fight.pushes[mina]?.remove(at: 2)
        #expect(condition(fight).faults.count == 1)

        var earlier = SampleAdventure.fight
        earlier.pushes[mina] = (0..<30).map { .init(after: Double($0) - 40, priority: 10, sequence: 2) }
        var budgets = PhoneBudgets()
        budgets.spend(for: [earlier.evidence()])
        #expect(condition(fight, after: budgets).faults == [])
        // Half an hour earlier, they matter no longer.
        earlier.pushes[mina] = (0..<30).map { .init(after: Double($0) - 1_800, priority: 10, sequence: 2) }
        budgets = PhoneBudgets()
        budgets.spend(for: [earlier.evidence()])
        #expect(condition(fight, after: budgets).faults.count == 1)
    }

    @Test func `a push that shows a state from before the event does not prove that the alert was forgotten`() {
        for (sequence, faults) in [(2, 0), (3, 1)] {
            var fight = SampleAdventure.fight
            fight.pushes[mina]?[2] = .init(after: 14, sequence: sequence)
            fight.events.insert((15.5, .heroRevived(hero: ember, helper: nil)), at: 3)
            #expect(condition(fight).faults.count == faults, "sequence \(sequence)")
        }
    }

    @Test func `a cancelled routine alert may be missing without a fault`() {
        // Mina's turn starts after eleven seconds, and her action cancels its alert after sixteen.
        let spouty = Seat(rawValue: 0)
        var fight = SampleAdventure.fight
        fight.events.insert((11, .turnStarted(turn: 1, hero: spouty)), at: 3)
        fight.events.insert((16, .actionTaken(hero: spouty, action: .attack, damage: 1)), at: 4)
        for role in SampleAdventure.roles {
            fight.pushes[role]?.removeAll { $0.alert == SampleAdventure.defeated || $0.kind == .end }
            fight.pushes[role]?.append(.init(after: 20.2, priority: 10, sequence: 7, alert: SampleAdventure.defeated))
        }
        #expect(condition(fight).faults == [])
        #expect(condition(fight).note == "4 shown, 1 cancelled by later events, 2.0 s of delay tolerated")
    }

    @Test func `the tolerated delay grows with the delay of the players' own requests, and the note names it`() {
        for (lag, faults, delay) in [(Duration.zero, 1, "2.0"), (.seconds(2), 0, "6.0")] {
            var fight = SampleAdventure.fight
            fight.pushes[mina]?.remove(at: 2)
            fight.events.insert((16, .heroRevived(hero: ember, helper: nil)), at: 3)
            fight.maxLag = lag
            #expect(condition(fight).faults.count == faults, "\(lag)")
            #expect(condition(fight).note?.hasSuffix("\(delay) s of delay tolerated") == true)
        }
    }

    @Test func `pushes long ago no longer spend the budget`() {
        var fight = SampleAdventure.fight
        let hour = (0..<257).map { SampleAdventure.SamplePush(after: Double($0) * 14, priority: 10, sequence: 2) }
        for index in 2..<5 { fight.events[index].after += 3_600 }
        for role in SampleAdventure.roles {
            fight.pushes[role] = fight.pushes[role]?.map { push in
                var push = push
                if push.sequence > 2 { push.after += 3_600 }
                return push
            }
        }
        fight.pushes[mina] = hour + (fight.pushes[mina]?.suffix(2) ?? [])
        #expect(
            condition(fight).faults == [
                "Mina's phone, boss fight: the alert \"Ember is down!\" (event 3) never arrived"
            ]
        )
    }

    @Test func `an alert yields to an older one`() {
        let spouty = Seat(rawValue: 0)
        var fight = SampleAdventure.fight
        fight.events.insert((10.1, .heroDown(hero: spouty)), at: 3)
        fight.events.insert((14, .heroRevived(hero: spouty, helper: nil)), at: 4)
        for role in SampleAdventure.roles {
            fight.pushes[role]?.removeAll { $0.alert == SampleAdventure.defeated || $0.kind == .end }
            fight.pushes[role]?.append(.init(after: 20.2, priority: 10, sequence: 7, alert: SampleAdventure.defeated))
        }
        #expect(condition(fight).faults.count == 2)
        for role in SampleAdventure.roles {
            guard let index = fight.pushes[role]?.firstIndex(where: { $0.sequence == 3 }) else { continue }
            fight.pushes[role]?[index].after = 11.5
        }
        #expect(condition(fight).faults == [])
    }
}
