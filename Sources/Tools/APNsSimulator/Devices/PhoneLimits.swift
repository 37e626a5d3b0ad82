/// The limits of a wall's phones.
///
/// Apple does not publish these numbers, so each is a setting. The defaults are values that developers report.
public struct PhoneLimits: Sendable {
    /// The maximum number of pushes of priority 10 per hour, without frequent pushes; nil for no limit.
    public var standardHighPerHour: Int? = 15
    /// The maximum number of pushes of priority 10 per hour, with frequent pushes; nil for no limit.
    ///
    /// Apple says "far more"; 300 is one in 12 seconds on average.
    public var frequentHighPerHour: Int? = 300
    /// The maximum number of activities that pushes start on a phone per day.
    public var startsPerDay = 10

    /// The maximum number of reloads of the widgets by pushes per day.
    ///
    /// Apple publishes none for pushes; 40 is the lower end of what it names for a widget's own reloads.
    public var widgetReloadsPerDay = 40

    /// The maximum number of the app's activities that run on a phone at the same time.
    public var activities = 5

    /// The time for which APNs accepts pushes for an activity that the user has removed, by a swipe or in Settings, in
    /// seconds.
    ///
    /// Apple documents no number; developers see the 410 some time after the swipe.
    public var dismissalDelaySeconds: Int64 = 0

    /// Creates the default limits.
    public init() {}

    /// Returns the maximum number of pushes of priority 10 per hour; nil for no limit.
    func highPerHour(frequentPushesEnabled: Bool) -> Int? {
        frequentPushesEnabled ? frequentHighPerHour : standardHighPerHour
    }
}
