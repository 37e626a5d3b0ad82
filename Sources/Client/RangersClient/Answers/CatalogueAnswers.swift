public import GameCore

/// A hero whom a player can choose.
public struct CatalogueHero: Decodable, Hashable, Sendable {
    /// What the hero alone can do.
    public struct SignatureMove: Decodable, Hashable, Sendable {
        /// Its English name.
        public let name: String
        /// What it does, in an English sentence.
        public let summary: String
        /// How many turns of the hero it rests afterwards.
        public let cooldown: Int
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

    /// Names the hero.
    public let id: HeroID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// The part that it plays in the party.
    public let heroClass: Word<HeroClass>
    /// What its blows are made of.
    public let element: Word<Element>
    /// Health when unhurt, at the first level.
    public let maximumHealth: Int
    /// How hard it hits.
    public let attack: Int
    /// How much it takes off what hits it.
    public let defence: Int
    /// How soon its turn comes.
    public let speed: Int
    /// What it alone can do.
    public let signatureMove: SignatureMove
}

/// A boss that operators can set on parties.
public struct CatalogueBoss: Decodable, Hashable, Sendable {
    /// Names the boss.
    public let id: BossID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// Health for each hero that it fights.
    public let healthPerHero: Int
    /// How hard it hits.
    public let attack: Int
    /// How soon its turn comes.
    public let speed: Int
    /// What it is hard against.
    public let resists: Word<Element>
    /// What it is soft against.
    public let fears: Word<Element>
}

/// A region that journeys lead through.
public struct CatalogueRegion: Decodable, Hashable, Sendable {
    /// A place of it.
    public struct Place: Decodable, Hashable, Sendable {
        /// Names the place.
        public let id: PlaceID
        /// The English name, as it stands in a sentence.
        public let name: String
    }

    /// Someone who may stand in the way.
    public struct Foe: Decodable, Hashable, Sendable {
        /// Names the foe.
        public let id: FoeID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
    }

    /// How many ticks a journey takes.
    public struct Ticks: Decodable, Hashable, Sendable {
        /// At least.
        public let fewest: Int
        /// At most, while nobody stands in the way.
        public let most: Int
    }

    /// Names the region.
    public let id: RegionID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// In the order of travel.
    public let places: [Place]
    /// Who may stand in the way.
    public let foes: [Foe]
    /// How many ticks a journey takes.
    public let ticks: Ticks
}

struct HeroList: Decodable {
    let heroes: [CatalogueHero]
}

struct BossList: Decodable {
    let bosses: [CatalogueBoss]
}

struct RegionList: Decodable {
    let regions: [CatalogueRegion]
}
