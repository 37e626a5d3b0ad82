import APNsClient
import GameStore

/// One thing that was found out about a way to APNs, for whoever asks what is wrong.
public struct RouteFinding: Hashable, Sendable {
    /// How something is.
    public enum State: Hashable, Sendable {
        /// Nothing has to be done.
        case fine
        /// Something has to be done.
        case wrong
        /// It could not be looked at.
        case unseen
    }

    /// What it is about, such as `provider key (sandbox)`.
    public let name: String
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
        let reached = fine(
            "connection",
            in: environment,
            "\(place) is reached, and its certificate is trusted; connections: \(connections)."
        )
        let unseen = [unseen("provider key", in: environment), unseen("topic", in: environment)]
        switch outcome {
        case .rejected(let refusal):
            return [reached] + findings(of: refusal, in: environment, topic: topic)
        case .accepted:
            let answer = Self(
                "answer",
                in: environment,
                .wrong,
                "\(place) has accepted a push to a token that is nobody's.",
                remedy: "Check RANGERS_APNS_HOST and RANGERS_APNS_PORT: that is not APNs."
            )
            return [reached, answer]
        case .unknown:
            // A push to nobody's token may be sent again and again: what the advice warns of does not hold for it.
            let connection = Self(
                "connection",
                in: environment,
                .wrong,
                outcome.advice.meaning,
                remedy: """
                    Ask again in a while. If it stays, APNs hangs (Apple's system status page may say so), or what is between: \
                    a proxy or a firewall that takes connections to \(place) and drops what goes through them.
                    """
            )
            return [connection] + unseen
        case .neverSent:
            return [wrong("connection", in: environment, outcome.advice)] + unseen
        }
    }

    private static func findings(
        of refusal: APNsRejection,
        in environment: PushEnvironment,
        topic: String
    ) -> [Self] {
        let keyIsGood = fine("provider key", in: environment, "APNs accepts it.")
        switch refusal.reason {
        case .badDeviceToken:
            let finding = "APNs takes \(topic), and refused nothing but a token that is nobody's."
            return [keyIsGood, fine("topic", in: environment, finding)]
        case .badTopic, .topicDisallowed, .deviceTokenNotForTopic, .missingTopic:
            return [keyIsGood, wrong("topic", in: environment, refusal.reason.advice)]
        default:
            let subject = refusal.status == 403 ? "provider key" : "answer"
            return [wrong(subject, in: environment, refusal.reason.advice)]
        }
    }
}

extension RouteFinding {
    private init(_ subject: String, in environment: PushEnvironment, _ state: State, _ finding: String, remedy: String?)
    {
        self.init(name: "\(subject) (\(environment.rawValue))", state: state, finding: finding, remedy: remedy)
    }

    private static func fine(_ subject: String, in environment: PushEnvironment, _ finding: String) -> Self {
        Self(subject, in: environment, .fine, finding, remedy: nil)
    }

    private static func wrong(_ subject: String, in environment: PushEnvironment, _ advice: APNsAdvice) -> Self {
        Self(subject, in: environment, .wrong, advice.meaning, remedy: advice.remedy)
    }

    private static func unseen(_ subject: String, in environment: PushEnvironment) -> Self {
        Self(
            subject,
            in: environment,
            .unseen,
            "Not looked at: APNs has not answered.",
            remedy: "Mend what the line about the connection says, and ask again."
        )
    }
}
