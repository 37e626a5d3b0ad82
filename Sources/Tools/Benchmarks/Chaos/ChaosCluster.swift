import Foundation
import RangersClient
import ServiceRuntime
import SimulatedPlayers

/// The system under test: PostgreSQL, the APNs simulator with devices, three nodes, and their observers.
struct ChaosCluster: Sendable {
    /// The roles of the nodes, of which a smaller cluster has the first: two with an API, all with an engine and a
    /// dispatcher.
    static let roles = ["api,engine,dispatcher", "engine,dispatcher", "api,engine,dispatcher"]
    /// The time for which a player retries a request: longer than any outage.
    private static let retryTime = Duration.seconds(300)
    private static let playerPause = Duration.milliseconds(400)
    /// Settings with push budgets that are never spent.
    private static let settings = [
        "RANGERS_CADENCE_STANDARD_TURN_SPACING": "2s", "RANGERS_CADENCE_STANDARD_LOW_SPACING": "2s",
        "RANGERS_CADENCE_STANDARD_HIGH_CAPACITY": "1000", "RANGERS_CADENCE_STANDARD_HIGH_REFILL": "1s",
    ]
    private static let budgets = ["--frequent-budget", "1000000", "--standard-budget", "1000000"]

    let database: ChaosDatabase
    /// Whether the database loses commits during the run.
    let losesCommits: Bool
    /// The time between two ticks of a journey, and between two turns of a boss fight.
    let interval: Duration
    let launcher: ServiceLauncher
    let simulator: SimulatorClient
    let recorder: PushRecorder
    let addresses = NodeAddresses()
    let nodes: [ChaosNode]
    /// The relays between the nodes and their peers, by node; empty if the network has no faults.
    let relays: [[ChaosFault.Link.Peer: ChaosRelay]]
    let journal: RequestJournal
    let observer: ChaosObserver
    let players: AutonomousParty.Dependencies
    /// A file with the token of an operator.
    let tokenFile: URL
    let simulatorProgram: ChildProgram

    /// Starts a cluster, which stops when this process ends.
    ///
    /// - Parameters:
    ///   - interval: the time between two ticks of a journey, and between two turns of a boss fight.
    ///   - hasFaults: whether the nodes reach PostgreSQL and APNs through relays, and the requests to parties and
    ///     adventures are recorded.
    ///   - count: the number of nodes, at most as many as there are ``roles``.
    ///   - losesCommits: whether the database loses commits during the run.
    /// - Throws: the error of starting a part.
    init(
        interval: Duration,
        hasFaults: Bool = false,
        nodes count: Int = Self.roles.count,
        losesCommits: Bool = false
    ) async throws {
        self.interval = interval
        self.losesCommits = losesCommits
        journal = RequestJournal(recordsHistory: hasFaults)
        let database = try await ChaosDatabase()
        self.database = database
        let launcher = try await ServiceLauncher()
        self.launcher = launcher
        simulatorProgram = try launcher.startSimulator(Self.budgets)
        let ports = try await simulatorProgram.ports()
        simulator = SimulatorClient(at: try ports.httpURL)
        recorder = PushRecorder(of: simulator)
        let addresses = addresses
        let apnsPort = ports.apnsPort ?? 0
        let relays: [[ChaosFault.Link.Peer: ChaosRelay]] = try (0..<count).map { _ in
            guard hasFaults else { return [:] }
            return [
                .database: try ChaosRelay(to: .unix(database.socketPath)), .apns: try ChaosRelay(to: .port(apnsPort)),
            ]
        }
        self.relays = relays
        nodes = Self.roles.prefix(count).enumerated().map { number, roles in
            ChaosNode(number, roles, addresses: addresses) {
                try launcher.startNode(
                    roles,
                    on: relays[number][.database].map { database.uri(atRelay: $0.port) } ?? database.uri,
                    apnsPort: relays[number][.apns]?.port ?? apnsPort,
                    interval: interval,
                    settings: Self.settings
                )
            }
        }
        observer = ChaosObserver(nodes)
        for node in nodes { try await node.start() }
        tokenFile = try await launcher.createOperator("chaos", on: database.uri)
        players = AutonomousParty.Dependencies(
            // The transport sends requests to all nodes in turns.
            server: try .local(port: addresses.next()),
            simulator: simulator,
            transport: JournalingTransport(to: addresses, journal: journal) { Runtime.system.now() },
            retryTimeLimit: Self.retryTime,
            pollInterval: Self.playerPause
        )
    }

    /// Restarts nodes that exit without a fault, until the task is cancelled.
    func superviseNodes() async throws {
        while !Task.isCancelled {
            for node in nodes { try await node.restartIfExited() }
            await Polling.pause(.milliseconds(250))
        }
    }

    /// Returns the results of the nodes whose memory was observed.
    func nodeResults() async -> [ChaosResult.Node] {
        let memory = observer.memory
        var results: [ChaosResult.Node] = []
        for node in nodes {
            guard let memory = memory[node.number] else { continue }
            results.append(
                ChaosResult.Node(
                    number: node.number + 1,
                    roles: node.roles,
                    memory: memory,
                    failedStarts: await node.failedStarts,
                    unexpectedExits: await node.unexpectedExits
                )
            )
        }
        return results
    }
}
