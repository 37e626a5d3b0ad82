public import GameStore
public import PushRules

/// How operators reach APNs through a node: what the routes need of whoever sends.
public struct OperatorPushes: Sendable {
    /// A push that an operator asks for.
    public struct Message: Sendable {
        /// The bytes of the token: a Live Activity's, or for a start a push-to-start token.
        public let deviceToken: [UInt8]
        /// Where the token is valid.
        public let environment: PushEnvironment
        /// What the push does.
        public let event: SamplePush.Event
        /// Whether it goes at priority 10, and else at 5.
        public let isUrgent: Bool
    }

    /// The environments that this node sends to, in order.
    let environments: [PushEnvironment]
    let send: @Sendable (Message) async throws -> (any Encodable & Sendable)?
    let examine: @Sendable () async throws -> [DoctorCheck]

    /// The ways to APNs of one node.
    /// - Parameters:
    ///   - environments: where this node sends to, in order.
    ///   - send: sends a push and gives back what the operator is shown; nil for an environment that is not served.
    ///   - examine: tries the ways and tells what is found.
    public init(
        environments: [PushEnvironment],
        send: @escaping @Sendable (Message) async throws -> (any Encodable & Sendable)?,
        examine: @escaping @Sendable () async throws -> [DoctorCheck]
    ) {
        self.environments = environments
        self.send = send
        self.examine = examine
    }
}
