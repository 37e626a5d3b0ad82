import Encodings

@testable import APNsSimulator

/// Returns a valid push to a device.
func pushRequest(
    _ bytes: [UInt8],
    to token: PushToken,
    priority: ReceivedPush.Priority = .high,
    expiration: Int64? = epoch + 60
) -> ReceivedPush {
    ReceivedPush(
        address: .device(token),
        topic: topic,
        priority: priority,
        expirationEpochSeconds: expiration,
        payload: bytes
    )
}

extension PhoneWall {
    /// Processes a valid push.
    @discardableResult
    mutating func push(_ request: ReceivedPush, apnsID: String = "a", at now: Timestamp = moment(0)) -> Outcome {
        receive(
            Arrival(
                time: now,
                apnsID: apnsID,
                payload: request.payload,
                request: .success(request),
                identitySeed: ~UInt64(log.lastNumber)
            )
        )
    }
}

extension PhoneActivity {
    /// Handles a push that is delivered on arrival.
    mutating func receive(
        _ payload: ReceivedPayload?,
        apnsID: String = "a",
        acceptedAt: Timestamp? = nil,
        alert: ShownAlert? = nil,
        at now: Timestamp
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
