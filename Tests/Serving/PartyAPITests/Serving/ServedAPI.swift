import Encodings
import GameCore
import GameEngine
import GameStore
import Logging
import PartyAPI
import PostgresClient
import ServiceLifecycle
import ServiceRuntime

/// A server that is asked for nothing which needs its database.
struct ServedAPI: Sendable {
    let port: Int
    let logs: LogRecorder
    let server: ServiceGroup

    /// Serves on a free port while a test's body runs.
    static func with<Result: Sendable>(
        _ limits: ServingLimits = ServingLimits(),
        _ body: @Sendable (ServedAPI) async throws -> Result
    ) async throws -> Result {
        let logs = LogRecorder()
        let pool = PostgresPool(configuration: .init(uri: "postgresql:///nowhere"), logger: logs.logger)
        let store = GameStore(pool: pool)
        let runtime = Runtime(now: { Timestamp(epochSeconds: 0) }, randomBits: { 0 })
        let api = PartyAPI(
            store: store,
            commands: GameCommands(
                store: store,
                settings: GameSettings(),
                runtime: runtime,
                wakeSignal: WakeSignal()
            ),
            runtime: runtime,
            logger: logs.logger
        )
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let server = ServiceGroup(
            services: [api.server(host: "127.0.0.1", port: 0, limits: limits) { opened.yield($0) }],
            logger: logs.logger
        )
        return try await withThrowingTaskGroup { group in
            group.addTask {
                defer { opened.finish() }
                try await server.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.waitForAll()
                throw CancellationError()
            }
            defer { group.cancelAll() }
            return try await body(ServedAPI(port: port, logs: logs, server: server))
        }
    }
}
