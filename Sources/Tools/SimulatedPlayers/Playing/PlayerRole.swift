public import GameCore

/// The role of a simulated player.
public struct PlayerRole: Hashable, Sendable {
    /// The name of the player and of the phone.
    public let displayName: String
    /// The player's hero.
    public let hero: HeroID
    /// The phone's locale.
    public let locale: String
    /// The phone's setting for frequent pushes.
    public let frequentPushesEnabled: Bool
    /// Whether the player acts in boss fights; otherwise the turn policy does.
    public let takesTurns: Bool

    /// Creates a role.
    public init(displayName: String, hero: HeroID, locale: String, frequentPushesEnabled: Bool, takesTurns: Bool) {
        self.displayName = displayName
        self.hero = hero
        self.locale = locale
        self.frequentPushesEnabled = frequentPushesEnabled
        self.takesTurns = takesTurns
    }

    /// The story's four players: two phones with frequent pushes and two without, in three languages.
    public static let cast = [
        Self(displayName: "Mina", hero: "spouty", locale: "ko", frequentPushesEnabled: true, takesTurns: true),
        Self(displayName: "Theo", hero: "bamboo", locale: "en", frequentPushesEnabled: true, takesTurns: false),
        Self(displayName: "Sora", hero: "ember", locale: "ko", frequentPushesEnabled: false, takesTurns: true),
        Self(displayName: "Ines", hero: "boulder", locale: "de", frequentPushesEnabled: false, takesTurns: false),
    ]
}
