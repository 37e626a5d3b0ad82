import APNsClient
import Encodings
import Foundation
import GameCore
import PushCadence
import PushDispatch
import PushRules

/// One push on its way to APNs, as an object: it is passed on several times.
final class OutgoingPush: Sendable {
    let order: PushOrder
    let request: APNsPush

    init(order: PushOrder, request: APNsPush) {
        self.order = order
        self.request = request
    }

    var key: ActivityKey { order.key }
    var environment: PushEnvironment { order.environment }
    var planned: PlannedPush { order.planned }

    /// Returns `apns-id`, which is derived from the activity and the change that the push reports, so that a repeat
    /// after a crash has the same identifier.
    ///
    /// A token gets one end: its identifier does not depend on the state that it shows, which may have changed since.
    static func apnsID(of key: ActivityKey, generation: Int, planned: PlannedPush) -> UUID {
        let (event, seat): (Int, Seat?) =
            switch planned.reason {
            case .newToken, .requested, .turn, .turnWithoutFrequentPushes, .turnDemoted, .low: (0, nil)
            case .end: (1, nil)
            case .activityEndsSoon: (2, nil)
            // Several alerts may have the same moment.
            case .alert(.ownHeroDown): (3, nil)
            case .alert(.companionDown(let seat)): (4, seat)
            case .alert(.ownTurn): (5, nil)
            case .alert(.bossAppeared): (6, nil)
            case .alert(.bossDefeated): (7, nil)
            case .alert(.partyWiped): (8, nil)
            case .alert(.adventureOver): (9, nil)
            }
        var name: [UInt8] = []
        name.reserveCapacity(112)
        key.adventureID.rawValue.appendLowercaseText(to: &name)
        key.activityID.rawValue.appendLowercaseText(to: &name)
        let changeAt = if case .end = planned.event { Int64(0) } else { planned.changeAt.microseconds }
        name += "/\(generation)/\(changeAt)/\(event)/\(seat?.rawValue ?? 0)".utf8
        return UUID(named: name)
    }
}
