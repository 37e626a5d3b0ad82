import Encodings
import GameCore
import PushCadence
import Testing

@testable import PushRules

/// The values of a push, such as its dates.
struct PlannedPushTests {
    private let start = Timestamp(microseconds: 1_790_000_000_250_000)

    private func cadence(
        age: Duration = .zero,
        resuming lastTimestamp: Int64? = nil,
        freshness: Freshness = .brief
    ) -> ActivityCadence {
        ActivityCadence(
            policy: CadencePolicy(),
            frequentPushesEnabled: true,
            startedAt: start - age,
            resuming: lastTimestamp,
            acknowledgedAt: 10,
            freshness: freshness
        )
    }

    /// The cadence of the next dispatcher, which observes all events after the acknowledged moment again.
    private func successor(of cadence: ActivityCadence, after push: PlannedPush) -> ActivityCadence {
        ActivityCadence(
            sharing: CadencePolicy.Shared(CadencePolicy()),
            frequentPushesEnabled: true,
            startedAt: start,
            resuming: push.timestamp,
            acknowledgedAt: cadence.acknowledgedAt,
            acceptedAlerts: cadence.acceptedAlerts
        )
    }

    private func rule(_ event: AdventureEvent) -> PushRule {
        PushRules.rule(for: event, receiver: Seat(rawValue: 0), heroName: { "Hero \($0.rawValue)" })
    }

    private func sent(_ decision: CadenceDecision) throws -> PlannedPush {
        guard case .send(let push) = decision else {
            Issue.record("not sent: \(decision)")
            throw CancellationError()
        }
        return push
    }

