public import GameCore
public import PushRules

/// The APNs diagnostics of a node for operators: test pushes, and checks of the connections.
///
/// It is the interface between the routes and the APNs clients.
public struct APNsDiagnostics: Sendable {
    /// A test push that an operator requests.
    public struct TestPush: Sendable {
        /// The push token: a Live Activity's, or a push-to-start token for a start.
        public let deviceToken: [UInt8]
        /// The APNs environment of the token.
        public let environment: PushEnvironment
        /// The kind of push.
        public let event: SamplePush.Event
        /// Whether the priority is 10 rather than 5.
        public let isUrgent: Bool
    }

    /// The environments that this node sends to, sorted.
    let environments: [PushEnvironment]
    /// The topic of this node's pushes; nil if it is unknown.
    let topic: String?
    let send: @Sendable (TestPush) async throws -> (any Encodable & Sendable)?
    let check: @Sendable () async throws -> [DoctorCheck]

    /// Creates the diagnostics from their functions.
    /// - Parameters:
    ///   - environments: the environments that this node sends to, sorted.
    ///   - topic: the topic of its pushes; nil if it is unknown.
    ///   - send: sends a push and returns the response for the operator; nil if the node does not send to the
    ///     environment.
    ///   - check: checks the connections to APNs.
    public init(
        environments: [PushEnvironment],
        topic: String? = nil,
        send: @escaping @Sendable (TestPush) async throws -> (any Encodable & Sendable)?,
        check: @escaping @Sendable () async throws -> [DoctorCheck]
    ) {
        self.environments = environments
        self.topic = topic
        self.send = send
        self.check = check
    }
}
