import GameCore
import JSONCoding

/// A hero with its level: `hero` in responses about players, parties and adventures.
struct HeroView: JSONWritable, Encodable {
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

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("name", name)
            json.member("avatar", avatar)
            json.member("level", level)
        }
    }
}
