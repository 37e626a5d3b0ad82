#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit)
public import ActivityKit
#endif

/// The attributes of one member's Live Activity: the part of an adventure that never changes.
///
/// App and server compile the same type. The part that changes is ``ContentState``. Names are texts and not
/// identifiers, so that an app with an older catalogue than the server's can show them.
///
/// On platforms with ActivityKit the type conforms to `ActivityAttributes`.
public struct AdventureAttributes: Codable, Hashable, Sendable {
    /// The value of `attributes-type` in a push that starts an activity: the name of this type without its module.
    public static let typeName = "AdventureAttributes"

    /// The identifier of the adventure as in the REST API: a UUID in lower case.
    public let adventureID: String
    /// The name of the party.
    public let partyName: String
    /// The name of the member's own hero.
    public let heroName: String
    /// The emoji of the member's own hero.
    public let heroAvatar: String
    /// The member's own hero with its stats at the start of the activity, for the widget of the single-hero app and for
    /// expanded views; nil in activities of servers without them.
    public let hero: Hero?
    /// The names of the players in the order of ``ContentState/heroes``, if two of them have the same hero; otherwise nil.
    ///
    /// Empty for a player who had left the party. Heroes who join later have no name.
    public let playerNames: [String]?

    /// Creates the attributes of one member's activity.
    /// - Parameters:
    ///   - adventureID: the identifier of the adventure, a UUID in lower case.
    ///   - partyName: the name of the party.
    ///   - heroName: the name of the member's own hero.
    ///   - heroAvatar: the emoji of the member's own hero.
    ///   - hero: the member's own hero with its stats.
    ///   - playerNames: the names of the players, if two of them have the same hero.
    public init(
        adventureID: String,
        partyName: String,
        heroName: String,
        heroAvatar: String,
        hero: Hero? = nil,
        playerNames: [String]? = nil
    ) {
        self.adventureID = adventureID
        self.partyName = partyName
        self.heroName = heroName
        self.heroAvatar = heroAvatar
        self.hero = hero
        self.playerNames = playerNames
    }

    /// Returns the name of the player of the hero at an index; nil if the heroes differ, or if the name is unknown.
    public func playerName(ofHeroAt index: Int) -> String? {
        guard let playerNames, playerNames.indices.contains(index), !playerNames[index].isEmpty else { return nil }
        return playerNames[index]
    }

    /// A hero at the start of an activity.
    ///
    /// The properties up to ``bio`` are those of the single-hero app's `EmojiRanger`, whose widget decodes these
    /// attributes unchanged.
    public struct Hero: Codable, Hashable, Sendable {
        /// The hero's name.
        public let name: String
        /// The hero's emoji.
        public let avatar: String
        /// The health of the hero, 0…1.
        public let healthLevel: Double
        /// The role in a party, in English.
        public let heroType: String
        /// The health that the hero gains in an hour, above 0: the single-hero app divides by it.
        public let healthRecoveryRatePerHour: Double
        /// The link of the single-hero app to its hero.
        public let url: String
        /// The link of the single-hero app to its hero's battle.
        public let battleCode: String
        /// The level, 1 and up.
        public let level: Int
        /// The experience.
        public let exp: Int
        /// A sentence about the hero, in English.
        public let bio: String
        /// The damage of an average blow at a boss.
        public let power: Int

        /// Creates a hero.
        /// - Parameters:
        ///   - id: the hero's identifier in the catalogue, for the links.
        ///   - name: the name.
        ///   - avatar: the emoji.
        ///   - healthLevel: the health, 0…1.
        ///   - heroType: the role in a party.
        ///   - level: the level.
        ///   - exp: the experience.
        ///   - bio: a sentence about the hero.
        ///   - power: the damage of an average blow at a boss.
        public init(
            id: String,
            name: String,
            avatar: String,
            healthLevel: Double,
            heroType: String,
            level: Int,
            exp: Int,
            bio: String,
            power: Int
        ) {
            self.name = name
            self.avatar = avatar
            self.healthLevel = healthLevel
            self.heroType = heroType
            healthRecoveryRatePerHour = 0.25
            url = "game:///\(id)"
            battleCode = "game:///\(id)/battle"
            self.level = level
            self.exp = exp
            self.bio = bio
            self.power = power
        }
    }
}

#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit)
extension AdventureAttributes: ActivityAttributes {}
#endif
