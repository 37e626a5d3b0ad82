import Foundation
import GameCore
import GameStore
import ServiceRuntime
import SimulatedPlayers

/// All that a run of chaos consists of: PostgreSQL, APNs with phones, three nodes, and who watches them.
struct ChaosWorld: Sendable {
    /// Any mix: two with an API, all with an engine and a dispatcher.
    static let roles = ["api,engine,dispatcher", "engine,dispatcher", "api,engine,dispatcher"]
    /// How long a player goes on asking: longer than anything is away.
    private static let patience = Duration.seconds(300)
    private static let pauseOfPlayers = Duration.milliseconds(400)
    private static let diskMegabytes = 512
    /// In place of what real phones and budgets are given, so that nothing waits for an hour's share of pushes.
    private static let settings = [
        "RANGERS_LIMIT_TOKEN_BURST": "0",
        "RANGERS_LIMIT_ADDRESS_BURST": "0",
        "RANGERS_LIMIT_REGISTRATION_BURST": "0",
        "RANGERS_LIMIT_WRONG_CODE_BURST": "0",
        "RANGERS_CADENCE_STANDARD_TURN_SPACING": "2s",
        "RANGERS_CADENCE_STANDARD_LOW_SPACING": "2s",
        "RANGERS_CADENCE_STANDARD_HIGH_CAPACITY": "1000",
        "RANGERS_CADENCE_STANDARD_HIGH_REFILL": "1s",
    ]
    private static let budgets = ["--frequent-budget", "1000000", "--standard-budget", "1000000"]

    let database: ChaosDatabase
    /// Between two ticks of a journey, and two turns of a boss fight.
    let interval: Duration
    let system: LiveSystem
    let simulator: SimulatorClient
    let witness: PushWitness
    let addresses = NodeAddresses()
    let nodes: [ChaosNode]
    let journal = ChaosJournal()
    let observer: ChaosObserver
    let players: PlayingParty.Dependencies
    /// The operator's.
    let tokenFile: URL
    let simulatorProgram: ServiceProgram

    /// Starts everything.
    /// - Parameter interval: between two ticks of a journey, and two turns of a boss fight.
    /// - Returns: the world, which serves.
    /// - Throws: what keeps any of it from starting; nothing of it runs then.
    static func begin(interval: Duration) async throws -> ChaosWorld {
        let database = try await ChaosDatabase(diskMegabytes: diskMegabytes)
        do {
            return try await ChaosWorld(on: database, interval: interval)
        } catch {
            await database.end()
            throw error
        }
    }

    private init(on database: ChaosDatabase, interval: Duration) async throws {
        self.database = database
        self.interval = interval
        let system = try await LiveSystem()
        self.system = system
        simulatorProgram = try system.startSimulator(Self.budgets)
        let ports = try await simulatorProgram.ports()
        let simulatorURL = try Self.url(ports.httpPort)
        simulator = SimulatorClient(at: simulatorURL)
        witness = PushWitness(port: ports.httpPort ?? 0)
        let addresses = addresses
        nodes = Self.roles.enumerated().map { number, roles in
            ChaosNode(number, roles, at: addresses) { roles in
                try system.startNode(
                    roles,
                    on: database.uri,
                    apnsPort: ports.apnsPort ?? 0,
                    interval: interval,
                    settings: Self.settings
                )
            }
        }
        observer = ChaosObserver(nodes)
        do {
            for node in nodes { try await node.begin() }
            tokenFile = try await system.makeOperator("chaos", on: database.uri)
            players = PlayingParty.Dependencies(
                // The transport sends requests to all of them in turn.
                server: try Self.url(addresses.next()),
                simulator: simulator,
                transport: ChaosTransport(to: addresses, journal: journal) { Runtime.system.now() },
                patience: Self.patience,
                pause: Self.pauseOfPlayers
            )
        } catch {
            simulatorProgram.kill()
            for node in nodes { await node.end() }
            throw error
        }
    }

    /// Ends everything.
    func end() async {
        for node in nodes { await node.end() }
        simulatorProgram.kill()
        await database.end()
    }

    private static func url(_ port: Int?) throws -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port ?? 0)") else {
            throw MeasurementFailure("there is no port")
        }
        return url
    }
}
