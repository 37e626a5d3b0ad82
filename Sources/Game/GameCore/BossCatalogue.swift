/// The bosses that operators set on parties.
public enum BossCatalogue: Catalogue {
    /// One boss, with its strengths against heroes of level 1.
    public struct Entry: CatalogueEntry {
        /// The boss's identifier.
        public let id: BossID
        /// In English.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// Health for each hero that it meets, see ``BossInPlay/maximumHealth``.
        public let healthPerHero: Int
        /// What a blow of full strength takes from a hero before defence, give or take a fifth, see ``BossInPlay``.
        public let attack: Int
        /// Its place in the order of turns.
        public let speed: Int
        /// Blows of this element lose a fifth.
        public let resists: Element
        /// Blows of this element gain a fifth.
        public let fears: Element
        /// How it fights as it loses health: the first from the beginning, each at less health than the one before.
        let phases: [Phase]

        /// What part of a blow of some element the boss feels, in percent.
        func feltPercent(of element: Element) -> Int {
            if element == resists { 80 } else if element == fears { 120 } else { 100 }
        }
    }

    /// How a boss fights from some point on.
    struct Phase: Hashable, Sendable {
        /// It begins when the boss has this much of its health left, in percent.
        let healthPercent: Int
        /// How hard the boss hits, in percent of its attack.
        let attackPercent: Int
        /// What it does, and how often; never a move that has to be announced.
        let moves: [Weighted<BossMove>]
    }

    /// Every boss, the mildest first.
    public static let all: [Entry] = [
        Entry(
            id: "glitch",
            name: "Glitch",
            avatar: "👾",
            healthPerHero: 125,
            attack: 58,
            speed: 6,
            resists: .air,
            fears: .light,
            phases: [
                Phase(
                    healthPercent: 100,
                    attackPercent: 100,
                    moves: [
                        Weighted(.attack, weight: 5), Weighted(.sweep, weight: 3), Weighted(.windUp, weight: 2),
                    ]
                ),
                Phase(
                    healthPercent: 40,
                    attackPercent: 112,
                    moves: [
                        Weighted(.attack, weight: 3), Weighted(.sweep, weight: 4), Weighted(.windUp, weight: 3),
                    ]
                ),
            ]
        ),
        Entry(
            id: "old-tangle",
            name: "Old Tangle",
            avatar: "🦑",
            healthPerHero: 125,
            attack: 57,
            speed: 4,
            resists: .water,
            fears: .fire,
            phases: [
                Phase(
                    healthPercent: 100,
                    attackPercent: 100,
                    moves: [
                        Weighted(.attack, weight: 3), Weighted(.drain, weight: 2), Weighted(.sweep, weight: 3),
                        Weighted(.windUp, weight: 2),
                    ]
                ),
                Phase(
                    healthPercent: 50,
                    attackPercent: 110,
                    moves: [
                        Weighted(.attack, weight: 2), Weighted(.drain, weight: 2), Weighted(.sweep, weight: 3),
                        Weighted(.windUp, weight: 3),
                    ]
                ),
            ]
        ),
        Entry(
            id: "stonejaw",
            name: "Stonejaw",
            avatar: "🦖",
            healthPerHero: 130,
            attack: 67,
            speed: 2,
            resists: .earth,
            fears: .water,
            phases: [
                Phase(
                    healthPercent: 100,
                    attackPercent: 100,
                    moves: [
                        Weighted(.attack, weight: 4), Weighted(.sweep, weight: 4), Weighted(.takeAim, weight: 2),
                    ]
                ),
                Phase(
                    healthPercent: 50,
                    attackPercent: 108,
                    moves: [
                        Weighted(.attack, weight: 3), Weighted(.sweep, weight: 4), Weighted(.takeAim, weight: 2),
                        Weighted(.windUp, weight: 1),
                    ]
                ),
                Phase(
                    healthPercent: 20,
                    attackPercent: 116,
                    moves: [
                        Weighted(.attack, weight: 2), Weighted(.sweep, weight: 3), Weighted(.takeAim, weight: 2),
                        Weighted(.windUp, weight: 3),
                    ]
                ),
            ]
        ),
        Entry(
            id: "madam-gloom",
            name: "Madam Gloom",
            avatar: "🧛",
            healthPerHero: 120,
            attack: 61,
            speed: 10,
            resists: .fire,
            fears: .light,
            phases: [
                Phase(
                    healthPercent: 100,
                    attackPercent: 100,
                    moves: [
                        Weighted(.attack, weight: 2), Weighted(.drain, weight: 3), Weighted(.sweep, weight: 3),
                        Weighted(.windUp, weight: 1), Weighted(.takeAim, weight: 1),
                    ]
                ),
                Phase(
                    healthPercent: 45,
                    attackPercent: 110,
                    moves: [
                        Weighted(.attack, weight: 2), Weighted(.drain, weight: 2), Weighted(.sweep, weight: 3),
                        Weighted(.mend, weight: 1), Weighted(.windUp, weight: 2),
                    ]
                ),
            ]
        ),
        Entry(
            id: "storm-roc",
            name: "Storm Roc",
            avatar: "🦅",
            healthPerHero: 120,
            attack: 62,
            speed: 15,
            resists: .air,
            fears: .earth,
            phases: [
                Phase(
                    healthPercent: 100,
                    attackPercent: 100,
                    moves: [
                        Weighted(.attack, weight: 3), Weighted(.sweep, weight: 5), Weighted(.takeAim, weight: 2),
                    ]
                ),
                Phase(
                    healthPercent: 60,
                    attackPercent: 106,
                    moves: [
                        Weighted(.attack, weight: 3), Weighted(.sweep, weight: 4), Weighted(.takeAim, weight: 1),
                        Weighted(.windUp, weight: 2),
                    ]
                ),
                Phase(
                    healthPercent: 25,
                    attackPercent: 118,
                    moves: [
                        Weighted(.attack, weight: 2), Weighted(.sweep, weight: 5), Weighted(.windUp, weight: 3),
                    ]
                ),
            ]
        ),
        Entry(
            id: "cinderwing",
            name: "Cinderwing",
            avatar: "🐉",
            healthPerHero: 130,
            attack: 65,
            speed: 9,
            resists: .fire,
            fears: .water,
            phases: [
                Phase(
                    healthPercent: 100,
                    attackPercent: 100,
                    moves: [
                        Weighted(.attack, weight: 4), Weighted(.sweep, weight: 3), Weighted(.windUp, weight: 3),
                    ]
                ),
                Phase(
                    healthPercent: 66,
                    attackPercent: 106,
                    moves: [
                        Weighted(.attack, weight: 4), Weighted(.sweep, weight: 2), Weighted(.windUp, weight: 3),
                        Weighted(.takeAim, weight: 1),
                    ]
                ),
                Phase(
                    healthPercent: 33,
                    attackPercent: 116,
                    moves: [
                        Weighted(.attack, weight: 3), Weighted(.sweep, weight: 2), Weighted(.windUp, weight: 4),
                        Weighted(.takeAim, weight: 1),
                    ]
                ),
            ]
        ),
    ]
}
