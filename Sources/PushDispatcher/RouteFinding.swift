import APNsClient
import GameStore

/// One thing that was found out about a way to APNs, for whoever asks what is wrong.
public struct RouteFinding: Hashable, Sendable {
    /// What it is about, such as `provider key (sandbox)`.
    public let name: String
    /// How something is.
    public enum State: Hashable, Sendable {
        /// Nothing has to be done.
        case fine
        /// Something has to be done.
        case wrong
        /// It could not be looked at.
        case unseen
    }

    /// How it is.
    public let state: State
    /// What was found: one sentence.
    public let finding: String
    /// What to do; nil when nothing has to be.
    public let remedy: String?

    /// What the answer to a push to nobody's token tells of certificate store, provider key and topic.
    ///
    /// APNs looks at the provider token first and at the device token last: where it finds fault with the device token
    /// alone, everything else is good. Where it does not answer, key and topic were not looked at.
    static func findings(
        of outcome: APNsOutcome,
        in environment: PushEnvironment,
        at address: (host: String, port: Int),
        topic: String,
        connections: Int
    ) -> [Self] {
        let place = "\(address.host):\(address.port)"
        func fine(_ subject: String, _ finding: String) -> Self {
            Self(name: "\(subject) (\(environment.rawValue))", state: .fine, finding: finding, remedy: nil)
        }
        func wrong(_ subject: String, _ advice: APNsAdvice) -> Self {
            let name = "\(subject) (\(environment.rawValue))"
            return Self(name: name, state: .wrong, finding: advice.meaning, remedy: advice.remedy)
        }
        func unseen(_ subject: String) -> Self {
            Self(
                name: "\(subject) (\(environment.rawValue))",
                state: .unseen,
                finding: "Not looked at: APNs has not answered.",
                remedy: "Mend what the line about the connection says, and ask again."
            )
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
                    state: .wrong,
                    finding: finding,
                    remedy: "Check RANGERS_APNS_HOST and RANGERS_APNS_PORT: that is not APNs."
                ),
            ]
        case .unknown:
            // A push to nobody's token may be sent again and again: what the advice warns of does not hold for it.
            let connection = Self(
                name: "connection (\(environment.rawValue))",
                state: .wrong,
                finding: outcome.advice.meaning,
                remedy: """
                    Ask again in a while. If it stays, APNs hangs (Apple's system status page may say so), or what is between: \
                    a proxy or a firewall that takes connections to \(place) and drops what goes through them.
                    """
            )
            return [connection, unseen("provider key"), unseen("topic")]
        case .neverSent:
            return [wrong("connection", outcome.advice), unseen("provider key"), unseen("topic")]
        }
    }
}
