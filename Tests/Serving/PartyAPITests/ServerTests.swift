import Encodings
import GameCore
import GameEngine
import GameStore
import Logging
import PartyAPI
import PostgresClient
import ServiceLifecycle
import ServiceRuntime
import Testing

@Suite struct ServerTests {
    /// An API without a database, for requests that need none.
    private var api: PartyAPI {
        let pool = PostgresPool(configuration: .init(uri: "postgresql:///nowhere"), logger: logger)
        let store = GameStore(pool: pool)
        let runtime = Runtime(now: { Timestamp(epochSeconds: 0) }, randomBits: { 0 })
        return PartyAPI(
            store: store,
            commands: GameCommands(
                store: store,
                settings: GameSettings(),
                runtime: runtime,
                wakeSignal: WakeSignal()
            ),
            runtime: runtime,
            logger: logger
        )
    }

    private var logger: Logger { Logger(label: "server", factory: { _ in SwiftLogNoOpLogHandler() }) }

    @Test func `a server shuts down although a client keeps its connection`() async throws {
        let (ports, opened) = AsyncStream.makeStream(of: Int.self)
        let services = ServiceGroup(
            services: [api.server(host: "127.0.0.1", port: 0) { opened.yield($0) }],
            logger: logger
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await services.run() }
            let port = try #require(await ports.first { _ in true })
            let client = APIClient(port: port)
            #expect(try await client.send("GET", "/healthz").status == 200)
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
            await #expect(throws: (any Error).self) { try await client.send("GET", "/healthz") }
        }
    }

    @Test func `a server whose port is in use fails`() async throws {
        try await withThrowingTaskGroup { group in
            let (ports, opened) = AsyncStream.makeStream(of: Int.self)
            group.addTask { try await api.server(host: "127.0.0.1", port: 0) { opened.yield($0) }.run() }
            let port = try #require(await ports.first { _ in true })
            await #expect(throws: (any Error).self) { try await api.server(host: "127.0.0.1", port: port).run() }
            group.cancelAll()
        }
    }
}
