import GameCore

/// A hero outside adventures: `hero` in answers about players and parties.
struct HeroView: Encodable {
    let id: HeroID
    let name: String
    let avatar: String
    let level: Int

    init(_ id: HeroID, level: Int) {
        self.id = id
        name = id.name
        avatar = id.avatar
        self.level = level
    }
}
