/// What a blow is made of; a boss can be hard or soft against it.
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