    @Test func `a journey's update is out of date in four minutes and kept by APNs as long`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(rule(.travelled(location: "meadow")), moment: 11, at: start)
        cadence.observe(rule(.heroHealed(hero: Seat(rawValue: 1), amount: 3, source: .rest)), moment: 12, at: start)
        let push = try sent(cadence.next(at: start, showing: 12, spending: &budget))
        #expect(push.timestamp == 1_790_000_000)
        #expect(push.event == .update(staleDate: 1_790_000_240))
        #expect(push.expiration == 1_790_000_240)
        #expect(push.priority == .low)
        #expect(push.alert == nil)
        #expect(push.changeAt == 12)
        #expect(push.coveredEvents == 2)
    }

    @Test(arguments: [(Freshness.brief, Int64(1_790_000_120)), (.lasting, 1_790_000_240)])
    func `before any event, a state has the initial freshness`(
        freshness: Freshness,
        staleDate: Int64
    ) throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence(freshness: freshness)
        cadence.currentStateRequired(moment: 11, at: start)
        cadence.observe(rule(.heroHealed(hero: Seat(rawValue: 1), amount: 3, source: .rest)), moment: 12, at: start)
        let push = try sent(cadence.next(at: start, showing: 12, spending: &budget))
        #expect(push.event == .update(staleDate: staleDate))
    }

    @Test func `a fight's update is out of date in two minutes`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(rule(.turnStarted(turn: 1, hero: nil)), moment: 11, at: start)
        #expect(
            try sent(cadence.next(at: start, showing: 11, spending: &budget)).event == .update(staleDate: 1_790_000_120)
        )
    }

    @Test func `an activity that ends soon says so on every push, and its end says that the adventure goes on`() throws
    {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence(age: .seconds(27_400))
        let warning = try sent(cadence.next(at: start, showing: 10, spending: &budget))
        #expect(warning.notice == .endsSoon)
        #expect(warning.reason == .activityEndsSoon)
        cadence.completed(.accepted, at: start, refunding: &budget)
        cadence.observe(rule(.heroDown(hero: Seat(rawValue: 1))), moment: 11, at: start + .seconds(5))
        #expect(try sent(cadence.next(at: start + .seconds(5), showing: 11, spending: &budget)).notice == .endsSoon)
        cadence.completed(.accepted, at: start + .seconds(5), refunding: &budget)
        let end = try sent(cadence.next(at: start + .seconds(800), showing: 11, spending: &budget))
        #expect(end.notice == .tooOld)
        #expect(end.reason == .end(.tooOld))
        #expect(end.event == .end(dismissalDate: 1_790_001_700))
    }

    @Test func `a replaced activity leaves the Lock Screen at once`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.replaced(moment: 11, at: start)
        let push = try sent(cadence.next(at: start, showing: 11, spending: &budget))
        #expect(push.event == .end(dismissalDate: 1_790_000_000))
        #expect(push.notice == nil)
    }

    @Test func `the next age check is when the age requires a push`() {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence(age: .seconds(3_600))
        #expect(cadence.nextAgeCheckAt == start + .seconds(23_700))
        _ = cadence.next(at: start + .seconds(23_700), showing: 10, spending: &budget)
        #expect(cadence.nextAgeCheckAt == start + .seconds(24_480))
        cadence.adventureEnded(moment: 11, at: start)
        #expect(cadence.nextAgeCheckAt == nil)
    }

    @Test func `APNs keeps an alert until it expires`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(rule(.heroDown(hero: Seat(rawValue: 1))), moment: 11, at: start)
        let push = try sent(cadence.next(at: start + .seconds(5), showing: 14, spending: &budget))
        #expect(push.event == .update(staleDate: 1_790_000_125))
        #expect(push.expiration == 1_790_000_600)
        #expect(push.changeAt == 11)
        #expect(push.alert?.kind == .companionDown(Seat(rawValue: 1)))
    }

    @Test func `APNs keeps an end for hours, and the Lock Screen for minutes`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.adventureEnded(moment: 11, at: start)
        let push = try sent(cadence.next(at: start, showing: 11, spending: &budget))
        #expect(push.event == .end(dismissalDate: 1_790_000_900))
        #expect(push.expiration == 1_790_028_800)
        #expect(push.priority == .high)
    }

    @Test func `after a takeover, the first push is later than any before, and does not wait`()
        throws
    {
        for resuming in [nil, start.epochSeconds - 60] {
            var budget = DeviceBudget(.frequent)
            var cadence = cadence(resuming: resuming)
            cadence.firstTimestamp = start.epochSeconds + 2
            cadence.observe(rule(.bossAppeared(boss: "glitch")), moment: 11, at: start)
            let push = try sent(cadence.next(at: start, showing: 11, spending: &budget))
            #expect(push.timestamp == start.epochSeconds + 2)
            // The next one is at most a second ahead.
            cadence.completed(.accepted, at: start, refunding: &budget)
            cadence.observe(rule(.heroDown(hero: Seat(rawValue: 0))), moment: 12, at: start)
            let next = cadence.next(at: start, showing: 12, spending: &budget)
            #expect(next == .wait(until: Timestamp(epochSeconds: start.epochSeconds + 2), .minimumSpacing))
        }
    }

    @Test func `timestamps grow even if the clock is set back`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence(resuming: 1_790_000_100)
        cadence.observe(rule(.bossAppeared(boss: "glitch")), moment: 11, at: start)
        let decision = cadence.next(at: start, showing: 11, spending: &budget)
        #expect(decision == .wait(until: start + .seconds(1), .minimumSpacing))
        let push = try sent(cadence.next(at: start + .seconds(1), showing: 11, spending: &budget))
        #expect(push.timestamp == 1_790_000_101)
    }

    @Test func `an alert outlives a step of the database's clock of which the cadence hears later`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        let later = start + .seconds(6_000)
        cadence.observe(rule(.heroDown(hero: Seat(rawValue: 0))), moment: later, at: start)
        let push = try sent(cadence.next(at: later, showing: later, spending: &budget))
        #expect(push.alert != nil)
    }

    @Test func `a state that was shown before its event was observed does not become pending again`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(rule(.travelled(location: "meadow")), moment: 11, at: start)
        _ = try sent(cadence.next(at: start, showing: 13, spending: &budget))
        cadence.completed(.accepted, at: start, refunding: &budget)
        cadence.observe(rule(.heroHealed(hero: Seat(rawValue: 1), amount: 3, source: .rest)), moment: 13, at: start)
        #expect(cadence.pendingSince == nil)
        #expect(cadence.acknowledgedAt == 13)
        #expect(cadence.next(at: start, showing: 13, spending: &budget) == .idle(.nothingPending))
    }

    @Test func `an event before the newest one that was observed is ignored`() {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(rule(.heroDown(hero: Seat(rawValue: 0))), moment: 9, at: start)
        #expect(cadence.next(at: start, showing: 10, spending: &budget) == .idle(.nothingPending))
    }

    @Test func `after the accepted alert of the end, only the end is pending for a successor`() throws {
        let over = rule(.adventureEnded(outcome: .completed))
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(over, moment: 11, at: start)
        let alert = try sent(cadence.next(at: start, showing: 11, spending: &budget))
        #expect(alert.alert != nil && cadence.acceptedAlerts == [])
        cadence.completed(.accepted, at: start, refunding: &budget)
        #expect(cadence.acknowledgedAt == 10)
        #expect(cadence.acceptedAlerts == [AcceptedAlert(kind: .adventureOver, moment: 11)])

        var successor = successor(of: cadence, after: alert)
        successor.observe(over, moment: 11, at: start)
        #expect(successor.pendingSince == 11)
        let end = try sent(successor.next(at: start + .seconds(1), showing: 11, spending: &budget))
        #expect(end.event == .end(dismissalDate: 1_790_000_901) && end.reason == .end(.adventureOver))
        successor.completed(.accepted, at: start, refunding: &budget)
        #expect(successor.pendingSince == nil && successor.acknowledgedAt == 11 && successor.acceptedAlerts == [])
    }

    @Test(arguments: [11, 12] as [Timestamp])
    func `a successor sends an alert that waited, but not the accepted one of the same or a later moment`(
        heavier: Timestamp
    ) throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        func observe(in cadence: inout ActivityCadence) {
            cadence.observe(rule(.turnStarted(turn: 1, hero: Seat(rawValue: 0))), moment: 11, at: start)
            cadence.observe(rule(.heroDown(hero: Seat(rawValue: 0))), moment: heavier, at: start)
        }
        observe(in: &cadence)
        let push = try sent(cadence.next(at: start, showing: heavier, spending: &budget))
        #expect(push.reason == .alert(.ownHeroDown) && cadence.acceptedAlerts == [])
        cadence.completed(.accepted, at: start, refunding: &budget)
        let accepted = [AcceptedAlert(kind: .ownHeroDown, moment: heavier)]
        #expect(cadence.acknowledgedAt == 10 && cadence.acceptedAlerts == accepted)

        var successor = successor(of: cadence, after: push)
        observe(in: &successor)
        let later = start + .seconds(1)
        let rest = try sent(successor.next(at: later, showing: heavier, spending: &budget))
        #expect(rest.reason == .alert(.ownTurn))
        successor.completed(.accepted, at: later, refunding: &budget)
        #expect(successor.acknowledgedAt == heavier && successor.acceptedAlerts == [])
        #expect(successor.next(at: later, showing: heavier, spending: &budget) == .idle(.nothingPending))
    }

    @Test func `the end and the alert of one moment have the same moment, and the end is pending for a successor`()
        throws
    {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.observe(rule(.bossDefeated(boss: "glitch")), moment: 11, at: start)
        cadence.observe(rule(.adventureEnded(outcome: .bossDefeated)), moment: 11, at: start)
        let alert = try sent(cadence.next(at: start, showing: 11, spending: &budget))
        #expect(alert.reason == .alert(.bossDefeated))
        cadence.completed(.accepted, at: start, refunding: &budget)
        #expect(cadence.pendingSince == 11)
        var successor = successor(of: cadence, after: alert)
        successor.observe(rule(.bossDefeated(boss: "glitch")), moment: 11, at: start)
        successor.observe(rule(.adventureEnded(outcome: .bossDefeated)), moment: 11, at: start)
        let end = try sent(successor.next(at: start + .seconds(1), showing: 11, spending: &budget))
        #expect(end.reason == .end(.adventureOver))
    }

    @Test func `a state that changed without an event is pending, and is shown by the next push`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        cadence.stateChanged(.turnPostponed, moment: 9)
        #expect(cadence.pendingSince == 11)
        let push = try sent(cadence.next(at: start, showing: 10, spending: &budget))
        #expect(push.reason == .turn && push.coveredEvents == 0)
        cadence.completed(.accepted, at: start, refunding: &budget)
        #expect(cadence.pendingSince == nil)
    }

    @Test func `what is pending from a moment on is pending for a successor, too`() {
        var changed = cadence()
        changed.stateChanged(.turnPostponed, moment: 12)
        #expect(changed.pendingSince == 12 && changed.acknowledgedAt == 11)
        var requested = cadence()
        requested.pushRequested(moment: 12, at: start)
        #expect(requested.pendingSince == 12 && requested.acknowledgedAt == 11)
    }

    @Test func `a request is pending until its push, or the end, is sent`() throws {
        var budget = DeviceBudget(.frequent)
        var cadence = cadence()
        #expect(!cadence.isRequestPending)
        cadence.pushRequested(moment: 11, at: start)
        #expect(cadence.isRequestPending)
        _ = try sent(cadence.next(at: start, showing: 11, spending: &budget))
        #expect(cadence.isRequestPending)
        cadence.completed(.tokenDead, at: start, refunding: &budget)
        #expect(!cadence.isRequestPending)
        cadence.currentStateRequired(moment: 12, at: start)
        cadence.endRequested(moment: 13, at: start)
        #expect(cadence.isRequestPending)
        _ = try sent(cadence.next(at: start + .seconds(2), showing: 13, spending: &budget))
        cadence.completed(.accepted, at: start + .seconds(2), refunding: &budget)
        #expect(!cadence.isRequestPending)
    }

    @Test func `a completion without a push in flight traps`() async {
        await #expect(processExitsWith: .failure) {
            var cadence = ActivityCadence(
                policy: CadencePolicy(),
                frequentPushesEnabled: true,
                startedAt: Timestamp(epochSeconds: 0),
                resuming: nil,
                acknowledgedAt: 10
            )
            var budget = DeviceBudget(.frequent)
            cadence.completed(.accepted, at: Timestamp(epochSeconds: 0), refunding: &budget)
        }
    }
}
