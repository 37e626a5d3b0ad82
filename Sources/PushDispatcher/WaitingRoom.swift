import DequeModule
import GameCore
import PushCadence

/// Activities that wait until fewer pushes to their environment are under way: those with an alert or an end to tell before
/// the others, and of each those first that came first.
struct WaitingRoom {
    /// Where an activity waits.
    enum Place {
        case urgent
        case other
    }

    private typealias Entry = (activity: FollowedActivity, shard: Shard)

    private var urgent: Deque<Entry> = []
    private var others: Deque<Entry> = []

    /// Whether nobody waits.
    var isEmpty: Bool { urgent.isEmpty && others.isEmpty }

    /// One comes, or one that waits has become urgent.
    mutating func add(_ activity: FollowedActivity, of shard: Shard) {
        if activity.cadence.isUrgent {
            guard activity.waitsForRoom != .urgent else { return }
            activity.waitsForRoom = .urgent
            urgent.append((activity, shard))
        } else if activity.waitsForRoom == nil {
            activity.waitsForRoom = .other
            others.append((activity, shard))
        }
    }

    /// The next one, which waits no more.
    mutating func popFirst() -> (FollowedActivity, Shard)? {
        while let next = urgent.popFirst() {
            guard next.activity.waitsForRoom == .urgent else { continue }
            next.activity.waitsForRoom = nil
            return next
        }
        while let next = others.popFirst() {
            // Else it has become urgent, and had its turn.
            guard next.activity.waitsForRoom == .other else { continue }
            next.activity.waitsForRoom = nil
            return next
        }
        return nil
    }
}
