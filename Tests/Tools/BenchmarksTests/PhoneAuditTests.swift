import Encodings
import GameCore
import GameLog
import GameStore
import Testing

@testable import Benchmarks

@Suite struct PhoneAuditTests {
    private static let start = Timestamp(epochSeconds: 1_750_000_000)
    private static let own = Seat(rawValue: 0)
    private static let other = Seat(rawValue: 1)

    /// A moment, in seconds from the start.
    private func at(_ seconds: Double) -> Timestamp { Self.start + .seconds(seconds) }

    private func event(_ sequence: Int, at seconds: Double, _ event: AdventureEvent) -> StoredEvent {
        StoredEvent(sequence: sequence, tick: sequence, at: at(seconds), event: event)
    }

    private func push(
        _ sequence: Int32,
        at seconds: Double,
        isHigh: Bool = false,
        hasAlert: Bool = false,
        isEnd: Bool = false
    ) -> PushArrival {
        PushArrival(
            phone: PhoneNumber(0, seat: 0),
            at: at(seconds),
            sequence: sequence,
            isHigh: isHigh || hasAlert,
            hasAlert: hasAlert,
            isEnd: isEnd
        )
    }

    /// Audits a phone from the second `from` to the second `to`, with a mean transit of 0.125 s.
    private func findings(
        _ pushes: [PushArrival],
        _ events: [StoredEvent],
        frequent: Bool = true,
        from: Double = 0,
        to: Double = 100
    ) -> PhoneFindings {
        let heroes = RandomParty.heroes(2, level: 1, seed: 1)
        var audit = PhoneAudit(
            of: Self.own,
            frequentPushesEnabled: frequent,
            in: .bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1),
            during: CrowdWindow(start: at(from), end: at(to), transit: .milliseconds(125))
        )
        audit.audit(pushes, events)
        return audit.findings
    }

    @Test func `a push is due from the moment of the first event that it shows`() {
        let found = findings(
            [push(2, at: 3.5)],
            [event(1, at: 1, .travelled(location: "x")), event(2, at: 3, .travelled(location: "y"))]
        )
        #expect(found.waits == [.seconds(2.5)] && found.pushes == 1 && found.alertWaits.isEmpty)
    }

    @Test(arguments: [(true, 10.0), (false, 30.0)])
    func `the wait for the spacing after the previous push was sent is no lateness`(frequent: Bool, spacing: Double) {
        let found = findings(
            [push(1, at: 1.5), push(2, at: 1.375 + spacing + 0.25)],
            [event(1, at: 1, .travelled(location: "x")), event(2, at: 9, .travelled(location: "y"))],
            frequent: frequent
        )
        #expect(found.waits == [.seconds(0.5), .seconds(0.25)])
    }

    @Test func `a turn of a fight shortens the spacing`() {
        let found = findings(
            [push(1, at: 1.125), push(3, at: 5)],
            [
                event(1, at: 1, .bossActed(move: .attack)),
                event(2, at: 2, .heroHealed(hero: Self.own, amount: 1, source: .rest)),
                event(3, at: 2.5, .bossActed(move: .attack)),
            ]
        )
        // The spacing of turns ends at second 4.
        #expect(found.waits == [.seconds(0.125), .seconds(1)])
    }

    @Test func `what arrives before the window is not measured, and what is overdue at its end is`() {
        let events = [event(1, at: 1, .travelled(location: "x")), event(2, at: 40, .travelled(location: "y"))]
        #expect(findings([push(1, at: 20), push(2, at: 41)], events, from: 30).waits == [.seconds(1)])
        let late = findings([push(1, at: 1.5)], events, from: 30, to: 50)
        #expect(late.waits == [.seconds(10)] && late.overduePushes == 1 && late.pushes == 0)
        // Less than a second late, and later than the end.
        #expect(findings([push(1, at: 1.5)], events, to: 40.5).overduePushes == 0)
        #expect(findings([push(1, at: 1.5), push(2, at: 60)], events, to: 50).overduePushes == 1)
    }

    @Test func `a push without anything new is not late`() {
        let found = findings(
            [push(1, at: 1.5), push(1, at: 90)],
            [event(1, at: 1, .travelled(location: "x"))]
        )
        #expect(found.waits == [.seconds(0.5)] && found.pushes == 2)
    }

    @Test func `an alert is due at once, and the second one a second later`() {
        let found = findings(
            [push(1, at: 1.5, hasAlert: true), push(3, at: 2.75, hasAlert: true), push(3, at: 4, hasAlert: true)],
            [
                event(1, at: 1, .heroDown(hero: Self.other)), event(2, at: 2, .turnStarted(turn: 2, hero: Self.own)),
                event(3, at: 2, .heroDown(hero: Self.own)),
            ]
        )
        // The pushes were sent 0.125 s before.
        #expect(found.alertWaits == [.seconds(0.5), .seconds(0.375), .seconds(0.375)])
        #expect(found.lostAlerts == 0 && found.lapsedAlerts == 0)
    }

    @Test func `an alert is lost if a later push goes without it`() {
        let down = event(1, at: 1, .heroDown(hero: Self.other))
        // Within the tolerance.
        #expect(findings([push(1, at: 5)], [down], to: 50).lostAlerts == 0)
        #expect(findings([push(1, at: 15)], [down]).lostAlerts == 1)
        // Overdue for more than a minute.
        #expect(findings([], [down]).lostAlerts == 1)
        #expect(findings([], [down], to: 50).lostAlerts == 0)
    }

    @Test func `an alert that an event cancels in time is not lost, and a late one lapses`() {
        let revived = AdventureEvent.heroRevived(hero: Self.other, helper: Self.own)
        let down = event(1, at: 1, .heroDown(hero: Self.other))
        let early = findings([push(2, at: 2)], [down, event(2, at: 1.5, revived)])
        #expect(early.lostAlerts == 0 && early.lapsedAlerts == 0 && early.alertWaits.isEmpty)
        let late = findings([push(2, at: 20)], [down, event(2, at: 9, revived)])
        #expect(late.lostAlerts == 0 && late.lapsedAlerts == 1 && late.alertWaits == [.seconds(8)])
    }

    @Test func `the alert of the outcome comes before the end`() {
        let events = [
            event(1, at: 10, .bossDefeated(boss: BossCatalogue.all[0].id)),
            event(2, at: 10, .adventureEnded(outcome: .bossDefeated)),
        ]
        let good = findings(
            [push(2, at: 10.5, hasAlert: true), push(2, at: 11.875, isHigh: true, isEnd: true)],
            events
        )
        #expect(good.waits == [.seconds(0.5), .seconds(0.5)] && good.lostAlerts == 0 && good.overduePushes == 0)
        #expect(findings([push(2, at: 10.5, isEnd: true)], events).lostAlerts == 1)
        let unfinished = findings([push(2, at: 10.5, hasAlert: true)], events, to: 20)
        #expect(unfinished.waits == [.seconds(0.5), .seconds(8.625)] && unfinished.overduePushes == 1)
    }

    @Test func `the wait for budget is no lateness, and pushes beyond the budget are found`() {
        // Six pushes of a phone without frequent pushes; an own turn leaves four to other alerts.
        let turns = (1...3).map { event($0, at: Double($0) * 50, .turnStarted(turn: $0, hero: Self.own)) }
        let found = findings(
            [push(1, at: 50.5, hasAlert: true), push(2, at: 100.5, hasAlert: true), push(3, at: 150.5)],
            turns,
            frequent: false,
            to: 200
        )
        #expect(found.lostAlerts == 0 && found.alertWaits == [.seconds(0.5), .seconds(0.5)])
        let wasteful = findings(
            (0..<8).map { push(3, at: 151 + Double($0), isHigh: true) },
            turns,
            frequent: false,
            to: 200
        )
        #expect(wasteful.pushesBeyondBudget == 2)
    }
}
