/// An input that advances an adventure.
///
/// A replay needs only the opening and the inputs.
public enum AdventureInput: Hashable, Sendable {
    /// The first input of every adventure, once.
    case start
    /// The tick interval of a journey, or the deadline of a turn in a boss fight, has passed.
    case tick
    /// A player gives a command.
    case command(Command, by: PlayerID)
    /// A player joins with a hero.
    case join(Hero)
    /// A player leaves.
    case leave(PlayerID)
    /// An operator ends the adventure.
    case end
    /// The home of the fight's raid has decided something.
    case raid(RaidDecision)
}

extension AdventureInput: Encodable {
    private enum CodingKeys: String, CodingKey {
        case type
        case command
        case player
        case hero
        case decision
    }

    private enum Kind: String, Encodable {
        case start
        case tick
        case command
        case join
        case leave
        case end
        case raid
    }

    /// Encodes an object such as `{"type": "command", "player": …, "command": …}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .start: try container.encode(Kind.start, forKey: .type)
        case .tick: try container.encode(Kind.tick, forKey: .type)
        case .command(let command, let player):
            try container.encode(Kind.command, forKey: .type)
            try container.encode(player, forKey: .player)
            try container.encode(command, forKey: .command)
        case .join(let hero):
            try container.encode(Kind.join, forKey: .type)
            try container.encode(hero, forKey: .hero)
        case .leave(let player):
            try container.encode(Kind.leave, forKey: .type)
            try container.encode(player, forKey: .player)
        case .end: try container.encode(Kind.end, forKey: .type)
        case .raid(let decision):
            try container.encode(Kind.raid, forKey: .type)
            try container.encode(decision.encoded, forKey: .decision)
        }
    }
}
