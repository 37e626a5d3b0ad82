/// A version of the game's rules and content.
///
/// An adventure is played to its end, and replayed, under the version with which it began. Every change after which the
/// same seed and inputs result in other events is a new version beside the older ones.
public enum RulesVersion: Int, Hashable, Sendable, CaseIterable {
    /// The rules before the first release.
    case v2 = 2
    /// Adjusts a boss to the lone hero that it faces; see ``HeroCatalogue/Entry/loneBossAttackPercent``.
    case v3 = 3

    /// The version of new adventures.
    public static let current = v3

    /// The versions of this release, such as "2, 3".
    static let list = allCases.map { "\($0.rawValue)" }.joined(separator: ", ")

    /// Whether a boss is adjusted to the lone hero that it faces.
    var adjustsBossToLoneHero: Bool {
        switch self {
        case .v2: false
        case .v3: true
        }
    }
}
