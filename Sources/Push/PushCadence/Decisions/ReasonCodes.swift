import GameCore
import PushRules

// The numbers that stand for reasons in a log of decisions. A number once used is never given another meaning, as other
// releases read it: DecisionCodeTests holds all of them.

/// What a byte of a log of decisions may stand for.
protocol Coded: Equatable {
    /// Another one for each.
    var code: UInt8 { get }
    /// All that there is.
    static var coded: [Self] { get }
}

extension Coded {
    init?(code: UInt8) {
        guard let value = Self.coded.first(where: { $0.code == code }) else { return nil }
        self = value
    }
}

extension Coded where Self: CaseIterable {
    static var coded: [Self] { Array(allCases) }
}

extension PushPriority: Coded {
    /// Below 4.
    var code: UInt8 {
        switch self {
        case .low: 0
        case .high: 1
        }
    }
}

extension WaitReason: Coded {
    /// Below 32.
    var code: UInt8 {
        switch self {
        case .minimumSpacing: 0
        case .backingOff: 1
        case .turnSpacing: 2
        case .lowSpacing: 3
        case .budget: 4
        case .routeStopped: 5
        case .room: 6
        }
    }
}

extension IdleReason: Coded {
    /// Below 32.
    var code: UInt8 {
        switch self {
        case .nothingOwed: 0
        case .inFlight: 1
        case .ended: 2
        case .tokenDead: 3
        }
    }
}

extension Drop.Reason: Coded {
    /// Below 32.
    var code: UInt8 {
        switch self {
        case .cancelledByEvent: 0
        case .cancelledByEnd: 1
        case .outwaited: 2
        case .expired: 3
        case .queueFull: 4
        case .replaced: 5
        case .refused: 6
        }
    }
}

extension AlertKind: Coded {
    /// 64 to 127, which nothing else has that alerts stand beside.
    var code: UInt8 {
        switch self {
        case .companionDown(let seat): 64 + UInt8(truncatingIfNeeded: seat.rawValue & 7)
        case .ownHeroDown: 72
        case .ownTurn: 73
        case .bossAppeared: 74
        case .bossDefeated: 75
        case .partyWiped: 76
        case .adventureOver: 77
        }
    }

    static let coded: [Self] =
        (0..<Adventure.mostHeroes).map { .companionDown(Seat(rawValue: $0)) } + [
            .ownHeroDown, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver,
        ]
}

extension SendReason: Coded {
    /// Below 128.
    var code: UInt8 {
        switch self {
        case .end(.adventureOver): 0
        case .end(.tooOld): 1
        case .end(.replaced): 2
        case .end(.asked): 3
        case .newToken: 4
        case .asked: 5
        case .turn: 6
        case .turnWithoutFrequentPushes: 7
        case .turnDemoted: 8
        case .low: 9
        case .cardEndsSoon: 10
        case .alert(let kind): kind.code
        }
    }

    static let coded: [Self] =
        [
            .end(.adventureOver), .end(.tooOld), .end(.replaced), .end(.asked), .newToken, .asked, .turn,
            .turnWithoutFrequentPushes, .turnDemoted, .low, .cardEndsSoon,
        ] + AlertKind.coded.map { .alert($0) }
}

extension Drop.Subject: Coded {
    var code: UInt8 {
        switch self {
        case .state: 0
        case .end: 1
        case .alert(let kind): kind.code
        }
    }

    static let coded: [Self] = [.state, .end] + AlertKind.coded.map { .alert($0) }
}

extension RecordedDecision.Change {
    /// Below 127; nil for an event without a code, whose name is written out.
    var code: UInt8? {
        switch self {
        case .unreadableEvent: 0
        case .registered: 1
        case .tokenReplaced: 2
        case .released: 3
        case .pushAsked: 4
        case .endAsked: 5
        case .answer: 6
        case .time: 7
        case .event(let kind): NameCodes.events.code(of: kind)
        }
    }

    init?(code: UInt8) {
        switch code {
        case 0: self = .unreadableEvent
        case 1: self = .registered
        case 2: self = .tokenReplaced
        case 3: self = .released
        case 4: self = .pushAsked
        case 5: self = .endAsked
        case 6: self = .answer
        case 7: self = .time
        default:
            guard let kind = NameCodes.events.name(of: code) else { return nil }
            self = .event(kind: kind)
        }
    }
}

/// Names that come from elsewhere and have codes by their place in a list, to which new ones are added at the end.
struct NameCodes: Sendable {
    private let first: UInt8
    private let names: [String]
    private let codes: [String: UInt8]

    private init(from first: UInt8, _ names: [String]) {
        self.first = first
        self.names = names
        codes = Dictionary(uniqueKeysWithValues: zip(names, first...))
    }

    func code(of name: String) -> UInt8? { codes[name] }

    func name(of code: UInt8) -> String? {
        code >= first && Int(code - first) < names.count ? names[Int(code - first)] : nil
    }

    /// The events of the adventures' log, from 32.
    static let events = Self(
        from: 32,
        [
            "adventureStarted", "storyTold", "travelled", "lootFound", "hazardStruck", "restTaken", "encounterMet",
            "foeStruck", "encounterWon", "heroHurt", "heroHealed", "heroDown", "heroRevived", "heroLevelledUp",
            "bossAppeared", "turnStarted", "actionTaken", "bossActed", "bossHealed", "bossHindered", "bossEnraged",
            "bossDefeated", "partyWiped", "memberJoined", "memberLeft", "policyChosen", "adventureEnded",
        ]
    )

    /// The reasons of APNs's, as its documentation writes them, from 16.
    static let reasons = Self(
        from: 16,
        [
            "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic",
            "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType", "MissingDeviceToken",
            "MissingTopic", "PayloadEmpty", "TopicDisallowed", "BadCertificate", "BadCertificateEnvironment",
            "BadEnvironmentKeyInToken", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
            "MissingProviderToken", "TopicMismatch", "UnrelatedKeyIdInToken", "BadPath", "MethodNotAllowed",
            "ExpiredToken", "Unregistered", "PayloadTooLarge", "TooManyProviderTokenUpdates", "TooManyRequests",
            "InternalServerError", "ServiceUnavailable", "Shutdown", "BadChannelId", "BadRequestParams",
            "BadRequestPayload", "CannotCreateChannelConfig", "ChannelNotRegistered", "FeatureNotEnabled",
            "MissingChannelId", "MissingPushType",
        ]
    )
}
