import Encodings
import GameLog

/// An entry of the heap: the time at which an activity is evaluated.
struct Wakeup: Comparable {
    let at: Timestamp
    let activity: FollowedActivity

    // Ties in the order of identifiers, so that a seeded run is reproducible.
    static func < (left: Self, right: Self) -> Bool {
        (left.at, left.activity.activity.id) < (right.at, right.activity.activity.id)
    }
    static func == (left: Self, right: Self) -> Bool { left.at == right.at && left.activity === right.activity }
}
