import APNsClient
import Cryptography
import GameCore
import GameStore
import Logging
import PushDispatch
import TestSupport
import Testing

@testable import PushDispatcher

/// The independence of the circuit breakers of different environments.
@Suite struct CircuitBreakersTests {
    /// Creates a client that sends nothing.
    private func client(of environment: APNsEnvironment) throws -> APNsClient {
        let key = try ProviderKey(pem: try P256PrivateKey.generate().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        return try APNsClient(
            configuration: .init(environment: environment, providerKey: key),
            now: { 0 },
            logger: Logger(label: "test", factory: SwiftLogNoOpLogHandler.init)
        )
    }

    @Test func `an open breaker in one environment leaves the others closed`() throws {
        let logs = LogRecorder()
        let breakers = CircuitBreakers(
            of: [.production: try client(of: .production), .sandbox: try client(of: .sandbox)],
            limits: CircuitBreaker.Limits(),
            logger: logs.logger
        )
        let now = ContinuousClock.now
        _ = breakers.classify(
            PushAnswer(.rejected(APNsRejection(status: 429, reason: .tooManyProviderTokenUpdates))),
            for: newToken(),
            .unknown,
            in: .production,
            at: now
        )
        #expect(breakers.blockedUntil(in: .production, for: .unknown, at: now) != nil)
        #expect(!breakers.tryAcquire(.production, for: .unknown, at: now))
        #expect(breakers.blockedUntil(in: .sandbox, for: .unknown, at: now) == nil)
        #expect(breakers.tryAcquire(.sandbox, for: .unknown, at: now))
        let lines = logs.lines("APNs rejects all pushes; only a probe is sent now and then")
        #expect(lines.map(\.metadata["environment"]) == [PushEnvironment.production.rawValue])
    }
}
