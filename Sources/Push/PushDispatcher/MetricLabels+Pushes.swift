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
        /// A reload of widgets.
        case widgets
        /// An ordinary alert to a device without a Live Activity.
        case fallback
    }

    static let names = ["priority", "kind", "status", "reason"]

    let priority: PriorityLabel
    let kind: Kind
    let status: String
    let reason: String

    init(_ priority: APNsPush.Priority, _ kind: Kind, _ outcome: APNsOutcome) {
        self.priority = PriorityLabel(priority)
        self.kind = kind
        (status, reason) = outcome.statusAndReason
    }

    var values: [String] { priority.values + [kind.rawValue, status, reason] }
}

/// The label for `apns-priority`.
struct PriorityLabel: MetricLabels {
    static let names = ["priority"]
    static let all = [Self(.high), Self(.low)]
    let priority: APNsPush.Priority

    init(_ priority: APNsPush.Priority) {
        self.priority = priority
    }

    var values: [String] { ["\(priority.rawValue)"] }
}

/// The label for the kind of a token.
enum TokenLabel: String, MetricLabels, CaseIterable {
    case activity
    case pushToStart
    case widgets
    case alert

    static let names = ["kind"]
    var values: [String] { [rawValue] }
}

/// The label for what became of an ordinary alert.
struct FallbackLabel: MetricLabels {
    static let names = ["result"]
    /// The alert was sent, whatever APNs responded.
    static let sent = Self(result: "sent")
    /// The database failed.
    static let failed = Self(result: "failed")
    /// The queue of a node was full.
    static let dropped = Self(result: "dropped")
    static let all = [sent, failed, dropped] + FallbackDenial.allCases.map { Self($0) }

    private let result: String

    private init(result: String) {
        self.result = result
    }

    init(_ denial: FallbackDenial) {
        self.init(result: denial.rawValue)
    }

    var values: [String] { [result] }
}

/// The labels of a topic in an APNs environment.
struct RouteLabels: MetricLabels {
    static let names = ["environment", "topic"]
    let environment: PushEnvironment
    let topic: PushTopic

    init(_ environment: PushEnvironment, _ topic: PushTopic) {
        self.environment = environment
        self.topic = topic
    }

    var values: [String] { [environment.rawValue, topic.rawValue] }
}

extension DecisionKind: MetricLabels {
    package static let names = ["decision", "reason"]

    package var values: [String] {
        switch self {
        case .send(let reason): ["send", reason.label]
        case .wait(let reason): ["wait", reason.rawValue]
        case .idle(let reason): ["idle", reason.rawValue]
        case .drop(let reason): ["drop", reason.rawValue]
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
        [400, 403, 404, 405, 410, 413, 429, 500, 503].contains(status) ? "\(status)" : "other"
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
    fileprivate var label: String {
        switch self {
        case .alert(.ownHeroDown): "alertOwnHeroDown"
        case .alert(.companionDown): "alertCompanionDown"
        case .alert(.heroInDanger): "alertHeroInDanger"
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
