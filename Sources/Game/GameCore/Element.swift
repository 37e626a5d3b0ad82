/// The element of a blow; a boss can resist or fear it.
public enum Element: String, Codable, Hashable, Sendable, CaseIterable {
    /// Blows with weight, thorns or claws.
    case earth
    /// Blows with waves or ink.
    case water
    /// Blows with flames.
    case fire
    /// Blows with wings or stings.
    case air
    /// Blows with stars or rainbows.
    case light
}
