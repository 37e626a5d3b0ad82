/// What a boss fight has of its own.
struct BossFight: Hashable, Sendable {
    var boss: BossInPlay
    /// The open turn; nil before the start and after the end.
    var turn: Turn?
}
