/// The stats of a player's hero, which never change during an activity: members of `AdventureAttributes.Hero`.
struct HeroStats: Codable, Equatable, Sendable {
    let level: Int?
    let exp: Int?
    let power: Int?
}
