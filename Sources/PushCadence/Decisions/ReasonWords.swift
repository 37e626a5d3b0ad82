import GameCore
import PushRules

// The words that stand for reasons in a stored log of decisions. A word once used is never given another meaning.

extension SendReason {
    var word: String {
        switch self {
        case .alert(let kind): "alert:\(kind.word)"
        case .end(.adventureOver): "end"
        case .end(.tooOld): "old"
        case .end(.replaced): "replaced"
        case .end(.asked): "askedend"
        case .newToken: "token"
        case .asked: "asked"
        case .turn: "turn"
        case .turnWithoutFrequentPushes: "turn5"
        case .turnDemoted: "demoted"
        case .low: "low"
        case .cardEndsSoon: "soon"
        }
    }

    init?(word: Substring) {
        switch word {
        case "end": self = .end(.adventureOver)
        case "old": self = .end(.tooOld)
        case "replaced": self = .end(.replaced)
        case "askedend": self = .end(.asked)
        case "token": self = .newToken
        case "asked": self = .asked
        case "turn": self = .turn
        case "turn5": self = .turnWithoutFrequentPushes
        case "demoted": self = .turnDemoted
        case "low": self = .low
        case "soon": self = .cardEndsSoon
        default:
            guard word.hasPrefix("alert:"), let kind = AlertKind(word: word.dropFirst("alert:".count)) else {
                return nil
            }
            self = .alert(kind)
        }
    }
}

extension WaitReason {
    private static let all: [Self] = [
        .minimumSpacing, .backingOff, .turnSpacing, .lowSpacing, .budget, .routeStopped,
    ]

    var word: String {
        switch self {
        case .minimumSpacing: "second"
        case .backingOff: "backoff"
        case .turnSpacing: "turn"
        case .lowSpacing: "low"
        case .budget: "budget"
        case .routeStopped: "route"
        }
    }

    init?(word: Substring) {
        guard let reason = Self.all.first(where: { $0.word == word }) else { return nil }
        self = reason
    }
}

extension IdleReason {
    private static let all: [Self] = [.nothingOwed, .inFlight, .ended, .tokenDead]

    var word: String {
        switch self {
        case .nothingOwed: "nothing"
        case .inFlight: "flight"
        case .ended: "ended"
        case .tokenDead: "dead"
        }
    }

    init?(word: Substring) {
        guard let reason = Self.all.first(where: { $0.word == word }) else { return nil }
        self = reason
    }
}

extension Drop.Subject {
    var word: String {
        switch self {
        case .alert(let kind): "alert:\(kind.word)"
        case .state: "state"
        case .end: "end"
        }
    }

    init?(word: Substring) {
        switch word {
        case "state": self = .state
        case "end": self = .end
        default:
            guard word.hasPrefix("alert:"), let kind = AlertKind(word: word.dropFirst("alert:".count)) else {
                return nil
            }
            self = .alert(kind)
        }
    }
}

extension Drop.Reason {
    private static let all: [Self] = [
        .cancelledByEvent, .cancelledByEnd, .outwaited, .expired, .queueFull, .replaced, .refused,
    ]

    var word: String {
        switch self {
        case .cancelledByEvent: "event"
        case .cancelledByEnd: "end"
        case .outwaited: "budget"
        case .expired: "expired"
        case .queueFull: "full"
        case .replaced: "replaced"
        case .refused: "refused"
        }
    }

    init?(word: Substring) {
        guard let reason = Self.all.first(where: { $0.word == word }) else { return nil }
        self = reason
    }
}

extension AlertKind {
    private static let all: [Self] =
        (0..<Adventure.mostHeroes).map { .companionDown(Seat(rawValue: $0)) } + [
            .ownHeroDown, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver,
        ]

    var word: String {
        switch self {
        case .ownHeroDown: "fallen"
        case .companionDown(let seat): "down\(seat.rawValue)"
        case .ownTurn: "own"
        case .bossAppeared: "boss"
        case .bossDefeated: "won"
        case .partyWiped: "wiped"
        case .adventureOver: "over"
        }
    }

    init?(word: Substring) {
        guard let kind = Self.all.first(where: { $0.word == word }) else { return nil }
        self = kind
    }
}
