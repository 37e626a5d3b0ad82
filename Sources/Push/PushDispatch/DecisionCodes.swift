import GameCore
import PushCadence
import PushRules

// The codes of values in a stored decision log. A code never changes its meaning, since other releases read it;
// DecisionCodeTests checks all of them.

/// A value that one byte of a decision log represents.
protocol ByteCoded: Equatable {
    associatedtype CodedValues: Collection<Self>

    /// The code, unique within the type.
    var code: UInt8 { get }
    /// Every value that has a code.
    static var codedValues: CodedValues { get }
}

extension ByteCoded {
    init?(code: UInt8) {
        guard let value = Self.codedValues.first(where: { $0.code == code }) else { return nil }
        self = value
    }
}

extension ByteCoded where Self: CaseIterable {
    static var codedValues: AllCases { allCases }
}

extension PushPriority: ByteCoded {
    /// The code, below 4.
    var code: UInt8 {
        switch self {
        case .low: 0
        case .high: 1
        }
    }
}

extension WaitReason: ByteCoded {
    /// The code, below 32.
    var code: UInt8 {
        switch self {
        case .minimumSpacing: 0
        case .backingOff: 1
        case .turnSpacing: 2
        case .lowSpacing: 3
        case .budget: 4
        case .breakerOpen: 5
        case .concurrencyLimit: 6
        case .scheduled: 7
        }
    }
}

extension IdleReason: ByteCoded {
    /// The code, below 32.
    var code: UInt8 {
        switch self {
        case .nothingPending: 0
        case .inFlight: 1
        case .ended: 2
        case .tokenDead: 3
        }
    }
}

extension Drop.Reason: ByteCoded {
    /// The code, below 32.
    var code: UInt8 {
        switch self {
        case .cancelledByEvent: 0
        case .cancelledByEnd: 1
        case .starved: 2
        case .expired: 3
        case .queueFull: 4
        case .replaced: 5
        case .rejected: 6
        case .muted: 7
        }
    }
}

extension AlertKind: ByteCoded {
    /// The code, 64 to 127: values that share a byte with alerts have smaller codes.
    var code: UInt8 {
        switch self {
        case .companionDown(let seat): 64 + UInt8(truncatingIfNeeded: seat.rawValue & 7)
        case .ownHeroDown: 72
        case .ownTurn: 73
        case .bossAppeared: 74
        case .bossDefeated: 75
        case .partyWiped: 76
        case .adventureOver: 77
        case .heroInDanger: 78
        }
    }

    static let codedValues: [Self] =
        (0..<Adventure.maxHeroes).map { .companionDown(Seat(rawValue: $0)) } + [
            .ownHeroDown, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver, .heroInDanger,
        ]
}

extension SendReason: ByteCoded {
    /// The code, below 128.
    var code: UInt8 {
        switch self {
        case .end(.adventureOver): 0
        case .end(.tooOld): 1
        case .end(.replaced): 2
        case .end(.requested): 3
        case .newToken: 4
        case .requested: 5
        case .turn: 6
        case .turnWithoutFrequentPushes: 7
        case .turnDemoted: 8
        case .low: 9
        case .activityEndsSoon: 10
        case .alert(let kind): kind.code
        }
    }

    static let codedValues: [Self] =
        [
            .end(.adventureOver), .end(.tooOld), .end(.replaced), .end(.requested), .newToken, .requested, .turn,
            .turnWithoutFrequentPushes, .turnDemoted, .low, .activityEndsSoon,
        ] + AlertKind.codedValues.map { .alert($0) }
}

extension Drop.Subject: ByteCoded {
    var code: UInt8 {
        switch self {
        case .state: 0
        case .end: 1
        case .alert(let kind): kind.code
        }
    }

    static let codedValues: [Self] = [.state, .end] + AlertKind.codedValues.map { .alert($0) }
}

extension DecisionRecord.Trigger {
    /// The code, below 127; nil for an event without a code, which is written by its name.
    var code: UInt8? {
        switch self {
        case .outage: 0
        case .registered: 1
        case .tokenReplaced: 2
        case .released: 3
        case .pushRequested: 4
        case .endRequested: 5
        case .pushCompleted: 6
        case .time: 7
        case .event(let kind): CodedNames.events.code(of: kind)
        }
    }

    init?(code: UInt8) {
        switch code {
        case 0: self = .outage
        case 1: self = .registered
        case 2: self = .tokenReplaced
        case 3: self = .released
        case 4: self = .pushRequested
        case 5: self = .endRequested
        case 6: self = .pushCompleted
        case 7: self = .time
        default:
            guard let kind = CodedNames.events.name(of: code) else { return nil }
            self = .event(kind: kind)
        }
    }
}

/// Names defined elsewhere, whose codes are consecutive; new names are appended.
struct CodedNames: Sendable {
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

    /// The names of events, with codes from 32.
    static let events = Self(
        from: 32,
        [
            "adventureStarted", "storyTold", "travelled", "lootFound", "hazardStruck", "restTaken", "encounterMet",
            "foeStruck", "encounterWon", "heroHurt", "heroHealed", "heroDown", "heroRevived", "heroLevelledUp",
            "bossAppeared", "turnStarted", "actionTaken", "bossActed", "bossHealed", "bossHindered", "bossEnraged",
            "bossDefeated", "partyWiped", "memberJoined", "memberLeft", "policyChosen", "adventureEnded",
            "raidProgressed",
        ]
    )

    /// The reasons of APNs as Apple documents them, with codes from 16.
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
