/// The bosses of the fights that operators start.
public enum BossCatalogue: Catalogue {
    /// A boss, with its strengths against heroes of level 1.
    public struct Entry: CatalogueEntry {
        /// The boss's identifier.
        public let id: BossID
        /// The English name.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// The health for each hero in the fight; see ``BossInPlay/maximumHealth``.
        public let healthPerHero: Int
        /// The damage of an attack against four heroes, before defence, ±20 %; see ``BossInPlay``.
        public let attack: Int
        /// The speed; faster fighters act earlier in a round.
        public let speed: Int
        /// The element whose blows deal 20 % less damage.
        public let resists: Element
        /// The element whose blows deal 20 % more damage.
        public let fears: Element
        /// The phases of the fight; each begins at less health than the one before, the first at full health.
        let phases: [Phase]

        /// Returns the damage of blows of an element, in percent.
        func damagePercent(for element: Element) -> Int {
            if element == resists { 80 } else if element == fears { 120 } else { 100 }
        }

        /// Whether the phase after a phase begins at a remaining health.
        func isPhaseOver(_ phase: Int, at health: Int, of maximumHealth: Int) -> Bool {
            phase < phases.count && health * 100 <= maximumHealth * phases[phase].healthPercent
        }
    }

    /// A phase of a boss fight: the boss's behaviour from a given remaining health on.
    struct Phase: Hashable, Sendable {
        /// The remaining health at which the phase begins, in percent.
        let healthPercent: Int
        /// The damage of the boss's blows, in percent of its attack.
        let attackPercent: Int
        /// The moves and their weights.
        ///
        /// Announced moves follow from ``BossMove/windUp`` and ``BossMove/takeAim`` and are not listed.
        let moves: [Weighted<BossMove>]
        /// The moves in a raid, in which the boss does not heal.
        let raidMoves: [Weighted<BossMove>]

        init(healthPercent: Int, attackPercent: Int, moves: [Weighted<BossMove>]) {
            self.healthPercent = healthPercent
            self.attackPercent = attackPercent
            self.moves = moves
            raidMoves = moves.filter { $0.value != .mend }
        }
    }

    /// Every boss, the easiest first.
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
