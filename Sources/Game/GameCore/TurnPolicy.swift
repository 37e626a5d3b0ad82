/// The action of a hero in a turn whose deadline passes without a command of its player.
public enum TurnPolicy: String, Codable, Hashable, Sendable, CaseIterable {
    /// Acts as the situation requires: helps a companion in need, uses the signature move, or attacks.
    case automatic
    /// Guards.
    case `guard`
    /// Passes.
    case skip
}
