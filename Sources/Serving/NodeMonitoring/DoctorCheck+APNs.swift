import APNsClient
import GameCore
import PartyAPI
import PushDispatcher

extension DoctorCheck {
    /// Returns what the outcome of a push to an unused token shows about the connection, the provider key and the
    /// topic.
    ///
    /// APNs checks the provider token first and the device token last. If it rejects only the device token, the
    /// certificate store, the provider key and the topic work. Without a response, key and topic are unchecked.
    /// - Parameters:
    ///   - outcome: the outcome of the push.
    ///   - environment: the APNs environment.
    ///   - address: the server of the environment.
    ///   - topic: the topic of the push.
    ///   - connections: the number of open connections.
    /// - Returns: the checks of the connection, the provider key and the topic; also a check of the response if it is
    ///   unexpected.
    static func apns(
        _ outcome: APNsOutcome,
        in environment: PushEnvironment,
        at address: (host: String, port: Int),
        topic: String,
        connections: Int
    ) -> [Self] {
        let server = "\(address.host):\(address.port)"
        let reached = ok(
            "connection",
            in: environment,
            "\(server) is reachable, and its certificate is trusted; connections: \(connections)."
        )
        let skipped = [skipped("provider key", in: environment), skipped("topic", in: environment)]
        switch outcome {
        case .rejected(let rejection):
            return [reached] + apns(rejection, in: environment, topic: topic)
        case .accepted:
            let response = Self(
                "response",
                in: environment,
                .failed,
                "\(server) accepted a push to a token that no device has.",
                remedy: "Check RANGERS_APNS_HOST and RANGERS_APNS_PORT: this server is not APNs."
            )
            return [reached, response]
        case .unknown:
            // The advice for this outcome warns of repeating a push, which is harmless for an unused token.
            let connection = Self(
                "connection",
                in: environment,
                .failed,
                outcome.advice.meaning,
                remedy: """
                    Check again in a while. If the failure persists, APNs does not respond (see Apple's system status page), \
                    or a proxy or firewall accepts connections to \(server) and drops their traffic.
                    """
            )
            return [connection] + skipped
        case .neverSent:
            return [failed("connection", in: environment, outcome.advice)] + skipped
        }
    }

    private static func apns(
        _ rejection: APNsRejection,
        in environment: PushEnvironment,
        topic: String
    ) -> [Self] {
        let keyIsGood = ok("provider key", in: environment, "APNs accepts it.")
        switch rejection.reason {
        case .badDeviceToken:
            let finding = "APNs accepts \(topic), and rejected only the token, which no device has."
            return [keyIsGood, ok("topic", in: environment, finding)]
        case .badTopic, .topicDisallowed, .deviceTokenNotForTopic, .missingTopic:
            return [keyIsGood, failed("topic", in: environment, rejection.reason.advice)]
        default:
            let subject = rejection.status == 403 ? "provider key" : "response"
            return [failed(subject, in: environment, rejection.reason.advice)]
        }
    }

    private init(
        _ subject: String,
        in environment: PushEnvironment,
        _ status: Status,
        _ finding: String,
        remedy: String?
    ) {
        self.init("\(subject) (\(environment.rawValue))", status, finding, remedy: remedy)
    }

    private static func ok(_ subject: String, in environment: PushEnvironment, _ finding: String) -> Self {
        Self(subject, in: environment, .ok, finding, remedy: nil)
    }

    private static func failed(_ subject: String, in environment: PushEnvironment, _ advice: APNsAdvice) -> Self {
        Self(subject, in: environment, .failed, advice.meaning, remedy: advice.remedy)
    }

    private static func skipped(_ subject: String, in environment: PushEnvironment) -> Self {
        Self(
            subject,
            in: environment,
            .skipped,
            "Not checked: APNs did not respond.",
            remedy: "Follow the remedy of the connection, and check again."
        )
    }
}
