/// The role that a hero plays in a party.
public enum HeroClass: String, Codable, Hashable, Sendable, CaseIterable {
    /// Withstands much damage.
    case tank
    /// Keeps companions standing.
    case healer
    /// Deals much damage.
    case striker
    /// Hinders bosses.
    case trickster

    /// The percentage of blows that are critical hits.
    var criticalPercent: Int {
        switch self {
        case .tank, .healer: 5
        case .striker: 16
        case .trickster: 12
        }
    }

    /// The percentage of blows that miss.
    var missPercent: Int {
        switch self {
        case .tank, .healer, .trickster: 4
        case .striker: 7
        }
    }
}
