/// What a boss fight has of its own.
struct BossFight: Codable, Hashable, Sendable {
    var boss: BossInPlay
    /// The open turn; nil before the start and after the end.
    var turn: Turn?

    /// A fight that has not begun.
    init(boss: BossInPlay) {
        self.boss = boss
        turn = nil
    }
}
