/// The regions that journeys go through.
public enum RegionCatalogue: Catalogue {
    /// One region: where its journeys lead, and what they meet.
    public struct Entry: CatalogueEntry {
        /// The region's identifier.
        public let id: RegionID
        /// In English.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// Where journeys pass: the first is where they begin, the last is their goal, reached once.
        public let places: [Place]
        /// What can be found.
        public let loot: Loot
        /// How many ticks a journey takes.
        let steps: ClosedRange<Int>
        /// What a step brings, and how often.
        let happenings: [Weighted<Happening>]
        /// What a hazard takes from a hero, before defence.
        let hazardDamage: ClosedRange<Int>
        /// What an encounter takes from each hero it reaches, before defence.
        let encounterDamage: ClosedRange<Int>
    }

    /// A place of a region.
    public struct Place: Identifiable, Hashable, Sendable {
        /// The place's identifier; no two regions share one.
        public let id: PlaceID
        /// In English, with its article: as it stands in "reached …".
        public let name: String
    }

    /// What can be found in a region; items of one rarity are found equally often.
    public struct Loot: Hashable, Sendable {
        /// Found often.
        public let common: [ItemID]
        /// Found now and then.
        public let rare: [ItemID]
        /// Found once in a journey, if at all.
        public let epic: [ItemID]

        /// The items of a rarity.
        public subscript(rarity: Rarity) -> [ItemID] {
            switch rarity {
            case .common: common
            case .rare: rare
            case .epic: epic
            }
        }
    }

    /// What a step of a journey can bring.
    enum Happening: Hashable, Sendable {
        case travel
        case loot
        case hazard
        case encounter
        case rest
    }

    /// Every region, the mildest first.
    public static let all: [Entry] = [meadow, coast, peaks]

    /// The place with that identifier, nil when no region has it.
    public static func place(_ id: PlaceID) -> Place? {
        for region in all {
            if let place = region.places.first(where: { $0.id == id }) { return place }
        }
        return nil
    }

    private static let meadow = Entry(
        id: "meadow",
        name: "Whispering Meadow",
        avatar: "🌾",
        places: [
            Place(id: "old-gate", name: "the old gate"),
            Place(id: "clover-hill", name: "Clover Hill"),
            Place(id: "willow-pond", name: "the willow pond"),
            Place(id: "beehive-lane", name: "Beehive Lane"),
            Place(id: "windmill", name: "the windmill"),
        ],
        loot: Loot(
            common: ["berries", "clover", "feather", .potion],
            rare: ["lantern", "compass", .potion],
            epic: ["crown"]
        ),
        steps: 20...28,
        happenings: happenings(travel: 24, loot: 26, hazard: 16, encounter: 18, rest: 16),
        hazardDamage: 16...32,
        encounterDamage: 18...36
    )

    private static let coast = Entry(
        id: "coast",
        name: "Tidewater Coast",
        avatar: "🌊",
        places: [
            Place(id: "fishing-village", name: "the fishing village"),
            Place(id: "singing-dunes", name: "the singing dunes"),
            Place(id: "gull-rocks", name: "the Gull Rocks"),
            Place(id: "wreck", name: "the wreck"),
            Place(id: "tide-caves", name: "the tide caves"),
            Place(id: "lighthouse", name: "the lighthouse"),
        ],
        loot: Loot(
            common: ["shell", "driftwood", "pebble", .potion],
            rare: ["compass", "pearl", .potion],
            epic: ["trident"]
        ),
        steps: 24...34,
        happenings: happenings(travel: 24, loot: 26, hazard: 18, encounter: 17, rest: 15),
        hazardDamage: 16...32,
        encounterDamage: 18...34
    )

    private static let peaks = Entry(
        id: "peaks",
        name: "Frostpeak Range",
        avatar: "🏔️",
        places: [
            Place(id: "base-camp", name: "base camp"),
            Place(id: "rope-bridge", name: "the rope bridge"),
            Place(id: "ice-cave", name: "the ice cave"),
            Place(id: "eagle-ledge", name: "Eagle Ledge"),
            Place(id: "cloud-steps", name: "the cloud steps"),
            Place(id: "summit", name: "the summit"),
        ],
        loot: Loot(
            common: ["pebble", "feather", "snowdrop", .potion],
            rare: ["lantern", "crystal", .potion],
            epic: ["star"]
        ),
        steps: 28...40,
        happenings: happenings(travel: 24, loot: 24, hazard: 20, encounter: 16, rest: 16),
        hazardDamage: 16...32,
        encounterDamage: 18...34
    )

    private static func happenings(
        travel: Int,
        loot: Int,
        hazard: Int,
        encounter: Int,
        rest: Int
    ) -> [Weighted<Happening>] {
        [
            Weighted(.travel, weight: travel),
            Weighted(.loot, weight: loot),
            Weighted(.hazard, weight: hazard),
            Weighted(.encounter, weight: encounter),
            Weighted(.rest, weight: rest),
        ]
    }
}
