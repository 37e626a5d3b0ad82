import Encodings
import GameCore
import LiveActivityContent
import PushCadence
import PushRules

/// What became of the alerts that the rules owed one card: books of its own, from the rules and from what arrived.
///
/// The cadence is asked only for what it gave up, and why.
struct AlertLedger {
    /// How long an alert matters: by default the cadence gives up then as well, and one that came later would be of no
    /// use.
    static let mattersFor = Duration.seconds(600)

    /// One alert.
    private struct Entry {
        let kind: AlertKind
        let content: LiveActivityPayload.Alert
        let position: Int64
        let at: Timestamp
        var cancelledAt: Timestamp?
        var deliveredAt: Timestamp?
        var dropped: Drop.Reason?
        var isThrottled = false
    }

    private var entries: [Entry] = []

    /// Notes what a rule asks for and what it makes pointless.
    mutating func observe(_ rule: PushRule, position: Int64, at now: Timestamp) {
        if let alert = rule.alert {
            cancel(at: now) { $0 == alert.kind }
            entries.append(Entry(kind: alert.kind, content: alert.content, position: position, at: now))
        }
        cancel(at: now) { rule.cancels.contains($0) || rule.endsActivity && !$0.tellsTheEnd }
    }

    private mutating func cancel(at now: Timestamp, where isPointless: (AlertKind) -> Bool) {
        for index in entries.indices where entries[index].cancelledAt == nil && isPointless(entries[index].kind) {
            entries[index].cancelledAt = now
        }
    }

    /// A push with an alert was taken by APNs.
    mutating func taken(_ alert: PushAlert, telling positions: [Int64], isThrottled: Bool, at now: Timestamp) {
        for position in positions {
            guard let index = entries.firstIndex(where: { $0.position == position }),
                alert.content.tells(entries[index].content)
            else {
                preconditionFailure("an alert was sent that no rule owes")
            }
            entries[index].isThrottled = isThrottled
            if !isThrottled { entries[index].deliveredAt = now }
        }
    }

    /// The cadence gave something up.
    mutating func dropped(_ drop: Drop) {
        guard case .alert = drop.subject else { return }
        guard let index = entries.firstIndex(where: { $0.position == drop.position }) else { return }
        entries[index].dropped = drop.reason
    }

    /// Counts every alert of a card that is over.
    func count(into tally: inout CadenceTally, of flags: Flags) {
        for entry in entries {
            tally.count(AlertSort(entry.kind), on: flags, fate(of: entry))
        }
    }

    private func fate(of entry: Entry) -> AlertFate {
        if let delay = entry.deliveredAt.map({ $0 - entry.at }), delay <= Self.mattersFor { return .delivered(delay) }
        if entry.isThrottled { return .lost(.throttled) }
        // What the cadence gave up is lost, even if an event would have made it pointless later.
        switch entry.dropped {
        case .queueFull: return .lost(.queueFull)
        case .expired, .refused: return .lost(.tooLate)
        // The phone gets the one that took its place.
        case .replaced: return .cancelled
        case .outwaited: return .outwaited
        case .cancelledByEvent, .cancelledByEnd, nil: break
        }
        if let cancelled = entry.cancelledAt, cancelled - entry.at <= Self.mattersFor { return .cancelled }
        return .lost(.tooLate)
    }
}

extension LiveActivityPayload.Alert {
    /// Whether it says what another says: the same, or names the same hero among others.
    fileprivate func tells(_ other: Self) -> Bool {
        self == other || other.title.args.allSatisfy { name in title.args.contains { $0.contains(name) } }
    }
}

/// What an alert is about, whichever hero it is about.
enum AlertSort: String, Encodable, CaseIterable {
    case ownHeroDown
    case companionDown
    case ownTurn
    case bossAppeared
    case bossDefeated
    case partyWiped
    case adventureOver

    init(_ kind: AlertKind) {
        self =
            switch kind {
            case .ownHeroDown: .ownHeroDown
            case .companionDown: .companionDown
            case .ownTurn: .ownTurn
            case .bossAppeared: .bossAppeared
            case .bossDefeated: .bossDefeated
            case .partyWiped: .partyWiped
            case .adventureOver: .adventureOver
            }
    }
}

/// What became of an alert.
enum AlertFate {
    /// It came through while it mattered, so long after its event.
    case delivered(Duration)
    /// Something happened that made it pointless before it was sent.
    case cancelled
    /// The same, but the phone's budget was spent until then.
    case outwaited
    /// It mattered to the last and never came through.
    case lost(LossReason)
}

/// Why an alert was lost.
enum LossReason: String, CaseIterable {
    /// It waited too long for its turn or for budget.
    case tooLate
    /// More alerts waited than may.
    case queueFull
    /// The phone let nothing more through.
    case throttled
}
