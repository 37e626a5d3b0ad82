/// How much the phones of a wall put up with.
///
/// Apple keeps these numbers secret, so each is a setting; the defaults are what developers report.
public struct PhoneLimits: Sendable {
    /// How many pushes of priority 10 a phone takes in an hour, without frequent pushes; nil for any number.
    public var standardHighPerHour: Int? = 15
    /// The same of a phone with frequent pushes: "far more", and on average not more than one in 12 seconds.
    public var frequentHighPerHour: Int? = 300
    /// How many activities pushes start on a phone in a day.
    public var startsPerDay = 10

    /// How many activities of the app run on a phone at once; more are not started.
    public var activities = 5

    /// How long APNs takes pushes for an activity that the person has swiped away or ended in Settings, in seconds.
    ///
    /// Apple names no number; developers see the 410 come later than the swipe.
    public var dismissalDelaySeconds: Int64 = 0

    /// The defaults.
    public init() {}

    /// How many pushes of priority 10 a phone takes in an hour.
    func highPerHour(frequentPushesEnabled: Bool) -> Int? {
        frequentPushesEnabled ? frequentHighPerHour : standardHighPerHour
    }
}
