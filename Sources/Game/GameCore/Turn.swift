/// The open turn of a boss fight.
public struct Turn: Hashable, Sendable {
    /// The number of the turn, from 1.
    public let number: Int
    /// The seat of the hero whose turn it is; nil for the boss's turn.
    public let hero: Seat?
}
