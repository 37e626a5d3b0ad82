#if os(iOS) && canImport(ActivityKit)
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

    /// Creates the attributes of one member's activity.
    /// - Parameters:
    ///   - adventureID: the identifier of the adventure, a UUID in lower case.
    ///   - partyName: the name of the party.
    ///   - heroName: the name of the member's own hero.
    ///   - heroAvatar: the emoji of the member's own hero.
    public init(adventureID: String, partyName: String, heroName: String, heroAvatar: String) {
        self.adventureID = adventureID
        self.partyName = partyName
        self.heroName = heroName
        self.heroAvatar = heroAvatar
    }
}

#if os(iOS) && canImport(ActivityKit)
extension AdventureAttributes: ActivityAttributes {}
#endif
