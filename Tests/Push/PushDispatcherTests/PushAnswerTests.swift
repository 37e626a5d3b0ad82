import APNsClient
import Foundation
import PushDispatch
import Testing

@testable import PushDispatcher

/// What the answers of APNs mean for the follower and the circuit breaker.
@Suite struct PushAnswerTests {
    @Test(arguments: [
        (400, APNsReason.badDeviceToken, PushRejection.Fault.token, PushRejection.Remedy.forgetToken),
        (400, .deviceTokenNotForTopic, .token, .forgetToken), (410, .unregistered, .other, .forgetToken),
        (410, .expiredToken, .other, .forgetToken), (403, .badEnvironmentKeyInToken, .configuration, .pause),
        (403, .invalidProviderToken, .configuration, .pause), (400, .badTopic, .configuration, .pause),
        (400, .topicDisallowed, .configuration, .pause), (403, .forbidden, .configuration, .pause),
        (403, .expiredProviderToken, .configuration, .retry),
        (429, .tooManyProviderTokenUpdates, .tokenRenewalRate, .pause), (429, .tooManyRequests, .other, .retry),
        (503, .serviceUnavailable, .other, .retry), (413, .payloadTooLarge, .other, .drop),
    ])
    func `a rejection has a fault and a remedy`(
        status: Int,
        reason: APNsReason,
        fault: PushRejection.Fault,
        remedy: PushRejection.Remedy
    ) {
        let rejection = PushRejection(
            APNsRejection(status: status, reason: reason, tokenInvalidSinceMilliseconds: 7, retryAfterSeconds: 3)
        )
        #expect(
            rejection
                == PushRejection(
                    reason: reason.text,
                    status: status,
                    fault: fault,
                    remedy: remedy,
                    retryAfter: .seconds(3),
                    tokenInvalidSinceMilliseconds: 7
                )
        )
    }

    @Test func `a push without a response may have been accepted, one that was never sent was not`() {
        #expect(PushAnswer(.accepted(apnsID: UUID(), uniqueID: nil)) == .accepted)
        #expect(PushAnswer(.unknown(.timedOut)) == .unanswered)
        #expect(PushAnswer(.neverSent(.tooLate)) == .neverSent)
    }
}
