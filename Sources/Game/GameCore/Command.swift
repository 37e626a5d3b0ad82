/// What a player asks of a running adventure.
public enum Command: Hashable, Sendable {
    /// Give one of the player's potions to a hero, or to the player's own when `target` is nil.
    case potion(target: Seat?)
    /// Strike the boss; in the player's own turn only.
    case attack
    /// Guard until the next turn; in the player's own turn only.
    case guardUp
    /// Use the hero's signature move; in the player's own turn only, and not while it cools down.
    case special
    /// Help a hero up who is down, without a potion; in the player's own turn only.
    case revive(target: Seat)
    /// Try to run from the boss, which lets nobody go: the turn is spent; in the player's own turn only.
    case flee
    /// Pass the turn on; in the player's own turn only.
    case pass
    /// Say what the hero does with turns that the player lets pass; in a boss fight, at any time.
    case policy(TurnPolicy)
}

extension Command: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
        case target
        case policy
    }

    /// The words by which players and the log name the commands.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// ``Command/potion(target:)``.
        case potion
        /// ``Command/attack``.
        case attack
        /// ``Command/guardUp``.
        case `guard`
        /// ``Command/special``.
        case special
        /// ``Command/revive(target:)``.
        case revive
        /// ``Command/flee``.
        case flee
        /// ``Command/pass``.
        case pass
        /// ``Command/policy(_:)``.
        case policy
    }

    /// The word by which players and the log name the command.
    public var kind: Kind {
        switch self {
        case .potion: .potion
        case .attack: .attack
        case .guardUp: .guard
        case .special: .special
        case .revive: .revive
        case .flee: .flee
        case .pass: .pass
        case .policy: .policy
        }
    }

    /// Decodes `{"type": "potion", "target": 1}`; a potion may have a target, a revival must have one.
    /// - Throws: `DecodingError` when the type is missing or unknown, or what it needs is missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try container.decode(Kind.self, forKey: .type) {
            case .potion: .potion(target: try container.decodeIfPresent(Seat.self, forKey: .target))
            case .attack: .attack
            case .guard: .guardUp
            case .special: .special
            case .revive: .revive(target: try container.decode(Seat.self, forKey: .target))
            case .flee: .flee
            case .pass: .pass
            case .policy: .policy(try container.decode(TurnPolicy.self, forKey: .policy))
            }
    }

    /// Encodes the form that is decoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .type)
        switch self {
        case .potion(let target): try container.encodeIfPresent(target, forKey: .target)
        case .revive(let target): try container.encode(target, forKey: .target)
        case .policy(let policy): try container.encode(policy, forKey: .policy)
        case .attack, .guardUp, .special, .flee, .pass: break
        }
    }
}
