import Encodings
import GameCore
import Testing

@testable import Benchmarks
@testable import PushCadence
@testable import PushRules

@Suite struct DeviceBudgetTests {
    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(epochSeconds: seconds) }

    @Test func `a phone lets through what its budget allows, and counts the rest as throttled`() {
        var budget = DeviceBudget(perHour: 3)
        let pushes = (0..<5).map { budget.letsThrough(at: moment($0)) }
        #expect(pushes == [true, true, true, false, false])
        #expect(budget.throttled == 2)
        #expect(budget.peak == 5)
    }

    @Test func `the budget is of any hour, not of the hours of a clock`() {
        var budget = DeviceBudget(perHour: 2)
        // At 6,600 the first is an hour old; the second and the one that did not get through are not.
        let pushes = [3_000, 3_500, 6_599, 6_600, 10_200].map { budget.letsThrough(at: moment($0)) }
        #expect(pushes == [true, true, false, false, true])
        #expect(budget.throttled == 2)
        #expect(budget.peak == 3)
    }

    @Test func `a phone with frequent pushes lets far more through`() {
        #expect(Flags.standard.budgetPerHour == 15)
        #expect(Flags.frequent.budgetPerHour == 300)
    }
}

@Suite struct DelaySamplesTests {
    @Test(arguments: [
        (Array(1...100), 50.0, 99.0), (Array(1...200), 100, 198), ([7], 7, 7), ([3, 1, 2], 2, 3), ([], 0, 0),
    ])
    func `a percentile is one of the delays`(seconds: [Int], p50: Double, p99: Double) {
        var samples = DelaySamples()
        for second in seconds.reversed() { samples.add(.seconds(second)) }
        #expect(samples.count == seconds.count)
        #expect(samples.spread == DelaySpread(p50: p50, p99: p99))
    }

    @Test func `delays of several parties are put together in any order`() {
        var first = DelaySamples()
        first.add(.milliseconds(1_500))
        var second = DelaySamples()
        second.add(.milliseconds(250))
        second.add(.milliseconds(20))
        var both = first
        both.add(second)
        second.add(first)
        #expect(both.spread == DelaySpread(p50: 0.25, p99: 1.5))
        #expect(second.spread == both.spread)
    }
}

