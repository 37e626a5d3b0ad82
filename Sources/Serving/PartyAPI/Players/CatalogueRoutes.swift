import GameCore
import HTTPServing
import Hummingbird

/// The routes of the catalogues: heroes, bosses and regions.
struct CatalogueRoutes: Sendable {
    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("v1/heroes", use: authenticator.player { _ in try Self.heroes })
        router.get("v1/bosses", use: authenticator.player { _ in try Self.bosses })
        router.get("v1/regions", use: authenticator.player { _ in try Self.regions })
    }

    /// The response with all bosses, for players and operators.
    static var bosses: Response {
        get throws { try Response(json: ["bosses": BossCatalogue.all.map(BossEntry.init)]) }
    }

    private static var heroes: Response {
        get throws { try Response(json: ["heroes": HeroCatalogue.all.map(HeroEntry.init)]) }
    }

    private static var regions: Response {
        get throws { try Response(json: ["regions": RegionCatalogue.all.map(RegionEntry.init)]) }
    }
}

private struct HeroEntry: Encodable {
    struct Move: Encodable {
        let name: String
        let summary: String
        let cooldown: Int
    }

    private enum CodingKeys: String, CodingKey {
        case id
        case name
        case avatar
        case heroClass = "class"
        case element
        case maximumHealth
        case attack
        case defence
        case speed
        case signatureMove
    }

    let id: HeroID
    let name: String
    let avatar: String
    let heroClass: HeroClass
    let element: Element
    let maximumHealth: Int
    let attack: Int
    let defence: Int
    let speed: Int
    let signatureMove: Move

    init(_ entry: HeroCatalogue.Entry) {
        id = entry.id
        name = entry.name
        avatar = entry.avatar
        heroClass = entry.heroClass
        element = entry.element
        maximumHealth = entry.maximumHealth
        attack = entry.attack
        defence = entry.defence
        speed = entry.speed
        let move = entry.signatureMove
        signatureMove = Move(name: move.name, summary: move.summary, cooldown: move.cooldown)
    }
}

private struct BossEntry: Encodable {
    let id: BossID
    let name: String
    let avatar: String
    let healthPerHero: Int
    let attack: Int
    let speed: Int
    let resists: Element
    let fears: Element

    init(_ entry: BossCatalogue.Entry) {
        id = entry.id
        name = entry.name
        avatar = entry.avatar
        healthPerHero = entry.healthPerHero
        attack = entry.attack
        speed = entry.speed
        resists = entry.resists
        fears = entry.fears
    }
}

private struct RegionEntry: Encodable {
    struct Location: Encodable {
        let id: LocationID
        let name: String
    }

    struct Foe: Encodable {
        let id: FoeID
        let name: String
        let avatar: String
    }

    /// The number of ticks of a journey.
    struct Ticks: Encodable {
        let minimum: Int
        let maximum: Int
    }

    let id: RegionID
    let name: String
    let avatar: String
    let locations: [Location]
    let foes: [Foe]
    let ticks: Ticks

    init(_ entry: RegionCatalogue.Entry) {
        id = entry.id
        name = entry.name
        avatar = entry.avatar
        locations = entry.locations.map { Location(id: $0.id, name: $0.name) }
        foes = entry.foes.map { Foe(id: $0.id, name: $0.name, avatar: $0.avatar) }
        ticks = Ticks(minimum: entry.steps.lowerBound, maximum: entry.steps.upperBound)
    }
}
