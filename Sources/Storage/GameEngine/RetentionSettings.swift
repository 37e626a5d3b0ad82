/// The retention periods of data that is no longer in use.
public struct RetentionSettings: Sendable, Hashable {
    /// The default time for which ended adventures keep their details and disbanded parties their names: a month, for
    /// questions about past games.
    public static let defaultAge = Duration.seconds(30 * 24 * 60 * 60)
    /// The default time for which the outlines of adventures and disbanded parties are kept: a year.
    public static let defaultOutlineAge = Duration.seconds(365 * 24 * 60 * 60)
    /// The time for which a device is kept that its app has not registered again: a year.
    public static let deviceAge = Duration.seconds(365 * 24 * 60 * 60)
    /// The minimum retention period: longer than any adventure or activity lasts, so that no push is pending for
    /// removed data.
    public static let minAge = Duration.seconds(24 * 60 * 60)
    /// The maximum retention period: ten years, which in effect disables the removal.
    public static let maxAge = Duration.seconds(10 * 365 * 24 * 60 * 60)

    /// The maximum time for which a device shows an activity: the system ends it eight hours after its start, and keeps
    /// it on the Lock Screen for up to four more.
    public static let activityLifetime = Duration.seconds(12 * 60 * 60)

    /// How long details of ended adventures, rounds of ended raids, and leftovers of disbanded parties, are kept.
    public var ended: Duration
    /// How long openings and inputs of ended adventures, identifiers of disbanded parties, the parties that a player left, and
    /// the adventures in a player's history are kept; never less than the details.
    public var outlines: Duration
    /// The age after which a live activity is marked as ended, even if its end was not sent.
    public var activities: Duration

    /// Creates settings.
    public init(
        ended: Duration = defaultAge,
        outlines: Duration = defaultOutlineAge,
        activities: Duration = activityLifetime
    ) {
        precondition(ended >= Self.minAge, "details must be kept for at least \(Self.minAge)")
        precondition(
            activities >= Self.activityLifetime,
            "a live activity must not be marked as ended within \(Self.activityLifetime)"
        )
        self.ended = ended
        self.outlines = max(ended, outlines)
        self.activities = activities
    }
}
