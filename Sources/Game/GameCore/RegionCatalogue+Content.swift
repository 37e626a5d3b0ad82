// The content of the regions.

extension RegionCatalogue {
    static let meadow = Entry(
        id: "meadow",
        name: "Whispering Meadow",
        avatar: "🌾",
        locations: [
            Location(id: "old-gate", name: "the old gate"),
            Location(id: "clover-hill", name: "Clover Hill"),
            Location(id: "willow-pond", name: "the willow pond"),
            Location(id: "beehive-lane", name: "Beehive Lane"),
            Location(id: "windmill", name: "the windmill"),
        ],
        loot: Loot(
            common: ["berries", "clover", "feather", .potion],
            rare: ["lantern", "compass", .potion],
            epic: ["crown"]
        ),
        foes: [
            Foe(id: "wasps", name: "a cloud of wasps", avatar: "🐝", healthPercent: 90, damage: 16...30),
            Foe(id: "ram", name: "a stubborn ram", avatar: "🐏", healthPercent: 180, damage: 18...34),
            Foe(id: "scarecrow", name: "a walking scarecrow", avatar: "🎃", healthPercent: 130, damage: 16...32),
        ],
        hazards: [
            Hazard(id: "thorns", narration: "The path led through thorns.", damage: 14...28),
            Hazard(id: "hail", narration: "Hail came down on the meadow.", damage: 16...30),
            Hazard(id: "rabbit-holes", narration: "The ground was full of holes.", damage: 14...26),
        ],
        rests: [
            Rest(id: "haystack", narration: "The party slept in a haystack.", healingPercent: 15...25),
            Rest(id: "picnic", narration: "The party had a picnic in the shade.", healingPercent: 18...26),
        ],
        beats: [
            Beat(
                id: "meadow-grass",
                narration: "The grass whispers that someone has stolen the wind.",
                progressPercent: 5
            ),
            Beat(id: "meadow-mill", narration: "Far away the windmill stands still.", progressPercent: 35),
            Beat(id: "meadow-tracks", narration: "Heavy tracks lead up to the mill.", progressPercent: 65),
            Beat(id: "meadow-wind", narration: "A first breath of wind turns the sails.", progressPercent: 90),
        ],
        steps: 40...52,
        happenings: happenings(travel: 26, loot: 24, hazard: 16, encounter: 16, rest: 18),
        dangerPercent: 120
    )

    static let coast = Entry(
        id: "coast",
        name: "Tidewater Coast",
        avatar: "🌊",
        locations: [
            Location(id: "fishing-village", name: "the fishing village"),
            Location(id: "singing-dunes", name: "the singing dunes"),
            Location(id: "gull-rocks", name: "the Gull Rocks"),
            Location(id: "wreck", name: "the wreck"),
            Location(id: "tide-caves", name: "the tide caves"),
            Location(id: "lighthouse", name: "the lighthouse"),
        ],
        loot: Loot(
            common: ["shell", "driftwood", "pebble", .potion],
            rare: ["compass", "pearl", .potion],
            epic: ["trident"]
        ),
        foes: [
            Foe(id: "crabs", name: "a troop of crabs", avatar: "🦀", healthPercent: 150, damage: 16...30),
            Foe(id: "gulls", name: "a flock of gulls", avatar: "🐦", healthPercent: 90, damage: 18...32),
            Foe(id: "smugglers", name: "a band of smugglers", avatar: "🦝", healthPercent: 190, damage: 18...34),
        ],
        hazards: [
            Hazard(id: "spring-tide", narration: "The tide came in faster than expected.", damage: 16...30),
            Hazard(id: "jellyfish", narration: "The shallows were full of jellyfish.", damage: 14...28),
            Hazard(id: "cliff-slide", narration: "A piece of the cliff came down.", damage: 18...32),
        ],
        rests: [
            Rest(id: "driftwood-fire", narration: "The party sat by a fire of driftwood.", healingPercent: 15...25),
            Rest(id: "warm-cove", narration: "The party bathed in a warm cove.", healingPercent: 16...26),
        ],
        beats: [
            Beat(id: "coast-light", narration: "For three nights the lighthouse has been dark.", progressPercent: 5),
            Beat(id: "coast-bell", narration: "Under the water a bell is ringing.", progressPercent: 35),
            Beat(
                id: "coast-lamp",
                narration: "Someone has carried the great lamp into the caves.",
                progressPercent: 65
            ),
            Beat(
                id: "coast-ship",
                narration: "A ship is heading for the rocks: there is no time to lose.",
                progressPercent: 90
            ),
        ],
        steps: 48...64,
        happenings: happenings(travel: 26, loot: 24, hazard: 17, encounter: 15, rest: 18),
        dangerPercent: 110
    )

