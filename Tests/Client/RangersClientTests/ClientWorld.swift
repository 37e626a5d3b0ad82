import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import PartyAPI
import PostgresClient
import PrivatePostgres
import RangersClient
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// The real API over an empty database, on a real port.
struct ClientWorld: Sendable {
    private static let tick = Duration.seconds(10)

    let port: Int
    let store: GameStore
    private let engine: GameEngine
    private let lapse: Lapse

    /// Runs a test with a world that is torn down afterwards.
    static func with(_ test: @Sendable (ClientWorld) async throws -> Void) async throws {
        let logger = Logger(label: "client world") { _ in SwiftLogNoOpLogHandler() }
        let configuration = PostgresPool.Configuration.patient(
            uri: try await TestDatabases.make(),
            maximumConnections: 4
        )
        let pool = PostgresPool(configuration: configuration, logger: logger)
        let store = GameStore(pool: pool)
        let lapse = Lapse()
        let runtime = Runtime(
            now: { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) + lapse.duration },
            randomBits: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            }
        )
        let settings = GameSettings(journeyTick: tick, bossTurn: .seconds(15))
        let commands = GameCommands(store: store, settings: settings, runtime: runtime, wakeSignal: WakeSignal())
        let api = PartyAPI(
            store: store,
            commands: commands,
            runtime: runtime,
            // A client whose waits take no time comes back faster than the server may notice that it has gone.
            streams: StreamSettings(mostOfPlayer: 1_000),
            logger: logger
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            _ = try await store.migrate()
            let (ports, opened) = AsyncStream.makeStream(of: Int.self)
            group.addTask {
                // The stream ends with the server, so that a server that cannot start fails the test.
                defer { opened.finish() }
                try await api.server(host: "127.0.0.1", port: 0) { opened.yield($0) }.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                try await group.waitForAll()
                throw CancellationError()
            }
            let engine = GameEngine(
                store: store,
                settings: settings,
                runtime: runtime,
                wakeSignal: WakeSignal(),
                logger: logger
            )
            try await test(ClientWorld(port: port, store: store, engine: engine, lapse: lapse))
            group.cancelAll()
        }
    }

    /// The server, at its own port or at that of somebody between.
    func server(port: Int? = nil, _ configuration: RangersConfiguration = .init()) -> RangersServer {
        RangersServer(at: localhost(port ?? self.port), configuration: configuration)
    }

    /// A new player, with what speaks for the player.
    func player(_ name: String = "Ada", playing hero: HeroID = "spouty") async throws -> (PlayerID, PlayerClient) {
        let registered = try await server().register(name, playing: hero)
        return (registered.playerID, server().player(with: registered.token))
    }

    /// A journey of a player alone.
    func journey(of player: PlayerClient) async throws -> AdventureAnswer {
        let party = try await player.createParty(named: "Alone")
        return try await player.startJourney(of: party.partyID, in: "meadow")
    }

    /// What the server knows of a card.
    func activity(_ id: ActivityID, of adventureID: AdventureID) async throws -> Activity? {
        try await store.activities(of: adventureID).first { $0.id == id }
    }

    /// Lets time pass, and the engine play what comes due by it.
    func playTicks(_ count: Int) async throws {
        lapse.grow(by: Self.tick * count)
        _ = try await engine.playRound()
    }
}

/// How much later it is in a world than outside.
private final class Lapse: Sendable {
    private let value = Mutex(Duration.zero)

    var duration: Duration { value.withLock(\.self) }

    func grow(by duration: Duration) { value.withLock { $0 += duration } }
}

/// A port of this machine.
func localhost(_ port: Int) -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("a port is a number") }
    return url
}
