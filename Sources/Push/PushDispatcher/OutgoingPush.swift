import APNsClient
import GameCore
import PushCadence
import PushDispatch

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
}
