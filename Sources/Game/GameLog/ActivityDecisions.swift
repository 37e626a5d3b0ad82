public import GameCore

/// The encoded decision records of one activity.
public struct ActivityDecisions: Sendable {
    /// The adventure that the activity shows.
    public let adventureID: AdventureID
    /// The activity.
    public let activityID: ActivityID
    /// The recent decision records, in an encoding opaque to the store.
    public let entries: [UInt8]

    /// Creates the decision records of one activity.
    public init(adventureID: AdventureID, activityID: ActivityID, entries: [UInt8]) {
        self.adventureID = adventureID
        self.activityID = activityID
        self.entries = entries
    }
}
