#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit)
public import ActivityKit
#endif

/// The attributes of a Live Activity on the broadcast channel of a party, which shows the party's adventure to spectators.
///
/// All of them get the same state, whose `currentHealthLevel` is that of the first hero. On platforms with ActivityKit the
/// type conforms to `ActivityAttributes`.
public struct SpectatorAttributes: Codable, Hashable, Sendable {
    /// What changes while the activity is on screen.
    public typealias ContentState = AdventureAttributes.ContentState

    /// The identifier of the adventure as in the REST API: a UUID in lower case.
    public let adventureID: String

    /// Creates the attributes.
    /// - Parameter adventureID: the identifier of the adventure, a UUID in lower case.
    public init(adventureID: String) {
        self.adventureID = adventureID
    }
}

#if os(iOS) && !targetEnvironment(macCatalyst) && canImport(ActivityKit)
extension SpectatorAttributes: ActivityAttributes {}
#endif
