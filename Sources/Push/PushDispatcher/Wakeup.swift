import Encodings
import GameCore

/// An entry of the heap: the time at which an activity is evaluated.
struct Wakeup: Comparable {
    let at: Timestamp
    let shard: Shard
    let activity: FollowedActivity

    static func < (left: Self, right: Self) -> Bool { left.at < right.at }
    static func == (left: Self, right: Self) -> Bool { left.at == right.at }
}
