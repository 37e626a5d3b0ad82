#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit)
public import ActivityKit
#endif

/// The attributes of a Live Activity on the broadcast channel of a raid, which shows the common boss to all players alike.
///
/// It is beside the activity of the player's own party, whose attributes are ``AdventureAttributes``. On platforms with
/// ActivityKit the type conforms to `ActivityAttributes`.
public struct RaidAttributes: Codable, Hashable, Sendable {
    /// What changes while the activity is on screen.
    public typealias ContentState = RaidActivityState

    /// The name of the type, which a push that starts an activity contains as `attributes-type`.
    public static let typeName = "RaidAttributes"

    /// The identifier of the raid as in the REST API: a UUID in lower case.
    public let raidID: String
    /// The name of the boss.
    public let bossName: String
    /// The emoji of the boss.
    public let bossAvatar: String

    /// Creates the attributes.
    /// - Parameters:
    ///   - raidID: the identifier of the raid, a UUID in lower case.
    ///   - bossName: the name of the boss.
    ///   - bossAvatar: the emoji of the boss.
    public init(raidID: String, bossName: String, bossAvatar: String) {
        self.raidID = raidID
        self.bossName = bossName
        self.bossAvatar = bossAvatar
    }
}

#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit)
extension RaidAttributes: ActivityAttributes {}
#endif
