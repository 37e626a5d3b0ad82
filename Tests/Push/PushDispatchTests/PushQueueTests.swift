import Encodings
import Foundation
import GameCore
import GameLog
import PushCadence
import Testing

@testable import PushDispatch

@Suite struct PushQueueTests {
    private static let shard = Shard(rawValue: 7)
    private let sample = SampleActivities()

    private func activity() -> FollowedActivity { sample.activity() }

    /// Ends the adventure of an activity, which makes it urgent.
    private func end(_ activity: FollowedActivity) {
        activity.cadence.adventureEnded(moment: SampleActivities.start, at: SampleActivities.start)
    }

    /// Removes all activities from the queue, and returns them in order.
    private func drain(in queue: inout PushQueue) -> [ActivityID] {
        var ids: [ActivityID] = []
        while let (shard, key) = queue.popFirst() {
            #expect(shard == Self.shard)
            ids.append(key.activityID)
        }
        return ids
    }

    @Test func `activities leave in the order in which they were added, and are last when they are added again`() throws
    {
        let activities = (0..<4).map { _ in activity() }
        var queue = PushQueue()
        #expect(queue.isEmpty)
        #expect(activities.map { queue.add($0, of: Self.shard) } == [true, true, true, true])
        // Adding an activity again changes nothing.
        #expect((0..<3).map { _ in queue.add(activities[1], of: Self.shard) } == [false, false, false])
        #expect(queue.count == 4)
        let first = queue.popFirst()?.1
        #expect(first == activities[0].key && queue.count == 3)
        queue.add(activities[0], of: Self.shard)
        #expect(drain(in: &queue) == [1, 2, 3, 0].map { activities[$0].activity.id })
        #expect(queue.isEmpty)
    }

    @Test func `activities with a pending alert or end come first, in their order`() {
        let activities = (0..<5).map { _ in activity() }
        end(activities[2])
        end(activities[4])
        var queue = PushQueue()
        for activity in activities { queue.add(activity, of: Self.shard) }
        #expect(drain(in: &queue) == [2, 4, 0, 1, 3].map { activities[$0].activity.id })
    }

    @Test func `an activity that becomes urgent while waiting moves forward, and leaves once`() {
        let activities = (0..<4).map { _ in activity() }
        var queue = PushQueue()
        for activity in activities { queue.add(activity, of: Self.shard) }
        end(activities[3])
        #expect((0..<2).map { _ in queue.add(activities[3], of: Self.shard) } == [false, false])
        #expect(queue.count == 4)
        #expect(drain(in: &queue) == [3, 0, 1, 2].map { activities[$0].activity.id })
    }

    @Test func `the former ticket of an activity is invalid, even after the activity is added again`() {
        let activities = (0..<3).map { _ in activity() }
        var queue = PushQueue()
        for activity in activities { queue.add(activity, of: Self.shard) }
        end(activities[0])
        queue.add(activities[0], of: Self.shard)
        let first = queue.popFirst()?.1
        #expect(first == activities[0].key)
        // The activity is no longer urgent, and its entry at the front is out of date.
        activities[0].cadence = activity().cadence
        queue.add(activities[0], of: Self.shard)
        #expect(drain(in: &queue) == [1, 2, 0].map { activities[$0].activity.id })
        #expect(queue.isEmpty)
    }

    @Test func `a removed activity does not leave the queue again, and can be added again at its end`() {
        let (first, second) = (activity(), activity())
        var queue = PushQueue()
        queue.add(first, of: Self.shard)
        queue.add(second, of: Self.shard)
        queue.remove(first)
        queue.remove(first)
        #expect(queue.count == 1)
        queue.add(first, of: Self.shard)
        #expect(drain(in: &queue) == [second, first].map(\.activity.id))
        #expect(queue.isEmpty)
    }
}
