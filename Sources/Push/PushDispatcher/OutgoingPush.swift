import APNsClient
import Encodings
import Foundation
import GameCore
import PushCadence
import PushDispatch

/// One push on its way to APNs.
struct OutgoingPush: Sendable {
    let order: PushOrder
    let request: APNsPush

    var key: ActivityKey { order.key }
    var environment: PushEnvironment { order.environment }
    var planned: PlannedPush { order.planned }

    /// Returns `apns-id`, which is derived from the activity and the change that the push reports, so that a repeat
    /// after a crash has the same identifier.
    static func apnsID(of key: ActivityKey, generation: Int, planned: PlannedPush) -> UUID {
        let event =
            switch planned.reason {
            // Several alerts may have the same moment.
            case .alert(let kind): "alert \(kind)"
            case .end: "end"
            case .activityEndsSoon: "endsSoon"
            case .newToken, .requested, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low: "update"
            }
        let name = "\(key.adventureID)/\(key.activityID)/\(generation)/\(planned.changeAt.microseconds)/\(event)"
        return UUID(named: name)
    }
}
