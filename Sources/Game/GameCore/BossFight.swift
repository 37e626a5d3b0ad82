/// The state of an adventure that is specific to boss fights.
struct BossFight: Hashable, Sendable {
    var boss: BossInPlay
    /// The open turn; nil before the start and after the end.
    var turn: Turn?
}
