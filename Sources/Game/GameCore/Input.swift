/// What moves an adventure forward: everything a replay needs besides the seed.
public enum Input: Hashable, Sendable {
    /// The first input of every adventure, once.
    case start
    /// The interval (journey) or the turn's deadline (boss fight) has passed.
    case tick
    /// A player asks for something.
    case command(Command, by: PlayerID)
    /// A player joins with a hero.
    case join(Hero)
    /// A player leaves.
    case leave(PlayerID)
    /// An operator ends the adventure.
    case end
}

extension Input: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
        case command
        case player
        case hero
    }

    private enum Kind: String, Codable {
        case start
        case tick
        case command
        case join
        case leave
        case end
    }

    /// Decodes `{"type": "command", "player": …, "command": …}` and the like.
    /// - Throws: `DecodingError` when the type is unknown or something that it needs is missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(Kind.self, forKey: .type) {
        case .start: self = .start
        case .tick: self = .tick
        case .command:
            let command = try container.decode(Command.self, forKey: .command)
            self = .command(command, by: try container.decode(PlayerID.self, forKey: .player))
        case .join: self = .join(try container.decode(Hero.self, forKey: .hero))
        case .leave: self = .leave(try container.decode(PlayerID.self, forKey: .player))
        case .end: self = .end
        }
    }

    /// Encodes the form that is decoded.
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
        }
    }
}
