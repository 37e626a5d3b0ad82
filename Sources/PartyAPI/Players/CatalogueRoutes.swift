import GameCore
import Hummingbird

/// What the game is played with, for players: heroes, bosses and regions.
struct CatalogueRoutes: Sendable {
    func add(to router: Router<BasicRequestContext>, _ gate: Gate) {
        router.get("v1/heroes", use: gate.player { _ in try Self.heroes })
        router.get("v1/bosses", use: gate.player { _ in try Self.bosses })
        router.get("v1/regions", use: gate.player { _ in try Self.regions })
    }

    /// For operators too, who choose among them.
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
    let id: HeroID
    let name: String
    let avatar: String
    let maximumHealth: Int
    let attack: Int
    let defence: Int
    let speed: Int

    init(_ entry: HeroCatalogue.Entry) {
        id = entry.id
        name = entry.name
        avatar = entry.avatar
        maximumHealth = entry.maximumHealth
        attack = entry.attack
        defence = entry.defence
        speed = entry.speed
    }
}

private struct BossEntry: Encodable {
    let id: BossID
    let name: String
    let avatar: String
    let healthPerHero: Int
    let attack: Int
    let speed: Int

    init(_ entry: BossCatalogue.Entry) {
        id = entry.id
        name = entry.name
        avatar = entry.avatar
        healthPerHero = entry.healthPerHero
        attack = entry.attack
        speed = entry.speed
    }
}

private struct RegionEntry: Encodable {
    struct Place: Encodable {
        let id: PlaceID
        let name: String
    }

    let id: RegionID
    let name: String
    let avatar: String
    let places: [Place]

    init(_ entry: RegionCatalogue.Entry) {
        id = entry.id
        name = entry.name
        avatar = entry.avatar
        places = entry.places.map { Place(id: $0.id, name: $0.name) }
    }
}
