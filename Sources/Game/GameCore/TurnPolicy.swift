/// What a hero does with a turn whose deadline passes without a command of its player.
public enum TurnPolicy: String, Codable, Hashable, Sendable, CaseIterable {
    /// What the moment asks for: help who needs it, use the signature move, strike.
    case automatic
    /// Guards.
    case `guard`
    /// Passes.
    case skip
}
