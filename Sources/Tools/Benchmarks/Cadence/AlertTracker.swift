import Encodings
import GameCore
import LiveActivityContent
import PushCadence
import PushRules

/// The outcomes of an activity's alerts, tracked independently of the cadence, from the rules and the accepted pushes.
///
/// Of the cadence's own records, the tracker uses only the dropped alerts and the reasons.
struct AlertTracker {
    /// The time during which an alert is useful: the cadence's default expiry.
    static let usefulLife = Duration.seconds(600)

    private struct Entry {
        let kind: AlertKind
        let content: LiveActivityPayload.Alert
        let moment: Timestamp
        let at: Timestamp
        var cancelledAt: Timestamp?
        var deliveredAt: Timestamp?
        var dropped: Drop.Reason?
        var isThrottled = false
    }

    private var entries: [Entry] = []

    /// Adds the alert that a rule requires, and cancels those that it makes pointless.
    mutating func observe(_ rule: PushRule, moment: Timestamp, at now: Timestamp) {
        if let alert = rule.alert {
            cancel(at: now) { $0 == alert.kind }
            entries.append(Entry(kind: alert.kind, content: alert.content, moment: moment, at: now))
        }
        cancel(at: now) { rule.cancels.contains($0) || rule.endsActivity && !$0.announcesOutcome }
    }

    private mutating func cancel(at now: Timestamp, where isPointless: (AlertKind) -> Bool) {
        for index in entries.indices where entries[index].cancelledAt == nil && isPointless(entries[index].kind) {
            entries[index].cancelledAt = now
        }
    }

    /// Records that APNs accepted a push with an alert.
    mutating func accepted(_ alert: PushAlert, for moments: [Timestamp], isThrottled: Bool, at now: Timestamp) {
        for moment in moments {
            guard let index = entries.firstIndex(where: { $0.moment == moment }),
                alert.content.covers(entries[index].content)
            else { preconditionFailure("a push has an alert that no rule asked for") }
            entries[index].isThrottled = isThrottled
            // A repetition delivers nothing new.
            if !isThrottled, entries[index].deliveredAt == nil { entries[index].deliveredAt = now }
        }
    }

    /// Records that the cadence dropped an alert.
    mutating func dropped(_ drop: Drop) {
        guard case .alert = drop.subject else { return }
        guard let index = entries.firstIndex(where: { $0.moment == drop.changeAt }) else { return }
        entries[index].dropped = drop.reason
    }

    /// Returns the alerts of an activity that has ended.
    func alerts(on frequency: PushFrequency) -> [CadenceRecords.Alert] {
        entries.map { .init(name: $0.kind.name, frequency: frequency, outcome: outcome(of: $0, on: frequency)) }
    }

    private func outcome(of entry: Entry, on frequency: PushFrequency) -> AlertOutcome {
        if let delay = entry.deliveredAt.map({ $0 - entry.at }), delay <= Self.usefulLife { return .delivered(delay) }
        if entry.isThrottled { return .lost(.throttled) }
        // A dropped alert is lost even if a later event would have made it pointless.
        switch entry.dropped {
        case .queueFull: return .lost(.queueFull)
        // It may use only budget that heavier alerts do not need, of which such a device has little.
        case .expired where entry.kind.weight == .warning && frequency == .standard: return .starved
        case .expired, .rejected: return .lost(.tooLate)
        // The device gets the alert that replaced it.
        case .replaced, .muted: return .cancelled
        case .starved: return .starved
        case .cancelledByEvent, .cancelledByEnd, nil: break
        }
        if let cancelled = entry.cancelledAt, cancelled - entry.at <= Self.usefulLife { return .cancelled }
        return .lost(.tooLate)
    }
}

extension LiveActivityPayload.Alert {
    /// Whether the alert is the same as another one, or names the other's heroes among its own.
    fileprivate func covers(_ other: Self) -> Bool {
        self == other || other.title.args.allSatisfy { name in title.args.contains { $0.contains(name) } }
    }
}

extension AlertKind {
    /// The kind of alert, without its hero.
    fileprivate var name: String {
        switch self {
        case .ownHeroDown: "ownHeroDown"
        case .companionDown: "companionDown"
        case .heroInDanger: "heroInDanger"
        case .ownTurn: "ownTurn"
        case .bossAppeared: "bossAppeared"
        case .bossDefeated: "bossDefeated"
        case .partyWiped: "partyWiped"
        case .adventureOver: "adventureOver"
        }
    }
}

/// The outcome of an alert.
enum AlertOutcome: Hashable, Sendable {
    /// The alert arrived within ``AlertTracker/usefulLife``, with this delay after its event.
    case delivered(Duration)
    /// An event made the alert pointless before it was sent.
    case cancelled
    /// The alert waited for the device's budget until an event made it pointless, or it expired as a mere warning.
    case starved
    case lost(AlertLoss)
}

/// The reason why an alert was lost.
enum AlertLoss: String, CaseIterable, Sendable {
    /// The alert waited too long for its turn or for budget.
    case tooLate
    /// The queue of alerts was full.
    case queueFull
    /// The device dropped the push, since its budget was spent.
    case throttled
}
