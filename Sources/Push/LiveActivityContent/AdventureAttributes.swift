#if canImport(ActivityKit)
public import ActivityKit
#endif

/// What a Live Activity shows of an adventure and never changes: the attributes of one member's card.
///
/// The app and the server compile this very type. What changes is ``ContentState``. Names travel as text, not as
/// identifiers, so that an app whose catalogue is older than the server's still shows them.
public struct AdventureAttributes: Codable, Hashable, Sendable {
    /// The name by which a push that starts an activity names this type: `attributes-type`, without the module.
    public static let typeName = "AdventureAttributes"

    /// The adventure, as the server's REST names it: a UUID in lower case.
    public let adventureID: String
    /// The party's name.
    public let partyName: String
    /// The name of the receiver's own hero.
    public let heroName: String
    /// The emoji of the receiver's own hero.
    public let heroAvatar: String

    /// The attributes of one member's card.
    public init(adventureID: String, partyName: String, heroName: String, heroAvatar: String) {
        self.adventureID = adventureID
        self.partyName = partyName
        self.heroName = heroName
        self.heroAvatar = heroAvatar
    }
}

#if canImport(ActivityKit)
extension AdventureAttributes: ActivityAttributes {}
#endif
