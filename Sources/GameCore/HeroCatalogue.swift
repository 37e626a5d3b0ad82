/// The emoji rangers that players choose from.
public enum HeroCatalogue: Catalogue {
    /// One emoji ranger, with its strengths at level 1.
    public struct Entry: CatalogueEntry {
        /// The hero's identifier.
        public let id: HeroID
        /// In English.
        public let name: String
        /// One emoji.
        public let avatar: String
        /// Health when unhurt.
        public let maximumHealth: Int
        /// What a strike takes from a boss, give or take a fifth.
        public let attack: Int
        /// What is taken off every blow that hits the hero.
        public let defence: Int
        /// Who is faster acts earlier in a boss fight.
        public let speed: Int
    }

    /// Every hero.
    ///
    /// Who can take much hits little, and the other way round, so that none is the best.
    public static let all: [Entry] = [
        Entry(id: "spouty", name: "Spouty", avatar: "🐳", maximumHealth: 110, attack: 13, defence: 3, speed: 8),
        Entry(id: "bamboo", name: "Bamboo", avatar: "🐼", maximumHealth: 130, attack: 11, defence: 4, speed: 5),
        Entry(id: "ember", name: "Ember", avatar: "🦊", maximumHealth: 90, attack: 16, defence: 2, speed: 13),
        Entry(id: "boulder", name: "Boulder", avatar: "🐢", maximumHealth: 140, attack: 9, defence: 5, speed: 3),
        Entry(id: "hoot", name: "Hoot", avatar: "🦉", maximumHealth: 95, attack: 15, defence: 2, speed: 11),
        Entry(id: "inky", name: "Inky", avatar: "🐙", maximumHealth: 105, attack: 14, defence: 2, speed: 9),
        Entry(id: "prickle", name: "Prickle", avatar: "🦔", maximumHealth: 100, attack: 12, defence: 5, speed: 7),
        Entry(id: "leap", name: "Leap", avatar: "🐸", maximumHealth: 95, attack: 14, defence: 3, speed: 12),
        Entry(id: "glimmer", name: "Glimmer", avatar: "🦄", maximumHealth: 100, attack: 15, defence: 2, speed: 10),
        Entry(id: "zippy", name: "Zippy", avatar: "🐝", maximumHealth: 85, attack: 16, defence: 2, speed: 14),
    ]
}
