import Encodings
import GameCore
import PushCadence
import Testing

@testable import PushRules

/// A phone, APNs and a clock around one cadence, driven by random steps, with checks of the invariants after every
/// step.
///
/// It tracks the pending states and alerts independently of the cadence.
struct SimulatedActivity {
    private(set) var cadence: ActivityCadence
    private var budget: DeviceBudget
    private let pace: CadencePolicy.Pace
    private let receiver = Seat(rawValue: 0)

    private(set) var now = Timestamp(epochSeconds: 1_790_000_000)
    private var moment: Timestamp = 100
    private var inFlight: (planned: PlannedPush, through: Timestamp, tokens: Int, sentAt: Timestamp)?

    /// The newest moment that the phone shows.
    private(set) var shownUntil: Timestamp = 100
    /// The moments of states that were observed, and neither shown nor dropped.
    private var pendingStates: Set<Timestamp> = []
    /// The moments of alerts that were neither accepted nor dropped.
    private var pendingAlerts: Set<Timestamp> = []
    /// The moment at which a dead token was last replaced.
    private var alertsPendingSince: Timestamp = 0
    private var tokens = 1
    private var tokenIsDead = false
    private var endMoment: Timestamp?
    private(set) var acceptedEnds = 0

    private var lastTimestamp: Int64 = 0
    private var lastSent: Timestamp?
    /// The times of the pushes of priority 10 that may have reached the phone.
    private var highAccepted: [Timestamp] = []
    private var acknowledged: Timestamp = 100
    private(set) var sent = 0

    init(policy: CadencePolicy, frequentPushesEnabled: Bool) {
        pace = policy.pace(frequentPushesEnabled: frequentPushesEnabled)
        budget = DeviceBudget(pace)
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: now,
            resuming: nil,
            acknowledgedAt: 100
        )
    }

    mutating func pass(_ duration: Duration) {
        now = now + duration
    }

    // MARK: - What happens

    mutating func happens(_ event: AdventureEvent) {
        moment += 1
        let rule = PushRules.rule(for: event, receiver: receiver, heroName: { "Hero \($0.rawValue)" })
        if endMoment == nil {
            if !tokenIsDead { pendingStates.insert(moment) }
            if rule.alert != nil { pendingAlerts.insert(moment) }
        }
        if rule.endsActivity, endMoment == nil { endMoment = moment }
        cadence.observe(rule, moment: moment, at: now)
        check()
    }

    mutating func tokenChanges() {
        guard acceptedEnds == 0 else { return }
        moment += 1
        tokens += 1
        if endMoment == nil { pendingStates.insert(moment) }
        // Nothing was pending while the token was dead; now the end is pending.
        if tokenIsDead, endMoment != nil { endMoment = moment }
        // From this moment on, the waiting alerts are pending.
        alertsPendingSince = tokenIsDead ? moment : alertsPendingSince
        tokenIsDead = false
        cadence.currentStateRequired(moment: moment, at: now)
        check()
    }

    /// Gets the next decision of the cadence, and checks its push.
    mutating func decide() -> CadenceDecision {
        let decision = cadence.next(at: now, showing: moment, spending: &budget)
        switch decision {
        case .send(let push):
            checkSent(push)
            sent += 1
            inFlight = (push, moment, tokens, now)
        case .wait(let moment, _):
            #expect(moment > now, "a wait must end later than now, or the driver spins")
        case .idle:
            break
        }
        check()
        return decision
    }

    mutating func complete(_ disposition: PushDisposition) {
        guard let push = inFlight else { return }
        inFlight = nil
        cadence.completed(disposition, at: now, refunding: &budget)
        switch disposition {
        case .accepted: accepted(push.planned, through: push.through, isForLatestToken: push.tokens == tokens)
        case .unanswered where push.planned.priority == .high: highAccepted.append(push.sentAt)
        case .retryLater, .unanswered: break
        case .rejected:
            if push.planned.alert == nil { pendingStates = pendingStates.filter { $0 > push.through } }
        case .tokenDead:
            guard push.tokens == tokens else { break }
            tokenIsDead = true
            pendingStates = []
        }
        check()
    }

    // MARK: - What must hold

    private mutating func accepted(_ push: PlannedPush, through: Timestamp, isForLatestToken: Bool) {
        if push.priority == .high { highAccepted.append(lastSent ?? now) }
        #expect(push.alertMoments.isEmpty == (push.alert == nil))
        for alert in push.alertMoments { #expect(pendingAlerts.remove(alert) != nil, "an alert was accepted twice") }
        // A state sent to an old token is pending for the new one at the later moment of the new token.
        pendingStates = pendingStates.filter { $0 > through }
        guard isForLatestToken else { return }
        shownUntil = max(shownUntil, through)
        if case .end = push.event { acceptedEnds += 1 }
    }

    private mutating func checkSent(_ push: PlannedPush) {
        #expect(inFlight == nil)
        #expect(acceptedEnds == 0, "a push follows an accepted end")
        #expect(!tokenIsDead, "a push uses a dead token")
        #expect(push.timestamp > lastTimestamp)
        #expect(push.expiration > push.timestamp)
        #expect(abs(push.timestamp - now.epochSeconds) <= 1)
        if let lastSent { #expect(now - lastSent >= .seconds(1)) }
        switch push.event {
        case .update(let staleDate):
            #expect(staleDate > push.timestamp)
        case .end(let dismissalDate):
            #expect(dismissalDate > push.timestamp)
            #expect(endMoment != nil)
        }
        if push.alert != nil { #expect(push.priority == .high) }
        lastTimestamp = push.timestamp
        lastSent = now
    }

    private mutating func check() {
        for drop in cadence.takeDrops() {
            switch drop.subject {
            case .alert:
                #expect(pendingAlerts.remove(drop.changeAt) != nil, "an alert was dropped that was not pending")
            case .state, .end: break
            }
        }
        #expect(cadence.acknowledgedAt >= acknowledged, "an acknowledged moment became pending again")
        acknowledged = cadence.acknowledgedAt
        #expect(acknowledged <= moment)
        if !tokenIsDead {
            for alert in pendingAlerts {
                #expect(acknowledged < max(alert, alertsPendingSince), "a pending alert was acknowledged")
            }
        }
        if endMoment == nil {
            for state in pendingStates { #expect(acknowledged < state, "a pending state was acknowledged") }
        } else if let endMoment, acceptedEnds == 0, !tokenIsDead {
            #expect(acknowledged < endMoment, "a pending end was acknowledged")
        }
    }

    func checkAtTheEnd() {
        #expect(acceptedEnds == 1, "the final state was not delivered")
        #expect(shownUntil == moment || endMoment.map { shownUntil >= $0 } == true)
        #expect(pendingAlerts.isEmpty, "alerts were neither accepted nor dropped: \(pendingAlerts)")
        #expect(cadence.pendingSince == nil)
        for (first, start) in highAccepted.enumerated() {
            for (last, end) in highAccepted.enumerated().dropFirst(first) {
                let allowed = Double(pace.highCapacity) + (end - start) / pace.highRefill
                #expect(Double(last - first + 1) <= allowed + 1e-9, "the budget was exceeded")
            }
        }
    }
}
