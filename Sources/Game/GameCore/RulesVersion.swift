/// A version of the game's rules and content.
///
/// An adventure is played to its end, and replayed, under the version with which it began. Every change after which the
/// same seed and inputs result in other events is a new version beside the older ones. So is every new hero, boss or
/// region: a node without the version cannot play adventures with it. Adventures with a new boss or region begin under
/// that version or a later one; a new hero can also join older adventures, see ``HeroCatalogue/Entry/since``.
public enum RulesVersion: Int, Hashable, Comparable, Sendable, CaseIterable {
    /// The rules before the first release.
    case v2 = 2
    /// Adjusts a boss to the lone hero that it faces; see ``HeroCatalogue/Entry/loneBossAttackPercent``.
    case v3 = 3
    /// Adds raids.
    case v4 = 4

    /// The version of new journeys and boss fights.
    ///
    /// It is older than ``newest``, so that nodes of the release before can play them during an upgrade.
    public static let current = v3
    /// The version of new raid fights.
    public static let raids = v4
    /// The newest version that this release knows.
    public static let newest = v4

    /// The versions of this release, such as "2, 3".
    static let list = allCases.map { "\($0.rawValue)" }.joined(separator: ", ")

    /// Orders versions by age, the oldest first.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// Whether a boss is adjusted to the lone hero that it faces.
    var adjustsBossToLoneHero: Bool {
        switch self {
        case .v2: false
        case .v3, .v4: true
        }
    }
}
