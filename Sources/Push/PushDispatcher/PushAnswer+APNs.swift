import APNsClient
import PushDispatch

extension PushAnswer {
    /// Creates the answer of an outcome.
    init(_ outcome: APNsOutcome) {
        self =
            switch outcome {
            case .accepted: .accepted
            case .rejected(let rejection): .rejected(PushRejection(rejection))
            case .unknown: .unanswered
            case .neverSent: .neverSent
            }
    }
}

extension PushRejection {
    /// Creates a rejection from a response of APNs.
    init(_ rejection: APNsRejection) {
        let (fault, remedy): (Fault, Remedy) =
            switch rejection.reaction {
            case .retry, .reconnect: (.other, .retry)
            // The client has already retried with another provider token.
            case .renewToken: (.configuration, .retry)
            case .stopSending: (.configuration, .pause)
            case .pauseSending: (.tokenRenewalRate, .pause)
            case .dropMessage, .forgetChannel, .deleteChannels: (.other, .drop)
            // With status 410, APNs knew both token and topic.
            case .forgetToken: (rejection.status == 410 ? .other : .token, .forgetToken)
            }
        self.init(
            reason: rejection.reason.text,
            status: rejection.status,
            fault: fault,
            remedy: remedy,
            retryAfter: .seconds(rejection.retryAfterSeconds ?? 0),
            tokenInvalidSinceMilliseconds: rejection.tokenInvalidSinceMilliseconds
        )
    }
}
