import Encodings
import Foundation
import GameCore
import GameLog
import PushCadence
import Simulation

@testable import PushDispatch

/// Makes activities of one adventure, for tests of what holds activities and does not look at the adventure.
struct SampleActivities {
    static let start = Timestamp(epochSeconds: 1_750_000_000)

    /// The adventure of all activities.
    private let adventure: FollowedAdventure = {
        var events: [StoredEvent] = []
        let stored = StoredAdventure(
            AdventureID(rawValue: UUID()),
            of: PartyID(rawValue: UUID()),
            starting: .fight,
            at: start,
            interval: .seconds(15),
            appendingTo: &events
        )
        return FollowedAdventure(stored, after: AdventureHistory())
    }()

    /// Creates an activity with a pending state, which is not urgent.
    func activity() -> FollowedActivity {
        let policy = CadencePolicy()
        let activity = Activity(
            id: ActivityID(rawValue: UUID()),
            adventureID: AdventureID(rawValue: UUID()),
            playerID: PlayerID(rawValue: UUID()),
            deviceID: DeviceID(rawValue: UUID()),
            pushToken: [0x2a],
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil,
            registeredAt: Self.start
        )
        let followed = FollowedActivity(
            activity,
            in: adventure,
            seat: Seat(rawValue: 0),
            on: FollowedDevice(policy.pace(frequentPushesEnabled: true), registeredAt: Self.start),
            cadence: ActivityCadence(
                policy: policy,
                frequentPushesEnabled: true,
                startedAt: Self.start,
                resuming: nil,
                acknowledgedAt: Timestamp(epochSeconds: 0)
            ),
            decisions: DecisionLog()
        )
        followed.cadence.currentStateRequired(moment: Self.start, at: Self.start)
        return followed
    }
}
