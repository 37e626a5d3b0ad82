public import APNsClient
import Encodings
import Foundation
public import GameCore
public import PartyAPI
public import PushDispatcher
public import PushRules
public import ServiceRuntime

/// Sends single pushes for operators who test a phone or the configuration of APNs, over the APNs clients of its node.
///
/// On a dispatcher these are the clients that send all other pushes. A test changes no state of the dispatcher, neither
/// of an activity nor of a circuit breaker, so a test push with a token that APNs rejects affects no other push.
public struct PushTester: Sendable {
    /// The time for which APNs stores a test push for an offline phone, in seconds.
    static let expirationSeconds: Int64 = 5 * 60

    /// One push to a token.
    public struct Test: Sendable {
        /// The token of the phone.
        public let deviceToken: DeviceToken
        /// The environment in which the token is valid.
        public let environment: PushEnvironment
        /// The kind of push.
        public let event: SamplePush.Event
        /// The `apns-priority` of the push.
        public let priority: APNsPush.Priority

        /// Creates a test push.
        public init(
            deviceToken: DeviceToken,
            environment: PushEnvironment,
            event: SamplePush.Event,
            priority: APNsPush.Priority
        ) {
            self.deviceToken = deviceToken
            self.environment = environment
            self.event = event
            self.priority = priority
        }
    }

    private let clients: [PushEnvironment: APNsClient]
    private let settings: DispatcherSettings
    private let runtime: Runtime

    /// Creates the tester of a node.
    /// - Parameters:
    ///   - clients: the APNs clients of the node, by environment.
    ///   - settings: the settings of the dispatcher, for the topic.
    ///   - runtime: the clock, and the randomness of `apns-id`.
    public init(clients: [PushEnvironment: APNsClient], settings: DispatcherSettings, runtime: Runtime) {
        self.clients = clients
        self.settings = settings
        self.runtime = runtime
    }

    /// The topic of all pushes.
    public var topic: String { settings.topic }

    /// The environments that this node sends to, in order.
    public var environments: [PushEnvironment] { PushEnvironment.allCases.filter { clients[$0] != nil } }

    /// Sends a push and waits for its outcome.
    /// - Returns: the report of the push; nil if this node does not send to the environment.
    /// - Throws: `LiveActivityPayloadError` if the payload is too large; sample payloads never are.
    public func send(_ test: Test) async throws -> PushReport? {
        guard let client = clients[test.environment] else { return nil }
        let push = try push(for: test)
        return PushReport(of: push, to: client.address, in: test.environment, await client.send(push))
    }

    /// Tests all APNs environments concurrently, with a token that no device has; each test takes at most the request
    /// timeout.
    /// - Returns: the checks, in the order of the environments.
    /// - Throws: `LiveActivityPayloadError` if the payload is too large; sample payloads never are.
    public func checkEnvironments() async throws -> [DoctorCheck] {
        try await withThrowingTaskGroup { group in
            for environment in environments {
                group.addTask { (environment, try await check(environment)) }
            }
            var checks: [PushEnvironment: [DoctorCheck]] = [:]
            for try await (environment, found) in group { checks[environment] = found }
            return environments.flatMap { checks[$0] ?? [] }
        }
    }

    private func check(_ environment: PushEnvironment) async throws -> [DoctorCheck] {
        guard let client = clients[environment], let token = DeviceToken(bytes: Self.unusedToken) else { return [] }
        let test = Test(deviceToken: token, environment: environment, event: .update, priority: .low)
        let push = try push(for: test)
        let outcome = await client.send(push)
        return DoctorCheck.apns(
            outcome,
            in: environment,
            at: client.address,
            topic: push.topic,
            connections: await client.openConnections
        )
    }

    /// A token of zeros, as long as a device token; no device has it.
    private static let unusedToken = [UInt8](repeating: 0, count: 32)

    private func push(for test: Test) throws -> APNsPush {
        let now = runtime.now()
        var generator = runtime.generator()
        return APNsPush(
            deviceToken: test.deviceToken,
            topic: settings.topic,
            priority: test.priority,
            expirationEpochSeconds: now.epochSeconds + Self.expirationSeconds,
            id: UUID(version7At: now, using: &generator),
            payload: try SamplePush.payload(test.event, timestamp: now.epochSeconds)
        )
    }
}
