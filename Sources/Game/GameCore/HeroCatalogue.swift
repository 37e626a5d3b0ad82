/// The emoji rangers that players can choose.
public enum HeroCatalogue: Catalogue {
    /// An emoji ranger, with its strengths at level 1.
    public struct Entry: CatalogueEntry {
        /// The hero's identifier.
        public let id: HeroID
        /// The English name.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// The role in a party.
        public let heroClass: HeroClass
        /// The element of the hero's blows.
        public let element: Element
        /// The maximum health.
        public let maximumHealth: Int
        /// The damage of a blow at a boss, ±20 %.
        public let attack: Int
        /// The damage that is subtracted from every blow at the hero.
        public let defence: Int
        /// The speed; faster fighters act earlier in a round of a boss fight.
        public let speed: Int
        /// The strength of a boss's blows at the hero if it fights alone, in percent; see ``RulesVersion/v3``.
        ///
        /// Fitted to the win rates of lone heroes (`rangers-bench balance --hero`).
        let loneBossAttackPercent: Int
        /// The hero's special move.
        public let signatureMove: SignatureMove
        /// The version that introduced the hero, which a node must know to play adventures of parties with the hero.
        public private(set) var since = RulesVersion.v2

        /// Returns the damage of an average blow at a boss at a level.
        public func power(atLevel level: Int) -> Int { attack * Hero.growthPercent(level: level) / 100 }
    }

    /// Every hero.
    ///
    /// Heroes with more health and defence have less attack. Heroes are balanced for parties; bosses are adjusted to a
    /// lone hero.
    public static let all: [Entry] = [
        Entry(
            id: "spouty",
            name: "Spouty",
            avatar: "🐳",
            heroClass: .healer,
            element: .water,
            maximumHealth: 112,
            attack: 14,
            defence: 3,
            speed: 8,
            loneBossAttackPercent: 92,
            signatureMove: SignatureMove(
                name: "Tidal Song",
                cooldown: 4,
                summary: "Every hero who stands gains 12 % of its health.",
                effect: .healAll(percent: 12)
            )
        ),
        Entry(
            id: "bamboo",
            name: "Bamboo",
            avatar: "🐼",
            heroClass: .tank,
            element: .earth,
            maximumHealth: 128,
            attack: 13,
            defence: 3,
            speed: 5,
            loneBossAttackPercent: 103,
            signatureMove: SignatureMove(
                name: "Bear Hug",
                cooldown: 2,
                summary: "On guard, Bamboo draws every blow that is meant for a single hero, until its next turn.",
                effect: .challenge
            )
        ),
        Entry(
            id: "ember",
            name: "Ember",
            avatar: "🦊",
            heroClass: .striker,
            element: .fire,
            maximumHealth: 97,
            attack: 16,
            defence: 2,
            speed: 13,
            loneBossAttackPercent: 118,
            signatureMove: SignatureMove(
                name: "Wildfire",
                cooldown: 4,
                summary: "One blow of more than twice the strength.",
                effect: .blows(1, percent: 220)
            )
        ),
        Entry(
            id: "boulder",
            name: "Boulder",
            avatar: "🐢",
            heroClass: .tank,
            element: .earth,
            maximumHealth: 132,
            attack: 12,
            defence: 4,
            speed: 3,
            loneBossAttackPercent: 106,
            signatureMove: SignatureMove(
                name: "Shell Wall",
                cooldown: 3,
                summary: "Every hero who stands is on guard until its next turn.",
                effect: .guardAll
            )
        ),
        Entry(
            id: "hoot",
            name: "Hoot",
            avatar: "🦉",
            heroClass: .trickster,
            element: .air,
            maximumHealth: 105,
            attack: 15,
            defence: 3,
            speed: 11,
            loneBossAttackPercent: 98,
            signatureMove: SignatureMove(
                name: "Night Gaze",
                cooldown: 3,
                summary: "The next four blows at the boss hit two fifths harder.",
                effect: .expose(blows: 4)
            )
        ),
        Entry(
            id: "inky",
            name: "Inky",
            avatar: "🐙",
            heroClass: .trickster,
            element: .water,
            maximumHealth: 106,
            attack: 15,
            defence: 2,
            speed: 9,
            loneBossAttackPercent: 86,
            signatureMove: SignatureMove(
                name: "Ink Cloud",
                cooldown: 4,
                summary: "The boss hits three tenths less hard for two of its turns.",
                effect: .weaken(turns: 2)
            )
        ),
        Entry(
            id: "prickle",
            name: "Prickle",
            avatar: "🦔",
            heroClass: .tank,
            element: .earth,
            maximumHealth: 106,
            attack: 11,
            defence: 4,
            speed: 7,
            loneBossAttackPercent: 118,
            signatureMove: SignatureMove(
                name: "Bristle",
                cooldown: 2,
                summary: "A strong blow, and on guard after it.",
                effect: .guardedBlow(percent: 120)
            )
        ),
        Entry(
            id: "leap",
            name: "Leap",
            avatar: "🐸",
            heroClass: .trickster,
            element: .water,
            maximumHealth: 97,
            attack: 14,
            defence: 3,
            speed: 12,
            loneBossAttackPercent: 106,
            signatureMove: SignatureMove(
                name: "Tongue Lash",
                cooldown: 3,
                summary: "A blow that takes from the boss the heavy move which it has announced.",
                effect: .interruptingBlow(percent: 120)
            )
        ),
        Entry(
            id: "glimmer",
            name: "Glimmer",
            avatar: "🦄",
            heroClass: .healer,
            element: .light,
            maximumHealth: 104,
            attack: 13,
            defence: 2,
            speed: 10,
            loneBossAttackPercent: 111,
            signatureMove: SignatureMove(
                name: "Rainbow Mend",
                cooldown: 3,
                summary: "The hero who needs it most gains a third of its health, and gets up if it was down.",
                effect: .healMostWounded(percent: 33)
            )
        ),
        Entry(
            id: "zippy",
            name: "Zippy",
            avatar: "🐝",
            heroClass: .striker,
            element: .air,
            maximumHealth: 95,
            attack: 16,
            defence: 2,
            speed: 14,
            loneBossAttackPercent: 116,
            signatureMove: SignatureMove(
                name: "Swarm",
                cooldown: 4,
                summary: "Three blows in a row, each of three quarters of the strength.",
                effect: .blows(3, percent: 75)
            )
        ),
    ]
}
