/// The stats of a player's hero, which never change during an activity.
struct HeroStats: Codable, Equatable, Sendable {
    let level: Int?
    let experience: Int?
    let power: Int?
}
