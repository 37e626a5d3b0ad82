public import GameCore
public import LiveActivityContent

extension AdventureAttributes.Hero {
    /// Creates a hero from the catalogue.
    /// - Parameters:
    ///   - id: the hero; the type, the sentence and the power of a hero without an entry are empty and 0.
    ///   - level: the level that determines the hero's strengths, 1…``GameCore/Hero/maxLevel``.
    ///   - experience: the experience.
    ///   - healthLevel: the health, 0…1.
    public init(_ id: HeroID, level: Int, experience: Int, healthLevel: Double) {
        let entry = HeroCatalogue[id]
        self.init(
            id: id.rawValue,
            name: id.name,
            avatar: id.avatar,
            healthLevel: healthLevel,
            heroType: entry.map { $0.heroClass.rawValue.capitalizingFirst } ?? "",
            level: level,
            exp: experience,
            bio: entry.map { "\($0.signatureMove.name): \($0.signatureMove.summary)" } ?? "",
            power: entry?.power(atLevel: level) ?? 0
        )
    }
}

extension AdventureAttributes {
    /// Creates the attributes of the activity of a hero's player.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - partyName: the name of the party.
    ///   - hero: the player's hero.
    ///   - playerNames: the names of the players, if two of them have the same hero.
    public init(of id: AdventureID, partyName: String, hero: HeroInPlay, playerNames: [String]? = nil) {
        self.init(
            adventureID: "\(id)",
            partyName: partyName,
            heroName: hero.id.name,
            heroAvatar: hero.id.avatar,
            hero: Hero(
                hero.id,
                level: hero.level,
                experience: hero.experience,
                healthLevel: hero.shownHealthLevel
            ),
            playerNames: playerNames
        )
    }

    /// Returns the names of the players by seat, if two of them have the same hero; otherwise nil.
    /// - Parameters:
    ///   - heroes: the heroes with their players, by seat.
    ///   - name: returns the name of a player; nil if the player has left the party.
    /// - Returns: the names, empty if unknown.
    public static func playerNames(
        of heroes: [(playerID: PlayerID, hero: HeroID)],
        name: (PlayerID) -> String?
    ) -> [String]? {
        guard Set(heroes.map(\.hero)).count < heroes.count else { return nil }
        return heroes.map { name($0.playerID) ?? "" }
    }
}

extension String {
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
