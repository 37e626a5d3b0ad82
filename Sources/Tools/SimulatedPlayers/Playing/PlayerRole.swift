public import GameCore

/// Who a simulated player is to be.
public struct PlayerRole: Hashable, Sendable {
    /// The player's name, and the phone's.
    public let displayName: String
    /// The hero that the player brings.
    public let hero: HeroID
    /// The phone's language.
    public let locale: String
    /// What the phone's owner chose in its settings.
    public let frequentPushesEnabled: Bool
    /// Whether the player acts in boss fights; who does not leaves that to the hero.
    public let takesTurns: Bool

    /// Who a player is to be.
    public init(displayName: String, hero: HeroID, locale: String, frequentPushesEnabled: Bool, takesTurns: Bool) {
        self.displayName = displayName
        self.hero = hero
        self.locale = locale
        self.frequentPushesEnabled = frequentPushesEnabled
        self.takesTurns = takesTurns
    }

    /// The four of the story: two whose phones take frequent pushes and two whose phones do not, in three languages.
    public static let cast = [
        Self(displayName: "Mina", hero: "spouty", locale: "ko", frequentPushesEnabled: true, takesTurns: true),
        Self(displayName: "Theo", hero: "bamboo", locale: "en", frequentPushesEnabled: true, takesTurns: false),
        Self(displayName: "Sora", hero: "ember", locale: "ko", frequentPushesEnabled: false, takesTurns: true),
        Self(displayName: "Ines", hero: "boulder", locale: "de", frequentPushesEnabled: false, takesTurns: false),
    ]
}
