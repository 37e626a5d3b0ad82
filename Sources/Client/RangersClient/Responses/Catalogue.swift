public import GameCore

/// A hero that a player can choose.
public struct CatalogueHero: Decodable, Hashable, Sendable {
    /// A hero's signature move.
    public struct SignatureMove: Decodable, Hashable, Sendable {
        /// The move's English name.
        public let name: String
        /// The move's effect, in an English sentence.
        public let summary: String
        /// The number of the hero's turns until the move can be used again.
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

    /// The hero's identifier.
    public let id: HeroID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// The hero's class, which is its role in the party.
    public let heroClass: OpenEnum<HeroClass>
    /// The element of the hero's attacks.
    public let element: OpenEnum<Element>
    /// The full health at level 1.
    public let maximumHealth: Int
    /// The attack value, which increases the damage dealt.
    public let attack: Int
    /// The defence value, which reduces the damage that the hero takes.
    public let defence: Int
    /// The speed, which decides the order of turns.
    public let speed: Int
    /// The hero's signature move.
    public let signatureMove: SignatureMove
}

/// A boss for boss fights, which operators start.
public struct CatalogueBoss: Decodable, Hashable, Sendable {
    /// The boss's identifier.
    public let id: BossID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// The full health for each hero in the fight.
    public let healthPerHero: Int
    /// The attack value, which increases the damage dealt.
    public let attack: Int
    /// The speed, which decides the order of turns.
    public let speed: Int
    /// The element that deals less damage to the boss.
    public let resists: OpenEnum<Element>
    /// The element that deals more damage to the boss.
    public let fears: OpenEnum<Element>
}

/// A region for journeys.
public struct CatalogueRegion: Decodable, Hashable, Sendable {
    /// A location in a region.
    public struct Location: Decodable, Hashable, Sendable {
        /// The location's identifier.
        public let id: LocationID
        /// The English name as used in a sentence.
        public let name: String
    }

    /// A foe that may block a journey.
    public struct Foe: Decodable, Hashable, Sendable {
        /// The foe's identifier.
        public let id: FoeID
        /// The English name.
        public let name: String
        /// The emoji.
        public let avatar: String
    }

    /// The length of a journey in ticks.
    public struct Ticks: Decodable, Hashable, Sendable {
        /// The minimum.
        public let minimum: Int
        /// The maximum for a journey without foes.
        public let maximum: Int
    }

    /// The region's identifier.
    public let id: RegionID
    /// The English name.
    public let name: String
    /// The emoji.
    public let avatar: String
    /// The locations in the order of travel.
    public let locations: [Location]
    /// The foes that may block a journey.
    public let foes: [Foe]
    /// The length of a journey in ticks.
    public let ticks: Ticks
}

struct HeroList: Decodable {
    let heroes: [CatalogueHero]
}

/// The bosses of the catalogue.
package struct BossList: Decodable {
    package let bosses: [CatalogueBoss]
}

struct RegionList: Decodable {
    let regions: [CatalogueRegion]
}