    static let forest = Entry(
        id: "forest",
        name: "Lantern Forest",
        avatar: "🌲",
        locations: [
            Location(id: "moss-bridge", name: "the moss bridge"),
            Location(id: "mushroom-ring", name: "the mushroom ring"),
            Location(id: "hollow-oak", name: "the hollow oak"),
            Location(id: "fog-hollow", name: "Fog Hollow"),
            Location(id: "owl-court", name: "the court of owls"),
            Location(id: "lantern-tree", name: "the lantern tree"),
        ],
        loot: Loot(
            common: ["mushroom", "feather", "berries", .potion],
            rare: ["lantern", "amber", .potion],
            epic: ["antlers"]
        ),
        foes: [
            Foe(id: "wolves", name: "a pack of wolves", avatar: "🐺", healthPercent: 170, damage: 18...34),
            Foe(id: "spiders", name: "a nest of spiders", avatar: "🕷️", healthPercent: 110, damage: 16...32),
            Foe(id: "wisps", name: "a swarm of will-o'-the-wisps", avatar: "🔥", healthPercent: 80, damage: 18...30),
        ],
        hazards: [
            Hazard(id: "roots", narration: "Roots reached for every foot.", damage: 14...28),
            Hazard(id: "falling-branch", narration: "A dead branch came down.", damage: 18...32),
            Hazard(id: "spore-cloud", narration: "A cloud of spores filled the air.", damage: 16...28),
        ],
        rests: [
            Rest(id: "treehouse", narration: "The party found an old tree house.", healingPercent: 15...25),
            Rest(id: "firefly-glade", narration: "The party rested among fireflies.", healingPercent: 16...25),
        ],
        beats: [
            Beat(id: "forest-dusk", narration: "In this forest it has been dusk for a year.", progressPercent: 5),
            Beat(id: "forest-owls", narration: "The owls have put the night on trial.", progressPercent: 30),
            Beat(id: "forest-spark", narration: "A last spark is hidden in the hollow oak.", progressPercent: 60),
            Beat(
                id: "forest-shadow",
                narration: "Something large walks beside the party, without a sound.",
                progressPercent: 85
            ),
        ],
        steps: 56...76,
        happenings: happenings(travel: 27, loot: 23, hazard: 15, encounter: 16, rest: 19),
        dangerPercent: 116
    )

