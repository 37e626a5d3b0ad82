import APNsClient
import Encodings
import GameLog
import Logging
import PushDispatch
import ServiceRuntime

/// A push that was claimed in a device's row, and is sent at most once.
struct ClaimedPush: Sendable {
    let push: APNsPush
    let token: [UInt8]
    let client: any PushSender
    /// The device as it was claimed on, perhaps in another environment than when it was read first.
    let device: Device

    /// Reports the outcome to the circuit breaker, and logs it.
    /// - Parameters:
    ///   - outcome: the outcome.
    ///   - breakers: the breakers of the push's topic.
    ///   - uptime: the time.
    ///   - texts: what is logged of an accepted push, and the noun for others, such as `a start`.
    ///   - logger: the logger.
    ///   - metadata: the metadata of the log entry.
    /// - Returns: whether the token is dead, and is to be forgotten.
    func conclude(
        _ outcome: APNsOutcome,
        with breakers: CircuitBreakers,
        at uptime: ContinuousClock.Instant,
        logging texts: (accepted: Logger.Message, noun: String),
        to logger: Logger,
        _ metadata: Logger.Metadata
    ) -> Bool {
        let classification = breakers.classify(
            PushAnswer(outcome),
            for: token,
            .unknown,
            in: device.environment,
            at: uptime
        )
        var metadata = metadata
        metadata["id"] = "\(push.id.lowercaseText)"
        switch outcome {
        case .accepted:
            logger.info(texts.accepted, metadata: metadata)
            return false
        case .unknown(let failure), .neverSent(let failure):
            metadata["reason"] = "\(failure)"
            logger.warning("\(texts.noun) got no response, and is not repeated", metadata: metadata)
            return false
        case .rejected(let rejection):
            metadata["status"] = "\(rejection.status)"
            metadata["reason"] = "\(rejection.reason.text)"
            logger.warning("APNs rejected \(texts.noun)", metadata: metadata)
            return rejection.reaction == .forgetToken && classification == .credible
        }
    }
}
