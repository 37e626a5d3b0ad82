import Encodings
import GameCore
import PushCadence
import PushRules

/// What was decided for a card in the midst of a fight: as many entries as are ever kept.
enum BusyLog {
    /// Longer than what is kept reaches back.
    private static let turns = 64
    private static let turn = Duration.seconds(5)
    private static let answer = Duration.milliseconds(40)
    /// A hundred parties of a shard write a few events each in a turn.
    private static let positions: Int64 = 300

    /// Plays a card's real cadence through turns in which its hero is hurt, with an APNs that takes every push.
    /// - Parameter end: when the last turn is over.
    /// - Returns: the log as it is stored.
    static func encoded(until end: Timestamp) -> [UInt8] {
        let heroes = DrawnParty.heroes(WorldPlan.heroes, level: 1, seed: 1)
        let adventure = Adventure.bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: 1)
        let start = end - turn * turns
        let policy = CadencePolicy()
        var budget = PhoneBudget(policy.pace(frequentPushesEnabled: true))
        var cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: true,
            startedAt: start,
            resuming: nil,
            settledThrough: 0
        )
        var log = DecisionLog()
        for number in 1...turns {
            var now = start + turn * number
            let position = Self.positions * Int64(number)
            for event in events(in: number) {
                let rule = PushRules.rule(for: event, after: adventure, receiver: seat)
                cadence.observe(rule, position: position, at: now)
                log.happened(event.kind, urgency: rule.urgency, position: position)
            }
            var decision = cadence.next(at: now, showing: position, spending: &budget)
            log.decided(decision, at: now)
            if case .wait(let moment, _) = decision {
                now = moment
                decision = cadence.next(at: now, showing: position, spending: &budget)
                log.decided(decision, at: now)
            }
            guard case .send(let push) = decision else { continue }
            now = now + answer
            cadence.completed(.accepted, at: now, refunding: &budget)
            log.answered(.accepted, because: .silence, position: push.position, at: now)
            log.decided(cadence.next(at: now, showing: position, spending: &budget), at: now)
        }
        return log.encoded
    }

    private static func events(in turn: Int) -> [Event] {
        [.turnStarted(turn: turn, hero: nil), .heroHurt(hero: seat, amount: 3, cause: .bossAttack)]
    }

    private static let seat = Seat(rawValue: 0)
}
