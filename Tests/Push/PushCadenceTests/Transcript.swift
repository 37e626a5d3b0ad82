import Encodings
import GameCore
import PushCadence
import Testing

@testable import PushRules

/// Plays a script against a cadence and records its decisions.
///
/// A line is `SECONDS EVENT | DECISION`. The script is the expected transcript: its events are played, and its
/// decisions are compared. Events have the moments 1, 2, 3 …, except that `+EVENT` has the moment of the event before
/// it. Drops follow the decision.
struct Transcript {
    private var cadence: ActivityCadence
    private var budget: DeviceBudget
    private var moment: Timestamp

    static let start = Timestamp(epochSeconds: 1_790_000_000)
    static let receiver = Seat(rawValue: 0)

    init(_ cadence: ActivityCadence, _ budget: DeviceBudget) {
        self.cadence = cadence
        self.budget = budget
        moment = cadence.acknowledgedAt
    }

    /// Returns the transcript of a script.
    mutating func play(_ script: String) throws -> String {
        try script.split(separator: "\n").map { line in
            let event = line.prefix { $0 != "|" }
            return "\(event)| \(try play(words: event.split(separator: " ")))"
        }.joined(separator: "\n")
    }

    private mutating func play(words: [Substring]) throws -> String {
        let seconds = try #require(Double(words[0]))
        let now = Self.start + .milliseconds(Int64((seconds * 1_000).rounded()))
        let argument = words.count > 2 ? try #require(Int(words[2])) : 0
        switch words[1] {
        case "look": break
        case "ok": cadence.completed(.accepted, at: now, refunding: &budget)
        case "retry": cadence.completed(.retryLater(after: .seconds(argument)), at: now, refunding: &budget)
        case "lost":
            cadence.completed(.unanswered(retryAfter: .seconds(argument)), at: now, refunding: &budget)
        case "refused": cadence.completed(.rejected, at: now, refunding: &budget)
        case "dead": cadence.completed(.tokenDead, at: now, refunding: &budget)
        case "replaced":
            moment += 1
            cadence.replaced(moment: moment, at: now)
        case "starts": cadence.scheduled(for: Self.start + .seconds(argument))
        case "token":
            moment += 1
            cadence.currentStateRequired(moment: moment, at: now)
        default:
            let isAtOnce = words[1].hasPrefix("+")
            if !isAtOnce { moment += 1 }
            let word = words[1].dropFirst(isAtOnce ? 1 : 0)
            let event = try #require(Self.event(word, seat: Seat(rawValue: argument)), "\(words)")
            let rule = PushRules.rule(for: event, receiver: Self.receiver, heroName: { "Hero \($0.rawValue)" })
            cadence.observe(rule, moment: moment, at: now)
        }
        let decision = describe(cadence.next(at: now, showing: moment, spending: &budget))
        let drops = cadence.takeDrops().map { "; drop \(describe($0.subject)) \($0.reason.rawValue)" }
        return decision + drops.joined()
    }

    private static func event(_ word: Substring, seat: Seat) -> AdventureEvent? {
        switch word {
        case "loot": .lootFound(hero: seat, item: ItemID(rawValue: "shell"), rarity: .common)
        case "turn": .turnStarted(turn: 1, hero: Seat(rawValue: 1))
        case "own": .turnStarted(turn: 1, hero: receiver)
        case "acted": .actionTaken(hero: receiver, action: .attack, damage: 1)
        case "hit": .heroHurt(hero: receiver, amount: 9, cause: .bossAttack, inDanger: true)
        case "healed": .heroHealed(hero: receiver, amount: 9, source: .potion)
        case "down": .heroDown(hero: seat)
        case "up": .heroRevived(hero: seat, helper: nil)
        case "boss": .bossAppeared(boss: BossID(rawValue: "boss"))
        case "won": .bossDefeated(boss: BossID(rawValue: "boss"))
        case "wiped": .partyWiped
        case "left": .memberLeft(hero: seat)
        case "over": .adventureEnded(outcome: .bossDefeated)
        case "completed": .adventureEnded(outcome: .completed)
        default: nil
        }
    }

    private func describe(_ decision: CadenceDecision) -> String {
        switch decision {
        case .send(let push):
            "send \(push.priority.rawValue) \(push.reason.word)"
                + (push.alertMoments.count > 1 ? " and \(push.alertMoments.count - 1) more" : "")
        case .wait(let moment, let reason):
            "wait \(Double((moment - Self.start).wholeMicroseconds) / 1_000_000) \(reason.rawValue)"
        case .idle(let reason): "idle \(reason.rawValue)"
        }
    }

    private func describe(_ subject: Drop.Subject) -> String {
        switch subject {
        case .alert(let kind): kind.word
        case .state: "state"
        case .end: "end"
        }
    }
}

/// Expects that a script is the transcript of a new activity.
func expect(
    frequent: Bool = true,
    age: Duration = .zero,
    startsAfter delay: Duration? = nil,
    resuming lastTimestamp: Int64? = nil,
    change: (inout CadencePolicy) -> Void = { _ in },
    _ script: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var policy = CadencePolicy()
    change(&policy)
    var budget = DeviceBudget(policy.pace(frequentPushesEnabled: frequent))
    if let lastTimestamp {
        // As after the end of a lease that was not released.
        let reserve = policy.pace(frequentPushesEnabled: frequent).alertReserve
        budget.assumeSpent(exceptFor: reserve, at: Timestamp(epochSeconds: lastTimestamp))
    }
    var transcript = Transcript(
        ActivityCadence(
            sharing: CadencePolicy.Shared(policy),
            frequentPushesEnabled: frequent,
            startedAt: Transcript.start - age,
            startsAt: delay.map { Transcript.start + $0 },
            resuming: lastTimestamp,
            acknowledgedAt: 0,
            acceptedAlerts: []
        ),
        budget
    )
    let played = try transcript.play(script)
    #expect(played == script, "\(played)", sourceLocation: sourceLocation)
}

extension SendReason {
    fileprivate var word: String {
        switch self {
        case .alert(let kind): "alert \(kind.word)"
        case .end(.adventureOver): "end"
        case .end(.tooOld): "end tooOld"
        case .end(.replaced): "end replaced"
        case .end(.requested): "end requested"
        case .activityEndsSoon: "activityEndsSoon"
        case .newToken: "newToken"
        case .requested: "requested"
        case .turn: "turn"
        case .turnWithoutFrequentPushes: "turnWithoutFrequentPushes"
        case .turnDemoted: "turnDemoted"
        case .low: "low"
        }
    }
}

extension AlertKind {
    fileprivate var word: String {
        switch self {
        case .ownHeroDown: "ownHeroDown"
        case .companionDown(let seat): "companionDown(\(seat.rawValue))"
        case .heroInDanger: "heroInDanger"
        case .ownTurn: "ownTurn"
        case .bossAppeared: "bossAppeared"
        case .bossDefeated: "bossDefeated"
        case .partyWiped: "partyWiped"
        case .adventureOver: "adventureOver"
        }
    }
}
