/// What a player asks of a running adventure.
public enum Command: Hashable, Sendable {
    /// Give one of the player's potions to a hero, or to the player's own when `target` is nil.
    case potion(target: Seat?)
    /// Strike the boss; in the player's own turn only.
    case attack
    /// Guard until the next turn; in the player's own turn only.
    case guardUp
    /// Pass the turn on; in the player's own turn only.
    case pass
}

extension Command: Codable {
    private enum CodingKeys: String, CodingKey {
        case type
        case target
    }

    /// The words by which players and the log name the commands.
    private enum Kind: String, Codable {
        case potion
        case attack
        case guardUp = "guard"
        case pass
    }

    /// Decodes `{"type": "potion", "target": 1}`; `target` may be left out, and only a potion has one.
    /// - Throws: `DecodingError` when the type is missing or none of `potion`, `attack`, `guard` and `pass`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            switch try container.decode(Kind.self, forKey: .type) {
            case .potion: .potion(target: try container.decodeIfPresent(Seat.self, forKey: .target))
            case .attack: .attack
            case .guardUp: .guardUp
            case .pass: .pass
            }
    }

    /// Encodes the form that is decoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .potion(let target):
            try container.encode(Kind.potion, forKey: .type)
            try container.encodeIfPresent(target, forKey: .target)
        case .attack: try container.encode(Kind.attack, forKey: .type)
        case .guardUp: try container.encode(Kind.guardUp, forKey: .type)
        case .pass: try container.encode(Kind.pass, forKey: .type)
        }
    }
}
