import Encodings
import GameCore
import Testing

@testable import Benchmarks
@testable import PushCadence
@testable import PushRules

@Suite struct DeviceBudgetTests {
    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(epochSeconds: seconds) }

    @Test func `a device shows pushes within its budget and throttles the rest`() {
        var budget = ModelledBudget(perHour: 3)
        let pushes = (0..<5).map { budget.receivesPush(at: moment($0)) }
        #expect(pushes == [true, true, true, false, false])
        #expect(budget.throttled == 2)
        #expect(budget.peak == 5)
    }

    @Test func `the budget is for any hour, not for the hours of a clock`() {
        var budget = ModelledBudget(perHour: 2)
        // At 6,600 the first push is an hour old; the second and the throttled one are not.
        let pushes = [3_000, 3_500, 6_599, 6_600, 10_200].map { budget.receivesPush(at: moment($0)) }
        #expect(pushes == [true, true, false, false, true])
        #expect(budget.throttled == 2)
        #expect(budget.peak == 3)
    }

    @Test func `a device with frequent pushes has a larger budget`() {
        #expect(PushFrequency.standard.budgetPerHour == 15)
        #expect(PushFrequency.frequent.budgetPerHour == 300)
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
        #expect(samples.percentiles == DelaySamples.Percentiles(p50: p50, p99: p99))
    }

    @Test func `delays can be added in any order`() {
        var first = DelaySamples()
        first.add(.milliseconds(1_500))
        var second = DelaySamples()
        second.add(.milliseconds(250))
        second.add(.milliseconds(20))
        var both = first
        both.add(second)
        second.add(first)
        #expect(both.percentiles == DelaySamples.Percentiles(p50: 0.25, p99: 1.5))
        #expect(second.percentiles == both.percentiles)
    }
}

@Suite struct AlertTrackerTests {
    private let own = Seat(rawValue: 0)

    private func moment(_ seconds: Int64) -> Timestamp { Timestamp(epochSeconds: seconds) }

    private func observe(_ event: AdventureEvent, _ position: Int64, at second: Int64, in tracker: inout AlertTracker) {
        let rule = PushRules.rule(for: event, receiver: own, heroName: { _ in "Spouty" })
        tracker.observe(rule, moment: Timestamp(microseconds: position), at: moment(second))
    }

    /// Records that APNs accepted a push with an event's alert.
    private func take(
        _ event: AdventureEvent,
        _ position: Int64,
        at second: Int64,
        isThrottled: Bool = false,
        in tracker: inout AlertTracker
    ) throws {
        let rule = PushRules.rule(for: event, receiver: own, heroName: { _ in "Spouty" })
        let alert = try #require(rule.alert)
        tracker.accepted(alert, for: [Timestamp(microseconds: position)], isThrottled: isThrottled, at: moment(second))
    }

    private func drop(_ position: Int64, _ reason: Drop.Reason) -> Drop {
        Drop(
            subject: .alert(.bossAppeared),
            changeAt: Timestamp(microseconds: position),
            moment: moment(0),
            reason: reason
        )
    }

    /// The outcomes of all alerts, by name.
    private func outcomes(_ tracker: AlertTracker) -> [String: [AlertOutcome]] {
        Dictionary(grouping: tracker.alerts(on: .standard), by: \.name).mapValues { $0.map(\.outcome) }
    }

