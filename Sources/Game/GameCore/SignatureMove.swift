/// What one hero can do in a fight and no other.
public struct SignatureMove: Hashable, Sendable {
    /// In English.
    public let name: String
    /// In how many turns of the hero it can be used again: 1 is in the next one.
    public let cooldown: Int
    /// What it does, in English: one sentence.
    public let summary: String
    let effect: Effect

    /// What it does.
    enum Effect: Hashable, Sendable {
        /// Some blows in a row, each with a share of the hero's attack.
        case blows(Int, percent: Int)
        /// One blow, after which the boss has lost the heavy move that it announced.
        case interruptingBlow(percent: Int)
        /// One blow, after which the hero is on guard.
        case guardedBlow(percent: Int)
        /// Every hero who stands gains a share of its health.
        case healAll(percent: Int)
        /// Whoever needs it most gains a share of its health; a hero who is down gets up by it.
        case healNeediest(percent: Int)
        /// Every hero who stands is on guard until its next turn.
        case guardAll
        /// The hero is on guard, and blows meant for one hero hit this one, until its next turn.
        case challenge
        /// The boss hits less hard for some of its turns, see ``Adventure/weakenedPercent``.
        case weaken(turns: Int)
        /// The next blows at the boss hit harder, see ``Adventure/exposedPercent``.
        case expose(blows: Int)
    }
}