    static let peaks = Entry(
        id: "peaks",
        name: "Frostpeak Range",
        avatar: "🏔️",
        locations: [
            Location(id: "base-camp", name: "base camp"),
            Location(id: "rope-bridge", name: "the rope bridge"),
            Location(id: "ice-cave", name: "the ice cave"),
            Location(id: "eagle-ledge", name: "Eagle Ledge"),
            Location(id: "cloud-steps", name: "the cloud steps"),
            Location(id: "summit", name: "the summit"),
        ],
        loot: Loot(
            common: ["pebble", "feather", "snowdrop", .potion],
            rare: ["lantern", "crystal", .potion],
            epic: ["star"]
        ),
        foes: [
            Foe(id: "goats", name: "a herd of ice goats", avatar: "🐐", healthPercent: 150, damage: 16...32),
            Foe(id: "yeti", name: "a grumpy yeti", avatar: "🦍", healthPercent: 210, damage: 20...36),
            Foe(id: "snow-imps", name: "a gang of snow imps", avatar: "⛄", healthPercent: 100, damage: 16...30),
        ],
        hazards: [
            Hazard(id: "rock-fall", narration: "Rocks came down on the party.", damage: 18...32),
            Hazard(id: "crevasse", narration: "The snow hid a crevasse.", damage: 18...34),
            Hazard(id: "whiteout", narration: "A snowstorm took all sight.", damage: 14...28),
        ],
        rests: [
            Rest(id: "snow-hut", narration: "The party built a hut of snow.", healingPercent: 15...24),
            Rest(id: "hot-spring", narration: "The party found a hot spring.", healingPercent: 18...26),
        ],
        beats: [
            Beat(id: "peaks-star", narration: "A star has fallen onto the summit.", progressPercent: 5),
            Beat(id: "peaks-song", narration: "The ice sings at night.", progressPercent: 30),
            Beat(id: "peaks-camp", narration: "An empty camp: others have tried before.", progressPercent: 55),
            Beat(id: "peaks-glow", narration: "Light falls through the clouds from above.", progressPercent: 85),
        ],
        steps: 70...92,
        happenings: happenings(travel: 28, loot: 22, hazard: 16, encounter: 14, rest: 20),
        dangerPercent: 100
    )

    static let wastes = Entry(
        id: "wastes",
        name: "Ember Wastes",
        avatar: "🌋",
        locations: [
            Location(id: "last-well", name: "the last well"),
            Location(id: "glass-field", name: "the glass field"),
            Location(id: "bone-arch", name: "the bone arch"),
            Location(id: "smoke-vents", name: "the smoke vents"),
            Location(id: "sunken-temple", name: "the sunken temple"),
            Location(id: "lava-stair", name: "the lava stair"),
            Location(id: "heart-of-embers", name: "the heart of embers"),
        ],
        loot: Loot(
            common: ["pebble", "sandglass", "clover", .potion],
            rare: ["amber", "crystal", .potion],
            epic: ["phoenix-egg"]
        ),
        foes: [
            Foe(id: "scorpions", name: "a ring of scorpions", avatar: "🦂", healthPercent: 130, damage: 18...34),
            Foe(id: "golem", name: "a cinder golem", avatar: "🗿", healthPercent: 220, damage: 20...36),
            Foe(id: "salamanders", name: "a brood of salamanders", avatar: "🦎", healthPercent: 120, damage: 16...32),
        ],
        hazards: [
            Hazard(id: "sandstorm", narration: "A sandstorm swept over the party.", damage: 16...30),
            Hazard(id: "geyser", narration: "The ground burst open, and steam came out.", damage: 18...34),
            Hazard(id: "glass-shards", narration: "The glass broke under every step.", damage: 14...30),
        ],
        rests: [
            Rest(id: "oasis", narration: "The party drank at an oasis.", healingPercent: 18...26),
            Rest(
                id: "cool-cellar",
                narration: "The party waited for the night in a cool cellar.",
                healingPercent: 15...24
            ),
        ],
        beats: [
            Beat(id: "wastes-well", narration: "The old keeper of the well asks for a favour.", progressPercent: 5),
            Beat(id: "wastes-drum", narration: "A drum beats under the ground.", progressPercent: 30),
            Beat(id: "wastes-mural", narration: "A mural shows a bird that is born from fire.", progressPercent: 55),
            Beat(id: "wastes-heart", narration: "The mountain breathes in.", progressPercent: 88),
        ],
        steps: 88...120,
        happenings: happenings(travel: 29, loot: 21, hazard: 15, encounter: 14, rest: 21),
        dangerPercent: 93
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
