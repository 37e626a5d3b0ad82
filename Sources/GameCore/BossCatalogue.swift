/// The bosses that operators set on parties.
public enum BossCatalogue: Catalogue {
    /// One boss, with its strengths against a hero of level 1.
    public struct Entry: CatalogueEntry {
        /// The boss's identifier.
        public let id: BossID
        /// In English.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// Health for each hero that it meets, see ``BossInPlay/maximumHealth``.
        public let healthPerHero: Int
        /// What an ordinary attack takes from a hero before defence, give or take a fifth, see ``BossInPlay``.
        public let attack: Int
        /// Its place in the order of turns.
        public let speed: Int
    }

    /// Every boss, the mildest first.
    public static let all: [Entry] = [
        Entry(id: "glitch", name: "Glitch", avatar: "👾", healthPerHero: 105, attack: 57, speed: 6),
        Entry(id: "old-tangle", name: "Old Tangle", avatar: "🦑", healthPerHero: 110, attack: 56, speed: 4),
        Entry(id: "cinderwing", name: "Cinderwing", avatar: "🐉", healthPerHero: 105, attack: 59, speed: 9),
    ]
}
