import DequeModule

/// The activities of a shard whose rows are to be flushed.
///
/// Alerts, ends, dead tokens, drops, requested pushes and timestamps far ahead of the clock are flushed at once. Another
/// plain state is flushed later, since the next holder of the lease only repeats the newest one once.
///
/// Marks of the activity say what it waits for, so that marking it again costs no lookup; an entry without its mark is out
/// of date.
struct DirtyActivities {
    /// What an activity waits for.
    struct Marks: OptionSet {
        let rawValue: UInt8
        /// A flush at some time.
        static let lazy = Self(rawValue: 1)
        /// The next flush.
        static let urgent = Self(rawValue: 2)
        /// Nothing: it has an entry in the list of those that wait for some flush, which may be out of date.
        static let listed = Self(rawValue: 4)
    }

    private var urgent: [FollowedActivity] = []
    /// The others, those that have waited longest first.
    private var lazy: Deque<FollowedActivity> = []

    /// Whether no activity must be flushed at once.
    var isUrgentEmpty: Bool { urgent.isEmpty }
    /// Whether no activity is to be flushed.
    var isEmpty: Bool { urgent.isEmpty && lazy.isEmpty }

    /// Marks an activity for the next flush.
    mutating func insertUrgent(_ activity: FollowedActivity) {
        if activity.dirtyMarks.insert(.urgent).inserted { urgent.append(activity) }
    }

    /// Marks an activity for some flush.
    mutating func insertLazy(_ activity: FollowedActivity) {
        activity.dirtyMarks.insert(.lazy)
        if activity.dirtyMarks.insert(.listed).inserted { lazy.append(activity) }
    }

    /// Removes the activities to flush.
    /// - Parameter limit: the maximum number of activities that need not be flushed at once.
    /// - Returns: those of them that are still followed.
    mutating func take(lazyLimit limit: Int) -> [FollowedActivity] {
        var taken: [FollowedActivity] = []
        for activity in urgent where activity.isFollowed {
            activity.dirtyMarks.subtract([.urgent, .lazy])
            taken.append(activity)
        }
        urgent = []
        var rest = limit
        while rest > 0, let activity = lazy.popFirst() {
            let isDirty = activity.dirtyMarks.contains(.lazy)
            activity.dirtyMarks.subtract([.lazy, .listed])
            guard isDirty, activity.isFollowed else { continue }
            taken.append(activity)
            rest -= 1
        }
        return taken
    }
}
