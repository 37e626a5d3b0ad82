import Encodings
import GameCore
import PushCadence
import Testing

@testable import PushRules

/// One phone, APNs and a clock, all of chance, around one cadence; it checks after every step what must always hold.
///
/// It keeps its own books of what is owed, independently of the cadence's.
struct SimulatedActivity {
    private(set) var cadence: ActivityCadence
    private var budget: PhoneBudget
    private let pace: CadencePolicy.Pace
    private let receiver = Seat(rawValue: 0)

    private(set) var now = Timestamp(epochSeconds: 1_790_000_000)
    private var position: Int64 = 100
    private var inFlight: (push: PlannedPush, through: Int64, tokens: Int, sentAt: Timestamp)?

    /// What a phone was told of, by the log's positions.
    private(set) var shownThrough: Int64 = 100
    /// Observed, and neither shown nor dropped as a whole.
    private var owedStates: Set<Int64> = []
    /// Neither accepted nor dropped.
    private var owedAlerts: Set<Int64> = []
    /// Where the log told of the last token that followed a dead one.
    private var alertsOwedSince: Int64 = 0
    private var tokens = 1
    private var tokenIsDead = false
    private var endPosition: Int64?
    private(set) var acceptedEnds = 0

    private var lastTimestamp: Int64 = 0
    private var lastSent: Timestamp?
    /// When pushes of priority 10 were sent that came through, or may have.
    private var highAccepted: [Timestamp] = []
    private var settled: Int64 = 100
    private(set) var sent = 0

    init(policy: CadencePolicy, frequentPushesEnabled: Bool) {
        pace = policy.pace(frequentPushesEnabled: frequentPushesEnabled)
        budget = PhoneBudget(pace)
        cadence = ActivityCadence(
            policy: policy,
            frequentPushesEnabled: frequentPushesEnabled,
            startedAt: now,
            resuming: nil,
            settledThrough: 100
        )
    }

    mutating func pass(_ duration: Duration) {
        now = now + duration
    }

    // MARK: - What happens

    mutating func happens(_ event: Event) {
        position += 1
        let rule = PushRules.rule(for: event, receiver: receiver, heroName: { "Hero \($0.rawValue)" })
        if endPosition == nil {
            if !tokenIsDead { owedStates.insert(position) }
            if rule.alert != nil { owedAlerts.insert(position) }
        }
        if rule.endsActivity, endPosition == nil { endPosition = position }
        cadence.observe(rule, position: position, at: now)
        // After a crash the log is read again from the checkpoint: known events change nothing.
        cadence.observe(rule, position: position, at: now)
        check()
    }

    mutating func tokenChanges() {
        guard acceptedEnds == 0 else { return }
        position += 1
        tokens += 1
        if endPosition == nil { owedStates.insert(position) }
        // While its token was dead the phone was owed nothing; now it is owed the end.
        if tokenIsDead, endPosition != nil { endPosition = position }
        // So are the alerts that wait, from here on.
        alertsOwedSince = tokenIsDead ? position : alertsOwedSince
        tokenIsDead = false
        cadence.owesCurrentState(position: position, at: now)
        check()
    }

    /// Asks the cadence; checks what it sends.
    mutating func ask() -> Decision {
        let decision = cadence.next(at: now, showing: position, spending: &budget)
        switch decision {
        case .send(let push):
            checkSent(push)
            sent += 1
            inFlight = (push, position, tokens, now)
        case .wait(let moment, _):
            #expect(moment > now, "a wait must end later than now, or the driver spins")
        case .idle:
            break
        }
        check()
        return decision
    }

    mutating func answer(_ completion: Completion) {
        guard let flight = inFlight else { return }
        inFlight = nil
        cadence.completed(completion, at: now, refunding: &budget)
        switch completion {
        case .accepted: accepted(flight.push, through: flight.through, isForLatestToken: flight.tokens == tokens)
        case .unanswered where flight.push.priority == .high: highAccepted.append(flight.sentAt)
        case .retryLater, .unanswered: break
        case .refusedForever:
            if flight.push.alert == nil { owedStates = owedStates.filter { $0 > flight.through } }
        case .tokenDead:
            guard flight.tokens == tokens else { break }
            tokenIsDead = true
            owedStates = []
        }
        check()
    }

    // MARK: - What must hold

    private mutating func accepted(_ push: PlannedPush, through: Int64, isForLatestToken: Bool) {
        if push.priority == .high { highAccepted.append(lastSent ?? now) }
        #expect(push.alertPositions.isEmpty == (push.alert == nil))
        for alert in push.alertPositions { #expect(owedAlerts.remove(alert) != nil, "an alert was accepted twice") }
        // What an old token got is owed to the new one under the new one's own position, which is larger.
        owedStates = owedStates.filter { $0 > through }
        guard isForLatestToken else { return }
        shownThrough = max(shownThrough, through)
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
            #expect(endPosition != nil)
        }
        if push.alert != nil { #expect(push.priority == .high) }
        lastTimestamp = push.timestamp
        lastSent = now
    }

    private mutating func check() {
        for drop in cadence.takeDrops() {
            switch drop.subject {
            case .alert: #expect(owedAlerts.remove(drop.position) != nil, "an alert was dropped that was not owed")
            case .state, .end: break
            }
        }
        #expect(cadence.settledThrough >= settled, "what was settled got unsettled")
        settled = cadence.settledThrough
        #expect(settled <= position)
        if !tokenIsDead {
            for alert in owedAlerts { #expect(settled < max(alert, alertsOwedSince), "an owed alert was passed") }
        }
        if endPosition == nil {
            for state in owedStates { #expect(settled < state, "an owed state was passed") }
        } else if let endPosition, acceptedEnds == 0, !tokenIsDead {
            #expect(settled < endPosition, "an owed end was passed")
        }
    }

    func checkAtTheEnd() {
        #expect(acceptedEnds == 1, "the final state was not delivered")
        #expect(shownThrough == position || endPosition.map { shownThrough >= $0 } == true)
        #expect(owedAlerts.isEmpty, "alerts were neither accepted nor dropped: \(owedAlerts)")
        #expect(cadence.owedSince == nil)
        for (first, start) in highAccepted.enumerated() {
            for (last, end) in highAccepted.enumerated().dropFirst(first) {
                let allowed = Double(pace.highCapacity) + (end - start) / pace.highRefill
                #expect(Double(last - first + 1) <= allowed + 1e-9, "the budget was exceeded")
            }
        }
    }
}
