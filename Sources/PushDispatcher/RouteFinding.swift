import APNsClient
import GameStore

/// One thing that was found out about a way to APNs, for whoever asks what is wrong.
public struct RouteFinding: Hashable, Sendable {
    /// What it is about, such as `provider key (sandbox)`.
    public let name: String
    /// Whether nothing has to be done.
    public let isFine: Bool
    /// What was found: one sentence.
    public let finding: String
    /// What to do; nil when nothing has to be.
    public let remedy: String?

    /// What the answer to a push to nobody's token tells of certificate store, provider key and topic.
    ///
    /// APNs looks at the provider token first and at the device token last: where it finds fault with the device token
    /// alone, everything else is good. What was not reached is not told of.
    static func findings(
        of outcome: APNsOutcome,
        in environment: PushEnvironment,
        at address: (host: String, port: Int),
        topic: String,
        connections: Int
    ) -> [Self] {
        let place = "\(address.host):\(address.port)"
        func fine(_ subject: String, _ finding: String) -> Self {
            Self(name: "\(subject) (\(environment.rawValue))", isFine: true, finding: finding, remedy: nil)
        }
        func wrong(_ subject: String, _ advice: APNsAdvice) -> Self {
            let name = "\(subject) (\(environment.rawValue))"
            return Self(name: name, isFine: false, finding: advice.meaning, remedy: advice.remedy)
        }
        let reached = fine(
            "connection",
            "\(place) is reached, and its certificate is trusted; connections: \(connections)."
        )
        let keyIsGood = fine("provider key", "APNs accepts it.")
        switch outcome {
        case .refused(let refusal):
            switch refusal.reason {
            case .badDeviceToken:
                return [
                    reached, keyIsGood,
                    fine("topic", "APNs takes \(topic), and refused nothing but a token that is nobody's."),
                ]
            case .badTopic, .topicDisallowed, .deviceTokenNotForTopic, .missingTopic:
                return [reached, keyIsGood, wrong("topic", refusal.reason.advice)]
            default:
                let subject = refusal.status == 403 ? "provider key" : "answer"
                return [reached, wrong(subject, refusal.reason.advice)]
            }
        case .accepted:
            let finding = "\(place) has accepted a push to a token that is nobody's."
            let name = "answer (\(environment.rawValue))"
            return [
                reached,
                Self(
                    name: name,
                    isFine: false,
                    finding: finding,
                    remedy: "Check RANGERS_APNS_HOST and RANGERS_APNS_PORT: that is not APNs."
                ),
            ]
        case .unknown, .neverSent:
            return [wrong("connection", outcome.advice)]
        }
    }
}
