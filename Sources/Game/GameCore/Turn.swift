/// The open turn of a boss fight.
public struct Turn: Hashable, Sendable {
    /// Counts from 1.
    public let number: Int
    /// Whose turn it is; the boss's own when nil.
    public let hero: Seat?
}
