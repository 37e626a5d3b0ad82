/// A command that a player gives in a running adventure.
///
/// Except for ``potion(target:)`` on a journey and ``policy(_:)``, commands are accepted only in a boss fight, in the
/// turn of the player's own hero, and they resolve that turn.
public enum Command: Hashable, Sendable {
    /// Gives one of the hero's potions to a hero; to the hero itself if `target` is nil.
    case potion(target: Seat?)
    /// Attacks the boss.
    case attack
    /// Guards until the hero's next turn.
    case guardUp
    /// Uses the hero's signature move; refused during its cooldown.
    case special
    /// Revives a hero who is down, without a potion.
    case revive(target: Seat)
    /// Tries to flee from the boss, which always fails and uses up the turn.
    case flee
    /// Does nothing in this turn.
    case pass
    /// Chooses the policy for turns without a command; accepted at any time in a boss fight.
    case policy(TurnPolicy)
}

extension Command: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
        case target
        case policy
    }

    /// The names of the commands in REST and in stored inputs.
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

    /// The name of the command in REST and in stored inputs.
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

    /// Decodes an object such as `{"type": "potion", "target": 1}`; `target` is optional for potions and required for
    /// revivals.
    /// - Throws: `DecodingError` if the type is missing or unknown, or a required field is missing.
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

    /// Encodes the object that ``init(from:)`` decodes.
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
