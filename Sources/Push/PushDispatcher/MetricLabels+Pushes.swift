import APNsClient
import GameCore
import GameStore
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics

/// The labels of a push: its priority, its kind and its outcome.
struct PushLabels: MetricLabels {
    enum Kind: String {
        case update
        /// An update with an alert.
        case alert
        case end
        case start
    }

    static let names = ["priority", "kind", "status", "reason"]

    let priority: PriorityLabel
    let kind: Kind
    let status: String
    let reason: String

    init(_ priority: PriorityLabel, _ kind: Kind, _ outcome: APNsOutcome) {
        self.priority = priority
        self.kind = kind
        (status, reason) = outcome.statusAndReason
    }

    var values: [String] { priority.values + [kind.rawValue, status, reason] }
}

/// `apns-priority`.
enum PriorityLabel: MetricLabels {
    case high
    case low

    static let names = ["priority"]
    static let all: [Self] = [.high, .low]

    init(_ priority: APNsPush.Priority) {
        self =
            switch priority {
            case .high: .high
            case .low: .low
            }
    }

    var values: [String] {
        switch self {
        case .high: ["10"]
        case .low: ["5"]
        }
    }
}

/// The label for the kind of a token.
enum TokenLabel: String, MetricLabels, CaseIterable {
    case activity
    case pushToStart

    static let names = ["kind"]
    var values: [String] { [rawValue] }
}

/// The label of an APNs environment.
struct EnvironmentLabel: MetricLabels {
    static let names = ["environment"]
    let environment: PushEnvironment

    init(_ environment: PushEnvironment) {
        self.environment = environment
    }

    var values: [String] { [environment.rawValue] }
}

/// The labels of a decision and its reason.
enum DecisionLabels: MetricLabels {
    case send(SendReason)
    case wait(WaitReason)
    case idle(IdleReason)
    case drop(Drop.Reason)

    static let names = ["decision", "reason"]

    init(_ decision: CadenceDecision) {
        self =
            switch decision {
            case .send(let push): .send(push.reason.withoutSeat)
            case .wait(until: _, let reason): .wait(reason)
            case .idle(let reason): .idle(reason)
            }
    }

    var values: [String] {
        switch self {
        case .send(let reason): ["send", reason.label]
        case .wait(let reason): ["wait", reason.label]
        case .idle(let reason): ["idle", reason.label]
        case .drop(let reason): ["drop", reason.label]
        }
    }
}

extension OutgoingPush {
    var kind: PushLabels.Kind {
        switch planned.event {
        case .update: planned.alert == nil ? .update : .alert
        case .end: .end
        }
    }
}

extension APNsOutcome {
    /// The labels for status and reason; unknown values from APNs map to members of closed sets.
    fileprivate var statusAndReason: (status: String, reason: String) {
        switch self {
        case .accepted: ("200", "accepted")
        case .rejected(let rejection): (rejection.statusLabel, rejection.reason.label)
        case .unknown(let failure): ("unanswered", failure.label)
        case .neverSent(let failure): ("unsent", failure.label)
        }
    }
}

extension APNsRejection {
    /// The statuses that Apple documents ("Handling notification responses from APNs"); `other` for all others.
    fileprivate var statusLabel: String {
        switch status {
        case 400: "400"
        case 403: "403"
        case 404: "404"
        case 405: "405"
        case 410: "410"
        case 413: "413"
        case 429: "429"
        case 500: "500"
        case 503: "503"
        default: "other"
        }
    }
}

extension APNsReason {
    fileprivate var label: String {
        switch self {
        case .unknown(let text): text.isEmpty ? "none" : "other"
        case let known: known.text
        }
    }
}

extension APNsFailure {
    fileprivate var label: String {
        switch self {
        case .timedOut: "timedOut"
        case .streamEnded: "streamEnded"
        case .goAway: "goAway"
        case .connection: "connection"
        case .tooLate: "tooLate"
        case .shuttingDown: "shuttingDown"
        case .providerToken: "providerToken"
        }
    }
}

extension SendReason {
    /// The reason without the seat of a companion, which would multiply the number of series.
    fileprivate var withoutSeat: Self {
        if case .alert(.companionDown) = self { return .alert(.companionDown(Seat(rawValue: 0))) }
        return self
    }

    fileprivate var label: String {
        switch self {
        case .alert(.ownHeroDown): "alertOwnHeroDown"
        case .alert(.companionDown): "alertCompanionDown"
        case .alert(.ownTurn): "alertOwnTurn"
        case .alert(.bossAppeared): "alertBossAppeared"
        case .alert(.bossDefeated): "alertBossDefeated"
        case .alert(.partyWiped): "alertPartyWiped"
        case .alert(.adventureOver): "alertAdventureOver"
        case .end(.adventureOver): "endAdventureOver"
        case .end(.tooOld): "endTooOld"
        case .end(.replaced): "endReplaced"
        case .end(.requested): "endRequested"
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

extension WaitReason {
    fileprivate var label: String {
        switch self {
        case .minimumSpacing: "minimumSpacing"
        case .backingOff: "backingOff"
        case .turnSpacing: "turnSpacing"
        case .lowSpacing: "lowSpacing"
        case .budget: "budget"
        case .breakerOpen: "breakerOpen"
        case .concurrencyLimit: "concurrencyLimit"
        }
    }
}

extension IdleReason {
    fileprivate var label: String {
        switch self {
        case .nothingPending: "nothingPending"
        case .inFlight: "inFlight"
        case .ended: "ended"
        case .tokenDead: "tokenDead"
        }
    }
}

extension Drop.Reason {
    fileprivate var label: String {
        switch self {
        case .cancelledByEvent: "cancelledByEvent"
        case .cancelledByEnd: "cancelledByEnd"
        case .starved: "starved"
        case .expired: "expired"
        case .queueFull: "queueFull"
        case .replaced: "replaced"
        case .rejected: "rejected"
        }
    }
}
