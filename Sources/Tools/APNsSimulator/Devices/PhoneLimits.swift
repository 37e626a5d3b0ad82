/// The limits of a wall's phones.
///
/// Apple does not publish these numbers, so each is a setting. The defaults are what developers report.
public struct PhoneLimits: Sendable {
    /// Pushes of priority 10 for each hour, without frequent pushes; nil for no limit.
    public var standardHighPerHour: Int? = 15
    /// Pushes of priority 10 for each hour, with frequent pushes; nil for no limit.
    ///
    /// Apple says "far more"; 300 is one in 12 seconds on average.
    public var frequentHighPerHour: Int? = 300
    /// Activities that pushes start on a phone for each day.
    public var startsPerDay = 10

    /// Activities of the app that run on a phone at the same time; more are not started.
    public var activities = 5

    /// How long APNs accepts pushes for an activity that the user has removed, by a swipe or in Settings, in seconds.
    ///
    /// Apple documents no number; developers see the 410 some time after the swipe.
    public var dismissalDelaySeconds: Int64 = 0

    /// Creates the default limits.
    public init() {}

    /// Returns the number of pushes of priority 10 for each hour; nil for no limit.
    func highPerHour(frequentPushesEnabled: Bool) -> Int? {
        frequentPushesEnabled ? frequentHighPerHour : standardHighPerHour
    }
}
