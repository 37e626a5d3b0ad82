import GameCore
import GameLog
import PushDispatch
import RangersMetrics

/// The labels of channels in a state.
struct ChannelLabels: MetricLabels {
    static let names = ["environment", "state"]
    let environment: PushEnvironment
    let state: BroadcastChannel.State

    init(_ environment: PushEnvironment, _ state: BroadcastChannel.State) {
        self.environment = environment
        self.state = state
    }

    var values: [String] { [environment.rawValue, state.rawValue] }
}

/// The labels of a request about a channel: what it asks for, and the outcome.
struct ChannelRequestLabels: MetricLabels {
    enum Kind: String, CaseIterable {
        case create
        case delete
        case list
        case broadcast
    }

    static let names = ["request", "result"]
    let kind: Kind
    let result: String

    init(_ kind: Kind, _ answer: ChannelAnswer) {
        self.kind = kind
        result =
            switch answer {
            case .created, .accepted: "accepted"
            case .limitReached: "limitReached"
            case .notRegistered: "notRegistered"
            case .unavailable: "unavailable"
            case .refused: "refused"
            case .invalid: "invalid"
            case .unknown: "unanswered"
            case .neverSent: "unsent"
            }
    }

    var values: [String] { [kind.rawValue, result] }
}
