import GameCore
import PushRules

// The numbers that stand for reasons in a log of decisions. A number once used is never given another meaning.

/// What a byte of a log of decisions stands for by its place in a list; new ones are added at the end.
protocol Coded: Equatable {
    static var coded: [Self] { get }
}

extension Coded {
    /// 255 where the list lacks it, which nobody can read: better than to stop a service for what only tells.
    var code: UInt8 { Self.coded.firstIndex(of: self).map { UInt8($0) } ?? .max }

    init?(code: UInt8) {
        guard Self.coded.indices.contains(Int(code)) else { return nil }
        self = Self.coded[Int(code)]
    }
}

extension PushPriority: Coded {
    static let coded: [Self] = [.low, .high]
}

extension WaitReason: Coded {
    static let coded: [Self] = [.minimumSpacing, .backingOff, .turnSpacing, .lowSpacing, .budget, .routeStopped, .room]
}

extension IdleReason: Coded {
    static let coded: [Self] = [.nothingOwed, .inFlight, .ended, .tokenDead]
}

extension Drop.Reason: Coded {
    static let coded: [Self] = [
        .cancelledByEvent, .cancelledByEnd, .outwaited, .expired, .queueFull, .replaced, .refused,
    ]
}

extension AlertKind: Coded {
    static let coded: [Self] =
        (0..<8).map { .companionDown(Seat(rawValue: $0)) } + [
            .ownHeroDown, .ownTurn, .bossAppeared, .bossDefeated, .partyWiped, .adventureOver,
        ]
}

/// Alerts have the upper half of the codes, so that more of both may come.
private let firstAlert: UInt8 = 64

extension SendReason {
    private static let coded: [Self] = [
        .end(.adventureOver), .end(.tooOld), .end(.replaced), .end(.asked), .newToken, .asked, .turn,
        .turnWithoutFrequentPushes, .turnDemoted, .low, .cardEndsSoon,
    ]

    /// Below 128.
    var code: UInt8 {
        if case .alert(let kind) = self { return firstAlert + min(kind.code, 63) }
        return Self.coded.firstIndex(of: self).map { UInt8($0) } ?? firstAlert - 1
    }

    init?(code: UInt8) {
        if code >= firstAlert {
            guard let kind = AlertKind(code: code - firstAlert) else { return nil }
            self = .alert(kind)
        } else {
            guard Self.coded.indices.contains(Int(code)) else { return nil }
            self = Self.coded[Int(code)]
        }
    }
}

extension Drop.Subject {
    var code: UInt8 {
        switch self {
        case .state: 0
        case .end: 1
        case .alert(let kind): firstAlert + min(kind.code, 63)
        }
    }

    init?(code: UInt8) {
        switch code {
        case 0: self = .state
        case 1: self = .end
        default:
            guard code >= firstAlert, let kind = AlertKind(code: code - firstAlert) else { return nil }
            self = .alert(kind)
        }
    }
}

extension RecordedDecision.Change {
    /// What has no name of its own in the adventures' log.
    private static let others: [Self] = [
        .unreadableEvent, .registered, .tokenReplaced, .released, .pushAsked, .endAsked, .answer, .time,
    ]
    private static let firstKind: UInt8 = 32
    /// The events by the names that they have in the adventures' log.
    private static let kinds = [
        "adventureStarted", "storyTold", "travelled", "lootFound", "hazardStruck", "restTaken", "encounterMet",
        "foeStruck", "encounterWon", "heroHurt", "heroHealed", "heroDown", "heroRevived", "heroLevelledUp",
        "bossAppeared", "turnStarted", "actionTaken", "bossActed", "bossHealed", "bossHindered", "bossEnraged",
        "bossDefeated", "partyWiped", "memberJoined", "memberLeft", "policyChosen", "adventureEnded",
    ]
    private static let codesOfKinds = Dictionary(
        uniqueKeysWithValues: zip(kinds, firstKind..<firstKind + UInt8(kinds.count))
    )

    /// Below 127; nil for an event that has none, whose name is written out.
    var code: UInt8? {
        if case .event(let kind) = self { return Self.codesOfKinds[kind] }
        return Self.others.firstIndex(of: self).map { UInt8($0) }
    }

    init?(code: UInt8) {
        if code >= Self.firstKind {
            guard Self.kinds.indices.contains(Int(code - Self.firstKind)) else { return nil }
            self = .event(kind: Self.kinds[Int(code - Self.firstKind)])
        } else {
            guard Self.others.indices.contains(Int(code)) else { return nil }
            self = Self.others[Int(code)]
        }
    }
}
