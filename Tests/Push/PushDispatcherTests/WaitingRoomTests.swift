import Encodings
import Foundation
import GameCore
import GameStore
import PushCadence
import Testing

@testable import PushDispatcher

@Suite struct WaitingRoomTests {
    private static let shard = Shard(rawValue: 7)
    private static let start = Timestamp(epochSeconds: 1_750_000_000)

    /// One that owes no more than a state.
    private func activity() -> FollowedActivity {
        let policy = CadencePolicy()
        let activity = Activity(
            id: newActivity(),
            adventureID: AdventureID(rawValue: UUID()),
            playerID: PlayerID(rawValue: UUID()),
            pushToken: newToken(),
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil,
            registeredAt: Self.start
        )
        let followed = FollowedActivity(
            activity,
            seat: Seat(rawValue: 0),
            on: FollowedPhone(budget: PhoneBudget(policy.pace(frequentPushesEnabled: true))),
            cadence: ActivityCadence(
                policy: policy,
                frequentPushesEnabled: true,
                startedAt: Self.start,
                resuming: nil,
                acknowledgedPosition: 0
            ),
            decisions: DecisionLog()
        )
        followed.cadence.currentStateRequired(position: 1, at: Self.start)
        return followed
    }

    /// Its adventure ends: that is urgent.
    private func end(_ activity: FollowedActivity) { activity.cadence.adventureEnded(position: 2, at: Self.start) }

    /// In the order in which they have their turn.
    private func everybody(in room: inout WaitingRoom) -> [ActivityID] {
        var ids: [ActivityID] = []
        while let (activity, shard) = room.popFirst() {
            #expect(shard == Self.shard && activity.waitsForRoom == nil)
            ids.append(activity.activity.id)
        }
        return ids
    }

    @Test func `who came first has the first turn, however often another comes, and then is behind the others`() throws
    {
        let activities = (0..<4).map { _ in activity() }
        var room = WaitingRoom()
        #expect(room.isEmpty)
        #expect(activities.map { room.add($0, of: Self.shard) } == [true, true, true, true])
        // One for which much happens takes no place of the others, and loses none.
        #expect((0..<3).map { _ in room.add(activities[1], of: Self.shard) } == [false, false, false])
        #expect(room.count == 4)
        let first = room.popFirst()?.0
        #expect(first === activities[0] && room.count == 3)
        room.add(activities[0], of: Self.shard)
        #expect(everybody(in: &room) == [1, 2, 3, 0].map { activities[$0].activity.id })
        #expect(room.isEmpty)
    }

    @Test func `who has an alert or an end to tell goes before the others, among themselves in their order`() {
        let activities = (0..<5).map { _ in activity() }
        end(activities[2])
        end(activities[4])
        var room = WaitingRoom()
        for activity in activities { room.add(activity, of: Self.shard) }
        #expect(everybody(in: &room) == [2, 4, 0, 1, 3].map { activities[$0].activity.id })
    }

    @Test func `who becomes urgent while waiting moves forward, has one turn, and keeps no place behind`() {
        let activities = (0..<4).map { _ in activity() }
        var room = WaitingRoom()
        for activity in activities { room.add(activity, of: Self.shard) }
        end(activities[3])
        #expect((0..<2).map { _ in room.add(activities[3], of: Self.shard) } == [false, false])
        #expect(room.count == 4)
        #expect(everybody(in: &room) == [3, 0, 1, 2].map { activities[$0].activity.id })
    }

    @Test func `a place that was left is nobody's, also when its owner comes again`() {
        let activities = (0..<3).map { _ in activity() }
        var room = WaitingRoom()
        for activity in activities { room.add(activity, of: Self.shard) }
        end(activities[0])
        room.add(activities[0], of: Self.shard)
        let first = room.popFirst()?.0
        #expect(first === activities[0])
        // With nothing urgent any more: the place of before, at the very front, is gone.
        activities[0].cadence = activity().cadence
        room.add(activities[0], of: Self.shard)
        #expect(everybody(in: &room) == [1, 2, 0].map { activities[$0].activity.id })
        #expect(room.isEmpty)
    }

    @Test func `who leaves has no turn, and may come again as the last`() {
        let (first, second) = (activity(), activity())
        var room = WaitingRoom()
        room.add(first, of: Self.shard)
        room.add(second, of: Self.shard)
        room.leave(first)
        room.leave(first)
        #expect(room.count == 1)
        room.add(first, of: Self.shard)
        #expect(everybody(in: &room) == [second, first].map(\.activity.id))
        #expect(room.isEmpty)
    }
}
