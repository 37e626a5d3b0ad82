/// The reason why an operation on a phone fails.
enum WallError: Error, Equatable, Sendable {
    /// The phone does not exist.
    case unknownPhone
    /// The phone has no activity with this identifier.
    case unknownActivity
    /// The phone already has an activity with this identifier.
    case activityExists
    /// The maximum number of activities is running on the phone: ActivityKit's `targetMaximumExceeded`.
    case tooManyActivities
    /// The user has switched Live Activities off: ActivityKit's `denied`.
    case activitiesOff
    /// The activity is over: its token cannot be rotated, and it cannot be swiped away again.
    case activityOver
    /// The channel does not exist, so no activity can follow it.
    case unknownChannel
    /// The wall has the maximum number of phones.
    case tooManyPhones
}
