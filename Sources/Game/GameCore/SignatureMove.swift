/// The special move of one hero in fights.
public struct SignatureMove: Hashable, Sendable {
    /// The English name.
    public let name: String
    /// The number of the hero's turns until the move is ready again; 1 is the next turn.
    public let cooldown: Int
    /// The effect of the move in one English sentence.
    public let summary: String
    let effect: Effect

    /// The effect of a move.
    enum Effect: Hashable, Sendable {
        /// Several blows, each with a percentage of the hero's attack.
        case blows(Int, percent: Int)
        /// One blow that, if it hits, cancels the move that the boss has announced.
        case interruptingBlow(percent: Int)
        /// One blow; the hero guards afterwards.
        case guardedBlow(percent: Int)
        /// Heals every standing hero by a percentage of its maximum health.
        case healAll(percent: Int)
        /// Heals the most wounded hero by a percentage of its maximum health, and revives it if it is down.
        case healMostWounded(percent: Int)
        /// Every standing hero guards until its next turn.
        case guardAll
        /// The hero guards and draws all blows at single heroes until its next turn.
        case challenge
        /// Weakens the boss for some of its turns; see ``Adventure/weakenedPercent``.
        case weaken(turns: Int)
        /// Exposes the boss for the next blows; see ``Adventure/exposedPercent``.
        case expose(blows: Int)
    }
}