@Suite struct AlertLedgerTests {
    private let own = Seat(rawValue: 0)

    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(epochSeconds: seconds) }

    private func observe(_ event: Event, _ position: Int64, at second: Int64, in ledger: inout AlertLedger) {
        let rule = PushRules.rule(for: event, receiver: own, heroName: { _ in "Spouty" })
        ledger.observe(rule, position: position, at: moment(second))
    }

    /// APNs took a push with the alert that an event owes.
    private func take(
        _ event: Event,
        _ position: Int64,
        at second: Int64,
        isThrottled: Bool = false,
        in ledger: inout AlertLedger
    ) throws {
        let rule = PushRules.rule(for: event, receiver: own, heroName: { _ in "Spouty" })
        let alert = try #require(rule.alert)
        ledger.taken(alert, telling: [position], isThrottled: isThrottled, at: moment(second))
    }

    private func drop(_ position: Int64, _ reason: Drop.Reason) -> Drop {
        Drop(subject: .alert(.bossAppeared), position: position, moment: moment(0), reason: reason)
    }

    private func tally(_ ledger: AlertLedger) -> CadenceTally {
        var tally = CadenceTally()
        ledger.count(into: &tally, of: .standard)
        return tally
    }

    @Test func `an alert that came while it mattered is delivered, with its delay`() throws {
        var ledger = AlertLedger()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &ledger)
        try take(.bossAppeared(boss: "anyone"), 1, at: 2, in: &ledger)
        let alerts = tally(ledger).alerts[AlertsKind(sort: .bossAppeared, flags: .standard)]
        #expect(alerts?.delays.count == 1 && alerts?.lost == 0)
        #expect(alerts?.delays.spread.p50 == 2)
    }

    @Test(arguments: [(600, nil), (601, LossReason.tooLate)] as [(Int64, LossReason?)])
    func `an alert matters for ten minutes`(second: Int64, loss: LossReason?) throws {
        var ledger = AlertLedger()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &ledger)
        try take(.bossAppeared(boss: "anyone"), 1, at: second, in: &ledger)
        #expect(tally(ledger).losses == (loss.map { [$0: 1] } ?? [:]))
    }

    @Test func `what an event or the end makes pointless is cancelled and not lost`() {
        var ledger = AlertLedger()
        observe(.heroDown(hero: own), 1, at: 0, in: &ledger)
        observe(.heroRevived(hero: own, helper: nil), 2, at: 30, in: &ledger)
        observe(.turnStarted(turn: 1, hero: own), 3, at: 40, in: &ledger)
        observe(.adventureEnded(outcome: .bossDefeated), 4, at: 50, in: &ledger)
        let tally = tally(ledger)
        #expect(tally.alerts[AlertsKind(sort: .ownHeroDown, flags: .standard)]?.cancelled == 1)
        #expect(tally.alerts[AlertsKind(sort: .ownTurn, flags: .standard)]?.cancelled == 1)
        #expect(tally.losses.isEmpty)
    }

    @Test func `an alert that was pointless before there was budget for it is counted as such`() {
        var ledger = AlertLedger()
        observe(.heroDown(hero: own), 1, at: 0, in: &ledger)
        observe(.heroRevived(hero: own, helper: nil), 2, at: 30, in: &ledger)
        ledger.dropped(drop(1, .outwaited))
        let alerts = tally(ledger).alerts[AlertsKind(sort: .ownHeroDown, flags: .standard)]
        #expect(alerts?.outwaited == 1 && alerts?.cancelled == 0)
    }

    @Test func `an alert that is cancelled only after it mattered is lost`() {
        var ledger = AlertLedger()
        observe(.heroDown(hero: own), 1, at: 0, in: &ledger)
        observe(.heroRevived(hero: own, helper: nil), 2, at: 601, in: &ledger)
        ledger.dropped(drop(1, .cancelledByEvent))
        #expect(tally(ledger).losses == [.tooLate: 1])
    }

    @Test(
        arguments: [(.queueFull, .queueFull), (.expired, .tooLate)] as [(Drop.Reason, LossReason)]
    )
    func `an alert that was given up is lost for that reason`(reason: Drop.Reason, loss: LossReason) {
        var ledger = AlertLedger()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &ledger)
        ledger.dropped(drop(1, reason))
        #expect(tally(ledger).losses == [loss: 1])
    }

    @Test func `an alert that was given up before an event made it pointless is lost`() {
        var ledger = AlertLedger()
        observe(.heroDown(hero: own), 1, at: 0, in: &ledger)
        ledger.dropped(drop(1, .queueFull))
        observe(.heroRevived(hero: own, helper: nil), 2, at: 10, in: &ledger)
        #expect(tally(ledger).losses == [.queueFull: 1])
    }

    @Test func `an alert that nobody sent or gave up is lost`() {
        var ledger = AlertLedger()
        observe(.partyWiped, 1, at: 0, in: &ledger)
        #expect(tally(ledger).losses == [.tooLate: 1])
    }

    @Test func `an alert that names several heroes delivers what was owed for each`() {
        var ledger = AlertLedger()
        let rules = (1...2).map { seat in
            let down = Event.heroDown(hero: Seat(rawValue: seat))
            return PushRules.rule(for: down, receiver: own, heroName: { "Hero \($0.rawValue)" })
        }
        for (position, rule) in zip(Int64(1)..., rules) {
            ledger.observe(rule, position: position, at: moment(position))
        }
        let alert = PushAlert(telling: rules.compactMap(\.alert))
        ledger.taken(alert, telling: [1, 2], isThrottled: false, at: moment(5))
        #expect(tally(ledger).alerts[AlertsKind(sort: .companionDown, flags: .standard)]?.delays.count == 2)
    }

    @Test func `an alert whose place a newer one took is not lost`() {
        var ledger = AlertLedger()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &ledger)
        ledger.dropped(drop(1, .replaced))
        #expect(tally(ledger).alerts[AlertsKind(sort: .bossAppeared, flags: .standard)]?.cancelled == 1)
        #expect(tally(ledger).losses.isEmpty)
    }

    @Test func `an alert that the phone did not let through is lost`() throws {
        var ledger = AlertLedger()
        observe(.partyWiped, 1, at: 0, in: &ledger)
        try take(.partyWiped, 1, at: 1, isThrottled: true, in: &ledger)
        #expect(tally(ledger).losses == [.throttled: 1])
    }
}
