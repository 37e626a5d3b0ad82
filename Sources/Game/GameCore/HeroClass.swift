/// The part that a hero plays in a party.
public enum HeroClass: String, Codable, Hashable, Sendable, CaseIterable {
    /// Takes the blows.
    case tank
    /// Keeps the others standing.
    case healer
    /// Brings bosses down.
    case striker
    /// Keeps bosses from what they want to do.
    case trickster

    /// How many of a hundred blows hit especially hard.
    var criticalPercent: Int {
        switch self {
        case .tank, .healer: 5
        case .striker: 16
        case .trickster: 12
        }
    }

    /// How many of a hundred blows miss.
    var missPercent: Int {
        switch self {
        case .tank, .healer, .trickster: 4
        case .striker: 7
        }
    }
}
