/// The items that heroes can find on journeys.
public enum ItemCatalogue: Catalogue {
    /// An item; its rarity depends on the region, see ``RegionCatalogue/Loot``.
    public struct Entry: CatalogueEntry {
        /// The item's identifier.
        public let id: ItemID
        /// The English name with its article, as in "found …".
        public let name: String
        /// One emoji.
        public let avatar: String
    }

    /// Every item.
    public static let all: [Entry] = [
        Entry(id: .potion, name: "a potion", avatar: "🧪"),
        Entry(id: "berries", name: "wild berries", avatar: "🫐"),
        Entry(id: "clover", name: "a four-leaf clover", avatar: "🍀"),
        Entry(id: "feather", name: "a bright feather", avatar: "🪶"),
        Entry(id: "pebble", name: "a smooth pebble", avatar: "🪨"),
        Entry(id: "shell", name: "a spiral shell", avatar: "🐚"),
        Entry(id: "driftwood", name: "a piece of driftwood", avatar: "🪵"),
        Entry(id: "snowdrop", name: "a snowdrop", avatar: "🌼"),
        Entry(id: "mushroom", name: "a glowing mushroom", avatar: "🍄"),
        Entry(id: "sandglass", name: "a cracked sandglass", avatar: "⏳"),
        Entry(id: "compass", name: "a golden compass", avatar: "🧭"),
        Entry(id: "lantern", name: "an old lantern", avatar: "🏮"),
        Entry(id: "pearl", name: "a moonlight pearl", avatar: "🦪"),
        Entry(id: "crystal", name: "a singing crystal", avatar: "🔮"),
        Entry(id: "amber", name: "a piece of amber", avatar: "🔶"),
        Entry(id: "crown", name: "the crown of the meadow", avatar: "👑"),
        Entry(id: "trident", name: "the trident of the tides", avatar: "🔱"),
        Entry(id: "antlers", name: "the silver antlers", avatar: "🦌"),
        Entry(id: "phoenix-egg", name: "the egg of the phoenix", avatar: "🥚"),
        Entry(id: "star", name: "a fallen star", avatar: "🌟"),
    ]
}

extension ItemID {
    /// The potion; a hero who finds one has one more.
    public static let potion: Self = "potion"
}
