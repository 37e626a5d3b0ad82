import Encodings
import GameCore
import PushCadence
import PushDispatch
import PushRules

/// The decision log of an activity in a long boss fight, with as many entries as a log ever keeps.
enum FullDecisionLog {
    /// The number of turns: more than a log keeps.
    private static let turns = 64
    private static let turn = Duration.seconds(5)
    private static let responseTime = Duration.milliseconds(40)
    private static let seat = Seat(rawValue: 0)

    /// Runs an activity's cadence through turns that hurt its hero, with an APNs that accepts every push.
    /// - Parameter end: the end of the last turn.
    /// - Returns: the log in its stored form.
    static func encoded(until end: Timestamp) -> [UInt8] {
        let heroes = RandomParty.heroes(FixturePlan.heroes, level: 1, seed: 1)
        let adventure = Adventure.bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1)
        let start = end - turn * turns
        let policy = CadencePolicy()
        var budget = DeviceBudget(policy.pace(frequentPushesEnabled: true))
        var cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: true,
            startedAt: start,
            resuming: nil,
            acknowledgedAt: Timestamp(epochSeconds: 0)
        )
        var log = DecisionLog()
        for number in 1...turns {
            var now = start + turn * number
            let moment = now
            let events: [AdventureEvent] = [
                .turnStarted(turn: number, hero: nil), .heroHurt(hero: seat, amount: 3, cause: .bossAttack),
            ]
            for event in events {
                let rule = PushRules.rule(for: event, after: adventure, receiver: seat)
                cadence.observe(rule, moment: moment, at: now)
                log.observed(event: event.kind, urgency: rule.urgency, at: now)
            }
            var decision = cadence.next(at: now, showing: moment, spending: &budget)
            log.decided(decision, at: now)
            if case .wait(let due, _) = decision {
                now = due
                decision = cadence.next(at: now, showing: moment, spending: &budget)
                log.decided(decision, at: now)
            }
            guard case .send = decision else { continue }
            now = now + responseTime
            cadence.completed(.accepted, at: now, refunding: &budget)
            log.completed(.accepted, because: .noResponse, changeAt: moment, at: now)
            log.decided(cadence.next(at: now, showing: moment, spending: &budget), at: now)
        }
        return log.encoded
    }
}
