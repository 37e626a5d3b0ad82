/// Why something cannot be done with a phone.
enum WallError: Error, Equatable, Sendable {
    /// There is no such phone.
    case unknownPhone
    /// The phone has no such activity.
    case unknownActivity
    /// The phone has an activity of that identifier already.
    case activityExists
    /// As many activities run on the phone as it takes: what the app would learn as `targetMaximumExceeded`.
    case tooManyActivities
    /// The activity is over, so its token neither changes nor is there anything to swipe away twice.
    case activityOver
    /// There is no such channel, so no activity can follow it.
    case unknownChannel
    /// The wall is full.
    case tooManyPhones
}
