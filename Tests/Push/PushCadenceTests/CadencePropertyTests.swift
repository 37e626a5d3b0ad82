import Encodings
import GameCore
import PushCadence
import TestSupport
import Testing

/// The invariants of the cadence in random runs with bursts, pauses, slow and failing pushes, and changing and dead
/// tokens, until the faults stop.
@Suite(.computing) struct CadencePropertyTests {
    /// A policy with bounds so small that a short run reaches them.
    private static let tight: CadencePolicy = {
        var policy = CadencePolicy()
        policy.frequent.highCapacity = 5
        policy.frequent.alertReserve = 3
        policy.frequent.highRefill = .seconds(7)
        policy.standard.highCapacity = 3
        policy.standard.alertReserve = 2
        policy.standard.highRefill = .seconds(13)
        policy.maxQueuedAlerts = 2
        policy.alertExpiry = .seconds(9)
        return policy
    }()

    @Test(arguments: 0..<100)
    func `the invariants hold in every run, and the final state arrives`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let policy = Bool.random(using: &generator) ? CadencePolicy() : Self.tight
        var activity = SimulatedActivity(
            policy: policy,
            frequentPushesEnabled: Bool.random(using: &generator)
        )
        for _ in 0..<Int.random(in: 20...300, using: &generator) {
            pass(&activity, using: &generator)
            if Bool.random(using: &generator) {
                activity.happens(event(using: &generator))
            } else {
                drive(&activity, mayReject: true, using: &generator)
            }
        }
        end(&activity, using: &generator)
        for _ in 0..<Int.random(in: 0...30, using: &generator) {
            pass(&activity, using: &generator)
            drive(&activity, mayReject: false, using: &generator)
        }
        runUntilIdle(&activity)
        activity.checkAtTheEnd()
    }

    private func pass(_ activity: inout SimulatedActivity, using generator: inout SeededGenerator) {
        activity.pass(.milliseconds([0, 1, 50, 500, 1_000, 5_000, 60_000].randomElement(using: &generator) ?? 0))
    }

    private func drive(_ activity: inout SimulatedActivity, mayReject: Bool, using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: _ = activity.decide()
        case 5..<9: activity.complete(completion(mayReject: mayReject, using: &generator))
        default: activity.tokenChanges()
        }
    }

    private func event(using generator: inout SeededGenerator) -> AdventureEvent {
        let seat = Seat(rawValue: Int.random(in: 0..<8, using: &generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return .lootFound(hero: seat, item: "shell", rarity: .common)
        case 1: return .heroHealed(hero: seat, amount: 1, source: .rest)
        case 2: return .heroDown(hero: seat)
        case 3: return .heroRevived(hero: seat, helper: nil)
        case 4: return .bossAppeared(boss: "glitch")
        default: return .turnStarted(turn: 1, hero: seat)
        }
    }

    private func completion(mayReject: Bool, using generator: inout SeededGenerator) -> PushDisposition {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: .tokenDead
        case 1 where mayReject: .rejected
        case 1: .unanswered(retryAfter: .milliseconds(Int64.random(in: 0...20_000, using: &generator)))
        case 2, 3: .retryLater(after: .milliseconds(Int64.random(in: 0...20_000, using: &generator)))
        default: .accepted
        }
    }

    private func end(_ activity: inout SimulatedActivity, using generator: inout SeededGenerator) {
        let outcome = AdventureOutcome.allCases.randomElement(using: &generator) ?? .completed
        switch outcome {
        case .bossDefeated: activity.happens(.bossDefeated(boss: "glitch"))
        case .partyWiped: activity.happens(.partyWiped)
        case .completed, .endedByOperator, .abandoned, .expired: break
        }
        activity.happens(.adventureEnded(outcome: outcome))
    }

    /// Runs without faults until nothing is pending; a phone with a dead token gets a new one.
    private func runUntilIdle(_ activity: inout SimulatedActivity) {
        for _ in 0..<100 {
            switch activity.decide() {
            case .send, .idle(.inFlight): activity.complete(.accepted)
            case .wait(until: let moment, _): activity.pass(moment - activity.now)
            case .idle(.tokenDead): activity.tokenChanges()
            case .idle(.ended), .idle(.nothingPending): return
            }
        }
        Issue.record("the activity does not become idle")
    }

    // MARK: - Phones with and without frequent pushes

    /// Returns the number of pushes in a boss fight with one turn in each `turn`, in which four heroes go down and the
    /// boss is defeated.
    private func pushes(frequent: Bool, turns: Int, each turn: Duration) -> Int {
        var activity = SimulatedActivity(policy: CadencePolicy(), frequentPushesEnabled: frequent)
        activity.happens(.bossAppeared(boss: "glitch"))
        for number in 1...turns {
            activity.happens(.turnStarted(turn: number, hero: Seat(rawValue: number % 4)))
            if number % max(turns / 4, 1) == 2 { activity.happens(.heroDown(hero: Seat(rawValue: number % 4))) }
            run(&activity, for: turn)
        }
        activity.happens(.bossDefeated(boss: "glitch"))
        activity.happens(.adventureEnded(outcome: .bossDefeated))
        run(&activity, for: .seconds(10))
        activity.checkAtTheEnd()
        return activity.sent
    }

    /// Sends every push that is due within a time, all accepted at once.
    private func run(_ activity: inout SimulatedActivity, for duration: Duration) {
        let until = activity.now + duration
        while true {
            switch activity.decide() {
            case .send: activity.complete(.accepted)
            case .wait(until: let moment, _) where moment < until: activity.pass(moment - activity.now)
            case .wait, .idle:
                activity.pass(until - activity.now)
                return
            }
        }
    }

    @Test(arguments: [(40, 500), (60, 500), (200, 500), (30, 5_000), (40, 15_000), (200, 15_000)])
    func `phones with frequent pushes get clearly more pushes in a boss fight`(turns: Int, milliseconds: Int64) {
        let frequent = pushes(frequent: true, turns: turns, each: .milliseconds(milliseconds))
        let standard = pushes(frequent: false, turns: turns, each: .milliseconds(milliseconds))
        // Both get the alerts of the boss, of up to four heroes and of the victory, and the end.
        #expect(frequent >= standard + 3, "\(frequent) and \(standard)")
    }
}
