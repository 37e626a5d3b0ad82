public import APNsClient
import Encodings
import Foundation
import GameCore
public import GameStore
public import PushRules
public import ServiceRuntime

/// Sends single pushes for operators who try a phone, or the way to APNs, over the clients of their node: on a dispatcher
/// the very ones that send all others.
///
/// Nothing of the dispatcher's state is touched: neither what it knows of an activity, nor whether it takes a route for
/// broken. So a token that an operator tries and APNs refuses harms nobody.
public struct PushTester: Sendable {
    /// For how long APNs may keep a push for a phone that it cannot reach.
    static let expirationSeconds: Int64 = 5 * 60

    /// One push to a token.
    public struct Test: Sendable {
        /// Whom it is for.
        public let deviceToken: DeviceToken
        /// Where the token is valid.
        public let environment: PushEnvironment
        /// What it does.
        public let event: SamplePush.Event
        /// How urgent it is.
        public let priority: APNsPush.Priority

        /// A push to a token.
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

    /// A tester on a node with a way to APNs.
    /// - Parameters:
    ///   - clients: who sends, by the environment of the token.
    ///   - settings: those of the dispatcher, for the topic.
    ///   - runtime: clock, and randomness for `apns-id`.
    public init(clients: [PushEnvironment: APNsClient], settings: DispatcherSettings, runtime: Runtime) {
        self.clients = clients
        self.settings = settings
        self.runtime = runtime
    }

    /// The environments that this node sends to, in order.
    public var environments: [PushEnvironment] { PushEnvironment.allCases.filter { clients[$0] != nil } }

    /// Sends a push and waits for the answer.
    /// - Returns: nil when this node does not send to the environment.
    /// - Throws: `LiveActivityPayloadError`, for a payload that no sample has.
    public func send(_ test: Test) async throws -> PushReport? {
        guard let client = clients[test.environment] else { return nil }
        let push = try push(for: test)
        return PushReport(of: push, to: client.address, in: test.environment, await client.send(push))
    }

    /// Tries every way to APNs with a token that is nobody's, all at once: each may take until its time is over.
    /// - Returns: what was found, in the order of the environments.
    public func examineRoutes() async throws -> [RouteFinding] {
        try await withThrowingTaskGroup { group in
            for environment in environments {
                group.addTask { (environment, try await examineRoute(environment)) }
            }
            var findings: [PushEnvironment: [RouteFinding]] = [:]
            for try await (environment, found) in group { findings[environment] = found }
            return environments.flatMap { findings[$0] ?? [] }
        }
    }

    private func examineRoute(_ environment: PushEnvironment) async throws -> [RouteFinding] {
        guard let client = clients[environment], let token = DeviceToken(bytes: Self.nobodysToken) else { return [] }
        let test = Test(deviceToken: token, environment: environment, event: .update, priority: .low)
        let push = try push(for: test)
        let outcome = await client.send(push)
        return RouteFinding.findings(
            of: outcome,
            in: environment,
            at: client.address,
            topic: push.topic,
            connections: await client.openConnections
        )
    }

    /// As long as a device's; no phone is given zeros.
    private static let nobodysToken = [UInt8](repeating: 0, count: 32)

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
