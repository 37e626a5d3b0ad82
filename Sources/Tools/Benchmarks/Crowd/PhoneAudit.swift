import Encodings
import GameCore
import GameLog
import GameStore
import PushCadence
import PushRules
import SimulatedPlayers

/// The measured part of a run.
struct CrowdWindow: Sendable {
    /// Pushes that arrived before are not measured.
    let start: Timestamp
    /// The end, by which everything that arrived is known.
    let end: Timestamp
    /// The mean time from the sending of a push to its arrival.
    let transit: Duration
}

/// Compares the pushes that arrived for one phone with those that the rules and the cadence require.
///
/// Its source are the events of the adventure with their moments, and nothing of the dispatcher. A push is due from the
/// moment of the first event that the phone does not show, or from the end of the spacing or of the wait for budget that
/// the cadence imposes after the pushes before it. The spacing counts from when the previous push was sent.
struct PhoneAudit {
    /// The tolerance of moments that only the sender knows exactly; shorter than the time in which any budget refills.
    private static let tolerance = Duration.seconds(10)
    /// The lateness from which a push that has not arrived by the end of the run counts.
    private static let overdue = Duration.seconds(1)
    /// The lateness from which an alert that has not arrived by the end of the run counts as lost.
    private static let lost = Duration.seconds(60)

    private struct WaitingAlert {
        let kind: AlertKind
        let moment: Timestamp
    }

    let window: CrowdWindow
    private let policy = CadencePolicy()
    private let pace: CadencePolicy.Pace
    private let seat: Seat
    /// An adventure that provides the heroes' names to the rules.
    private let adventure: Adventure
    private(set) var findings = PhoneFindings()

    private var sentAt: Timestamp?
    /// When the phone's budget is full again.
    private var fullAgain: Timestamp?
    /// The highest urgency of the events that the phone does not show; nil without any.
    private var urgency: Urgency?
    /// When the first state that the phone does not show is due.
    private var stateDue: Timestamp?
    private var alerts: [WaitingAlert] = []
    /// The moment of the event for which `end` is pending.
    private var endPendingSince: Timestamp?
    private var isEnded = false

    init(of seat: Seat, frequentPushesEnabled: Bool, in adventure: Adventure, during window: CrowdWindow) {
        self.window = window
        self.seat = seat
        self.adventure = adventure
        pace = policy.pace(frequentPushesEnabled: frequentPushesEnabled)
    }

    /// Audits the pushes of a phone.
    /// - Parameters:
    ///   - pushes: its pushes, in the order of arrival.
    ///   - events: the events that the phone did not show at the beginning, up to the end of the run.
    mutating func audit(_ pushes: some Sequence<PushArrival>, _ events: some Collection<StoredEvent>) {
        var rest = events[...]
        for push in pushes where push.at <= window.end {
            while let event = rest.first, event.sequence <= push.sequence {
                observe(event)
                rest.removeFirst()
            }
            receive(push)
        }
        for event in rest where event.at <= window.end { observe(event) }
        finish()
    }

    private mutating func observe(_ event: StoredEvent) {
        guard endPendingSince == nil, !isEnded else { return }
        let rule = PushRules.rule(for: event.event, after: adventure, receiver: seat)
        let highest = max(urgency ?? .low, rule.stateUrgency)
        urgency = highest
        let due = earliest(event.at, after: highest == .turn ? pace.turnSpacing : pace.lowSpacing)
        stateDue = min(stateDue ?? due, due)
        cancelAlerts(at: event.at) { kind in
            rule.cancels.contains(kind) || kind == rule.alert?.kind || rule.endsActivity && !kind.announcesOutcome
        }
        if let alert = rule.alert { alerts.append(WaitingAlert(kind: alert.kind, moment: event.at)) }
        if rule.endsActivity { endPendingSince = event.at }
    }

    /// Removes alerts that an event cancels; they lapse if they were due before.
    private mutating func cancelAlerts(at moment: Timestamp, where isCancelled: (AlertKind) -> Bool) {
        expireAlerts(at: moment)
        for alert in alerts where isCancelled(alert.kind) && due(alert) + Self.overdue < moment {
            findings.lapsedAlerts += 1
            if moment >= window.start { findings.alertWaits.append(moment - due(alert)) }
        }
        alerts.removeAll { isCancelled($0.kind) }
    }

