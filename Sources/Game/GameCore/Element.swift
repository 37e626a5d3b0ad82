/// The element of a blow; a boss can resist or fear it.
public enum Element: String, Codable, Hashable, Sendable, CaseIterable {
    /// Weight, thorns and claws.
    case earth
    /// Waves and ink.
    case water
    /// Flames.
    case fire
    /// Wings and stings.
    case air
    /// Stars and rainbows.
    case light
}
