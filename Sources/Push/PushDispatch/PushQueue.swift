import DequeModule
import GameCore
import PushCadence

/// The activities that wait because the maximum number of pushes to their environment is in flight.
///
/// Activities with a pending alert or end come before the others; activities of equal urgency are in order of arrival.
struct PushQueue {
    /// The position of an activity in the queue; an entry is out of date if its ticket is not the activity's current
    /// one.
    struct Ticket: Hashable {
        fileprivate let isUrgent: Bool
        /// The number of the ticket, which wraps around: no activity waits for a whole cycle.
        fileprivate let number: UInt32
    }

    private typealias Entry = (ticket: Ticket, activity: FollowedActivity, shard: Shard)

    private var urgent: Deque<Entry> = []
    private var others: Deque<Entry> = []
    private var nextNumber: UInt32 = 0
    /// The number of waiting activities; those that are no longer followed count until their turn comes.
    private(set) var count = 0

    /// Whether no activity waits.
    var isEmpty: Bool { count == 0 }

    /// Adds an activity, or moves a waiting activity that has become urgent.
    /// - Parameters:
    ///   - activity: the activity; one that waits already keeps its position unless it has become urgent.
    ///   - shard: its shard.
    /// - Returns: whether it was not waiting before.
    @discardableResult
    mutating func add(_ activity: FollowedActivity, of shard: Shard) -> Bool {
        let known = activity.queueTicket
        if let known, known.isUrgent { return false }
        let isUrgent = activity.cadence.isUrgent
        if known != nil, !isUrgent { return false }
        let ticket = Ticket(isUrgent: isUrgent, number: nextNumber)
        nextNumber &+= 1
        activity.queueTicket = ticket
        if isUrgent { urgent.append((ticket, activity, shard)) } else { others.append((ticket, activity, shard)) }
        guard known == nil else { return false }
        count += 1
        return true
    }

    /// Removes an activity, if it waits.
    mutating func remove(_ activity: FollowedActivity) {
        guard activity.queueTicket != nil else { return }
        activity.queueTicket = nil
        count -= 1
    }

    /// Removes and returns the next activity.
    mutating func popFirst() -> (Shard, ActivityKey)? {
        while let next = urgent.popFirst() ?? others.popFirst() {
            // Otherwise the activity was removed, or became urgent and has another ticket.
            guard next.activity.queueTicket == next.ticket else { continue }
            next.activity.queueTicket = nil
            count -= 1
            return (next.shard, next.activity.key)
        }
        return nil
    }
}
