import DequeModule
import GameCore
import PushCadence

/// Activities that wait until fewer pushes to their environment are under way: those with an alert or an end to tell before
/// the others, and of each those first that came first.
struct WaitingRoom {
    /// An activity's place: whoever has another one by now has left this one.
    struct Ticket: Hashable {
        fileprivate let isUrgent: Bool
        /// Begins anew when it is used up: nobody waits for as long as that.
        fileprivate let number: UInt32
    }

    private typealias Entry = (ticket: Ticket, activity: FollowedActivity, shard: Shard)

    private var urgent: Deque<Entry> = []
    private var others: Deque<Entry> = []
    private var nextNumber: UInt32 = 0
    /// How many wait, those that are let go of meanwhile included until it would be their turn.
    private(set) var count = 0

    /// Whether nobody waits.
    var isEmpty: Bool { count == 0 }

    /// One comes, or one that waits has become urgent.
    /// - Parameters:
    ///   - activity: it keeps its place where it has one.
    ///   - shard: whose it is.
    /// - Returns: whether it did not wait before.
    @discardableResult
    mutating func add(_ activity: FollowedActivity, of shard: Shard) -> Bool {
        let isUrgent = activity.cadence.isUrgent
        let known = activity.waitsForRoom
        if let known, known.isUrgent || !isUrgent { return false }
        let ticket = Ticket(isUrgent: isUrgent, number: nextNumber)
        nextNumber &+= 1
        activity.waitsForRoom = ticket
        if isUrgent { urgent.append((ticket, activity, shard)) } else { others.append((ticket, activity, shard)) }
        guard known == nil else { return false }
        count += 1
        return true
    }

    /// One that waits goes away.
    mutating func leave(_ activity: FollowedActivity) {
        guard activity.waitsForRoom != nil else { return }
        activity.waitsForRoom = nil
        count -= 1
    }

    /// The next one, which waits no more.
    mutating func popFirst() -> (FollowedActivity, Shard)? {
        while let next = urgent.popFirst() ?? others.popFirst() {
            // Else it has become urgent, and left its place among the others.
            guard next.activity.waitsForRoom == next.ticket else { continue }
            next.activity.waitsForRoom = nil
            count -= 1
            return (next.activity, next.shard)
        }
        return nil
    }
}
