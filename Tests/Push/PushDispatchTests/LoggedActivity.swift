import Encodings
import GameCore
import PushCadence
import Testing

@testable import PushDispatch
@testable import PushRules

/// A cadence with its decision log, driven like in a dispatcher, with an independent record of pushes and drops.
struct LoggedActivity {
    private(set) var log: DecisionLog
    private var cadence: ActivityCadence
    private var budget: DeviceBudget
    private(set) var now = Self.start
    private var moment = Self.start
    private var inFlight: PlannedPush?

    /// The pushes, in order.
    private(set) var sends: [SendReason] = []
    private(set) var drops: [Drop.Subject] = []
    private(set) var observed = 0

    static let start = Timestamp(epochSeconds: 1_790_000_000)
    static let receiver = Seat(rawValue: 0)

    init(frequentPushesEnabled: Bool = true, policy: CadencePolicy = CadencePolicy(), log: DecisionLog = DecisionLog())
    {
        self.log = log
        budget = DeviceBudget(policy.pace(frequentPushesEnabled: frequentPushesEnabled))
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: Self.start,
            resuming: nil,
            acknowledgedAt: moment - .microseconds(1)
        )
    }

    var hasPushInFlight: Bool { inFlight != nil }

    mutating func pass(_ duration: Duration) { now = now + duration }

    mutating func registers(_ trigger: DecisionRecord.Trigger = .registered) {
        moment = max(moment + .microseconds(1), now)
        cadence.currentStateRequired(moment: moment, at: now)
        log.observed(trigger, at: now)
        decide()
    }

    /// An operator requests a push, or the end.
    mutating func operatorRequests(forEnd: Bool = false) {
        moment = max(moment + .microseconds(1), now)
        if forEnd {
            cadence.endRequested(moment: moment, at: now)
        } else {
            cadence.pushRequested(moment: moment, at: now)
        }
        log.observed(forEnd ? .endRequested : .pushRequested, at: now)
        decide()
    }

    mutating func happens(_ events: AdventureEvent...) {
        for event in events { observe(event) }
        decide()
    }

    private mutating func observe(_ event: AdventureEvent) {
        moment = max(moment + .microseconds(1), now)
        observed += 1
        let rule = PushRules.rule(for: event, receiver: Self.receiver, heroName: { "Hero \($0.rawValue)" })
        cadence.observe(rule, moment: moment, at: now)
        log.observed(event: event.kind, urgency: rule.urgency, at: now)
        takeDrops(because: .event(kind: event.kind))
    }

    mutating func completes(_ disposition: PushDisposition, because cause: DecisionRecord.Cause = .noResponse) throws {
        let push = try #require(inFlight)
        inFlight = nil
        cadence.completed(disposition, at: now, refunding: &budget)
        log.completed(disposition, because: cause, changeAt: push.changeAt, at: now)
        decide()
    }

    mutating func decide() {
        let decision = cadence.next(at: now, showing: moment, spending: &budget)
        takeDrops()
        if case .send(let push) = decision {
            inFlight = push
            sends.append(push.reason)
        }
        log.decided(decision, at: now)
    }

    private mutating func takeDrops(because trigger: DecisionRecord.Trigger? = nil) {
        for drop in cadence.takeDrops() {
            if drop.reason != .rejected { drops.append(drop.subject) }
            log.dropped(drop, because: trigger)
        }
    }

    /// The log as lines `SECONDS TRIGGER. ACTION UNTIL - REASON`.
    var lines: [String] {
        log.records.map { entry in
            let until = entry.until.map { " until \(seconds($0))" } ?? ""
            return
                "\(seconds(entry.at)) \(entry.triggerText). \(entry.actionText)\(until)\(entry.reasonText.map { " - \($0)" } ?? "")"
        }
    }

    private func seconds(_ moment: Timestamp) -> String {
        let milliseconds = (moment - Self.start).wholeMicroseconds / 1_000
        let rest = milliseconds % 1_000
        return rest == 0 ? "\(milliseconds / 1_000)" : "\(milliseconds / 1_000).\(String(1_000 + rest).dropFirst())"
    }
}
