import APNsClient
import Cryptography
import GameStore
import Logging
import TestSupport
import Testing

@testable import PushDispatcher

/// What APNs says in one environment says nothing of another.
@Suite struct RouteBoardTests {
    /// A client that sends nothing.
    private func client(of environment: APNsEnvironment) throws -> APNsClient {
        let key = try ProviderKey(pem: try P256PrivateKey.generate().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        return try APNsClient(
            configuration: .init(environment: environment, providerKey: key),
            now: { 0 },
            logger: Logger(label: "test", factory: SwiftLogNoOpLogHandler.init)
        )
    }

    @Test func `a route that is stopped in one environment is open in the others`() throws {
        let logs = LogRecorder()
        let board = RouteBoard(
            of: [.production: try client(of: .production), .sandbox: try client(of: .sandbox)],
            limits: CircuitBreaker.Limits(),
            logger: logs.logger
        )
        let now = ContinuousClock.now
        _ = board.judge(
            .rejected(APNsRejection(status: 429, reason: .tooManyProviderTokenUpdates)),
            for: try #require(DeviceToken(bytes: newToken())),
            .unknown,
            in: .production,
            at: now
        )
        #expect(board.pause(of: .production, for: .unknown, at: now) != nil)
        #expect(!board.takes(.production, for: .unknown, at: now))
        #expect(board.pause(of: .sandbox, for: .unknown, at: now) == nil)
        #expect(board.takes(.sandbox, for: .unknown, at: now))
        let told = logs.lines("APNs refuses everything, and gets no more than a probe now and then")
        #expect(told.map(\.metadata["environment"]) == [PushEnvironment.production.rawValue])
    }
}