    private mutating func expireAlerts(at moment: Timestamp) {
        alerts.removeAll { $0.moment + policy.alertExpiry <= moment }
    }

    private mutating func receive(_ push: PushArrival) {
        let sent = push.at - window.transit
        expireAlerts(at: push.at)
        let isMeasured = push.at >= window.start
        if isMeasured {
            findings.pushes += 1
            if let due { findings.waits.append(max(push.at - due, .zero)) }
        }
        if push.hasAlert {
            if isMeasured, let due = next.map(due) { findings.alertWaits.append(max(push.at - due, .zero)) }
            removeNextAlerts()
        } else if let alert = next, push.isEnd && alert.kind.announcesOutcome || due(alert) + Self.tolerance < sent {
            findings.lostAlerts += 1
            removeNextAlerts()
        }
        if push.isHigh {
            var budget = AlertBudget(of: pace, keeping: 0, fullAgain: fullAgain)
            if budget.availableAt > push.at + Self.tolerance { findings.pushesBeyondBudget += 1 }
            budget.spend(at: sent)
            fullAgain = budget.fullAgain
        }
        (sentAt, urgency, stateDue) = (sent, nil, nil)
        if push.isEnd { (alerts, endPendingSince, isEnded) = ([], nil, true) }
    }

    private mutating func finish() {
        if let due, due + Self.overdue < window.end {
            findings.overduePushes += 1
            findings.waits.append(window.end - due)
        }
        expireAlerts(at: window.end)
        for alert in alerts where due(alert) + Self.overdue < window.end {
            findings.alertWaits.append(window.end - due(alert))
            if due(alert) + Self.lost < window.end { findings.lostAlerts += 1 }
        }
    }

    /// When the next push is due; nil if nothing is pending.
    private var due: Timestamp? {
        let end = alerts.contains(where: \.kind.announcesOutcome) ? nil : endPendingSince
        return [stateDue, next.map(due), end.map { earliest($0, after: CadencePolicy.minimumSpacing) }]
            .compactMap(\.self).min()
    }

    private func earliest(_ moment: Timestamp, after spacing: Duration) -> Timestamp {
        max(moment, sentAt.map { $0 + spacing } ?? moment)
    }

    private func due(_ alert: WaitingAlert) -> Timestamp {
        let budget = AlertBudget(of: pace, keeping: pace.reserve(for: alert.kind.weight), fullAgain: fullAgain)
        return max(earliest(alert.moment, after: CadencePolicy.minimumSpacing), budget.availableAt)
    }

    /// The alert that the next push carries: the oldest one of the highest weight.
    private var next: WaitingAlert? {
        let weight = alerts.map(\.kind.weight).max()
        return alerts.first { $0.kind.weight == weight }
    }

    /// Removes the next alert; one push carries all alerts of companions.
    private mutating func removeNextAlerts() {
        guard let next else { return }
        alerts.removeAll { $0.kind == next.kind || next.kind.weight == .companion && $0.kind.weight == .companion }
    }
}

/// What an audit has found.
struct PhoneFindings: Hashable, Sendable {
    /// The pushes that arrived.
    var pushes = 0
    /// For each push that shows something new, the time from when it was due until it arrived; for an overdue one, until
    /// the end of the run.
    var waits: [Duration] = []
    /// The same for alerts, including those that lapsed: until they were cancelled.
    var alertWaits: [Duration] = []
    /// The pushes that had not arrived at the end of the run, more than a second after they were due.
    var overduePushes = 0
    /// The alerts that an event cancelled more than a second after they were due.
    var lapsedAlerts = 0
    /// The alerts that a later push of the phone went without, though they were due, and those more than a minute overdue
    /// at the end of the run.
    var lostAlerts = 0
    /// The pushes of priority 10 that the budget did not allow.
    var pushesBeyondBudget = 0

    static func += (left: inout Self, right: Self) {
        left.pushes += right.pushes
        left.waits += right.waits
        left.alertWaits += right.alertWaits
        left.overduePushes += right.overduePushes
        left.lapsedAlerts += right.lapsedAlerts
        left.lostAlerts += right.lostAlerts
        left.pushesBeyondBudget += right.pushesBeyondBudget
    }
}
