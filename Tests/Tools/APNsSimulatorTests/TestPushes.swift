@testable import APNsSimulator

/// A request to push to one device that is in order.
func pushRequest(
    _ bytes: [UInt8],
    to token: PushToken,
    priority: PushRequest.Priority = .high,
    expiration: Int64? = epoch + 60
) -> PushRequest {
    PushRequest(
        address: .device(token),
        topic: topic,
        priority: priority,
        expirationEpochSeconds: expiration,
        payload: bytes
    )
}

extension PhoneWall {
    /// Takes a push that is in order.
    @discardableResult
    mutating func push(_ request: PushRequest, apnsID: String = "a", at now: Moment = moment(0)) -> Outcome {
        receive(
            Arrival(
                time: now,
                apnsID: apnsID,
                payload: request.payload,
                request: .success(request),
                chance: ~UInt64(log.lastNumber)
            )
        )
    }
}

extension PhoneActivity {
    /// Takes a push that comes through when it comes in.
    mutating func receive(
        _ payload: ReceivedPayload?,
        apnsID: String = "a",
        acceptedAt: Moment? = nil,
        alert: ShownAlert? = nil,
        at now: Moment
    ) -> Reaction {
        let delivery = Delivery(
            phoneIndex: 0,
            target: .activity(id),
            apnsID: apnsID,
            logNumber: 1,
            isBroadcast: false,
            acceptedAt: acceptedAt ?? now,
            priority: .high,
            expirationEpochSeconds: nil,
            payload: payload
        )
        return receive(delivery, alert: alert, at: now)
    }
}
