/// The state of an adventure that is specific to boss fights and raid fights.
struct BossFight: Hashable, Sendable {
    var boss: BossInPlay
    /// The open turn; nil before the start and after the end.
    var turn: Turn?
    /// The raid of a raid fight; nil in a boss fight.
    var raid: RaidLink?
}
