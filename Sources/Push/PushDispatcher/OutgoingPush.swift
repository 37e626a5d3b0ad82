import APNsClient
import Encodings
import Foundation
import GameCore
import GameStore
import PushCadence
import PushDispatch

/// One push on its way to APNs, with the values that its outcome is matched against.
struct OutgoingPush: Sendable {
    /// The number of the push in this dispatcher; an activity ignores the outcome of any push except the one in flight.
    let number: Int
    let shard: Shard
    let epoch: Int64
    let key: ActivityKey
    /// The generation of the token that it is sent to.
    let generation: Int
    let environment: PushEnvironment
    let planned: PlannedPush
    /// The moment of the newest change that the push reports; nil if time alone caused the push.
    let eventAt: Timestamp?
    /// The log position of the operator's request for the push; nil if it was not requested.
    let requestPosition: Int64?
    /// The traces of the requests whose effects it shows, oldest first.
    let traces: [TraceCarrier]
    let request: APNsPush

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
