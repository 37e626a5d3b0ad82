import Encodings
import GameCore
import Testing

@testable import PushCadence
@testable import PushRules

/// A cadence with its log of decisions, driven as a dispatcher drives them; it keeps its own books of what was decided.
struct LoggedActivity {
    private(set) var log: DecisionLog
    private var cadence: ActivityCadence
    private var budget: PhoneBudget
    private(set) var now = Self.start
    private var position: Int64 = 100
    private var underWay: PlannedPush?

    /// Every push and every drop, in order.
    private(set) var sends: [SendReason] = []
    private(set) var drops: [Drop.Subject] = []
    private(set) var observed = 0

    static let start = Timestamp(epochSeconds: 1_790_000_000)
    static let receiver = Seat(rawValue: 0)

    init(frequentPushesEnabled: Bool = true, policy: CadencePolicy = CadencePolicy(), log: DecisionLog = DecisionLog())
    {
        self.log = log
        budget = PhoneBudget(policy.pace(frequentPushesEnabled: frequentPushesEnabled))
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: Self.start,
            resuming: nil,
            settledThrough: position
        )
    }

    var mayAnswer: Bool { underWay != nil }

    mutating func pass(_ duration: Duration) { now = now + duration }

    mutating func registers(_ change: RecordedDecision.Change = .registered) {
        position += 1
        cadence.owesCurrentState(position: position, at: now)
        log.happened(change, position: position)
        decide()
    }

    /// An operator asks for a push, or for the end.
    mutating func asks(forEnd: Bool = false) {
        position += 1
        if forEnd {
            cadence.endAsked(position: position, at: now)
        } else {
            cadence.stateAsked(position: position, at: now)
        }
        log.happened(forEnd ? .endAsked : .pushAsked, position: position)
        decide()
    }

    mutating func happens(_ events: Event...) {
        for event in events { observe(event) }
        decide()
    }

    private mutating func observe(_ event: Event) {
        position += 1
        observed += 1
        let rule = PushRules.rule(for: event, receiver: Self.receiver, heroName: { "Hero \($0.rawValue)" })
        cadence.observe(rule, position: position, at: now)
        log.happened(event.kind, urgency: rule.urgency, position: position)
        takeDrops(because: .event(kind: event.kind))
    }

    mutating func answers(_ completion: Completion, because cause: RecordedDecision.Cause = .silence) throws {
        let push = try #require(underWay)
        underWay = nil
        cadence.completed(completion, at: now, refunding: &budget)
        log.answered(completion, because: cause, position: push.position, at: now)
        decide()
    }

    mutating func decide() {
        let decision = cadence.next(at: now, showing: position, spending: &budget)
        takeDrops()
        if case .send(let push) = decision {
            underWay = push
            sends.append(push.reason)
        }
        log.decided(decision, at: now)
    }

    private mutating func takeDrops(because change: RecordedDecision.Change? = nil) {
        for drop in cadence.takeDrops() {
            if drop.reason != .refused { drops.append(drop.subject) }
            log.dropped(drop, because: change)
        }
    }

    /// The log as lines `SECONDS HAPPENED. DECIDED UNTIL - WHY`.
    var told: [String] {
        log.decisions.map { entry in
            let until = entry.until.map { " until \(seconds($0))" } ?? ""
            return
                "\(seconds(entry.at)) \(entry.happened). \(entry.decided)\(until)\(entry.why.map { " - \($0)" } ?? "")"
        }
    }

    private func seconds(_ moment: Timestamp) -> String {
        let milliseconds = (moment - Self.start).wholeMicroseconds / 1_000
        let rest = milliseconds % 1_000
        return rest == 0 ? "\(milliseconds / 1_000)" : "\(milliseconds / 1_000).\(String(1_000 + rest).dropFirst())"
    }
}