    @Test func `an alert that arrives in its useful life is delivered, with its delay`() throws {
        var tracker = AlertTracker()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &tracker)
        try take(.bossAppeared(boss: "anyone"), 1, at: 2, in: &tracker)
        #expect(outcomes(tracker) == ["bossAppeared": [.delivered(.seconds(2))]])
    }

    @Test(arguments: [(600, .delivered(.seconds(600))), (601, .lost(.tooLate))] as [(Int64, AlertOutcome)])
    func `the useful life of an alert is ten minutes`(second: Int64, outcome: AlertOutcome) throws {
        var tracker = AlertTracker()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &tracker)
        try take(.bossAppeared(boss: "anyone"), 1, at: second, in: &tracker)
        #expect(outcomes(tracker) == ["bossAppeared": [outcome]])
    }

    @Test func `an alert that an event or the end makes pointless is cancelled`() {
        var tracker = AlertTracker()
        observe(.heroDown(hero: own), 1, at: 0, in: &tracker)
        observe(.heroRevived(hero: own, helper: nil), 2, at: 30, in: &tracker)
        observe(.turnStarted(turn: 1, hero: own), 3, at: 40, in: &tracker)
        observe(.adventureEnded(outcome: .bossDefeated), 4, at: 50, in: &tracker)
        let outcomes = outcomes(tracker)
        #expect(outcomes["ownHeroDown"] == [.cancelled] && outcomes["ownTurn"] == [.cancelled])
    }

    @Test func `an alert that became pointless while the budget was spent is starved`() {
        var tracker = AlertTracker()
        observe(.heroDown(hero: own), 1, at: 0, in: &tracker)
        observe(.heroRevived(hero: own, helper: nil), 2, at: 30, in: &tracker)
        tracker.dropped(drop(1, .starved))
        #expect(outcomes(tracker) == ["ownHeroDown": [.starved]])
    }

    @Test func `an alert that is cancelled after its useful life is lost`() {
        var tracker = AlertTracker()
        observe(.heroDown(hero: own), 1, at: 0, in: &tracker)
        observe(.heroRevived(hero: own, helper: nil), 2, at: 601, in: &tracker)
        tracker.dropped(drop(1, .cancelledByEvent))
        #expect(outcomes(tracker) == ["ownHeroDown": [.lost(.tooLate)]])
    }

    @Test(
        arguments: [(.queueFull, .queueFull), (.expired, .tooLate)] as [(Drop.Reason, AlertLoss)]
    )
    func `a dropped alert is lost for its reason`(reason: Drop.Reason, loss: AlertLoss) {
        var tracker = AlertTracker()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &tracker)
        tracker.dropped(drop(1, reason))
        #expect(outcomes(tracker) == ["bossAppeared": [.lost(loss)]])
    }

    @Test func `an alert that was dropped before an event made it pointless is lost`() {
        var tracker = AlertTracker()
        observe(.heroDown(hero: own), 1, at: 0, in: &tracker)
        tracker.dropped(drop(1, .queueFull))
        observe(.heroRevived(hero: own, helper: nil), 2, at: 10, in: &tracker)
        #expect(outcomes(tracker)["ownHeroDown"] == [.lost(.queueFull)])
    }

    @Test func `an alert that was neither sent nor dropped is lost`() {
        var tracker = AlertTracker()
        observe(.partyWiped, 1, at: 0, in: &tracker)
        #expect(outcomes(tracker) == ["partyWiped": [.lost(.tooLate)]])
    }

    @Test func `an alert that names several heroes delivers the alert of each`() {
        var tracker = AlertTracker()
        let rules = (1...2).map { seat in
            let down = AdventureEvent.heroDown(hero: Seat(rawValue: seat))
            return PushRules.rule(for: down, receiver: own, heroName: { "Hero \($0.rawValue)" })
        }
        for (position, rule) in zip(Int64(1)..., rules) {
            tracker.observe(rule, moment: Timestamp(microseconds: position), at: moment(position))
        }
        let alert = PushAlert(combining: rules.compactMap(\.alert))
        tracker.accepted(alert, for: [1, 2].map { Timestamp(microseconds: $0) }, isThrottled: false, at: moment(5))
        #expect(outcomes(tracker)["companionDown"] == [.delivered(.seconds(4)), .delivered(.seconds(3))])
    }

    @Test func `an alert that a newer one replaced is not lost`() {
        var tracker = AlertTracker()
        observe(.bossAppeared(boss: "anyone"), 1, at: 0, in: &tracker)
        tracker.dropped(drop(1, .replaced))
        #expect(outcomes(tracker) == ["bossAppeared": [.cancelled]])
    }

    @Test func `a throttled alert is lost`() throws {
        var tracker = AlertTracker()
        observe(.partyWiped, 1, at: 0, in: &tracker)
        try take(.partyWiped, 1, at: 1, isThrottled: true, in: &tracker)
        #expect(outcomes(tracker) == ["partyWiped": [.lost(.throttled)]])
    }
}
