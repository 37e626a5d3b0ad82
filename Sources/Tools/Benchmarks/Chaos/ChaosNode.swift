import Foundation
import RangersClient
import SimulatedPlayers
import Synchronization

/// One node of the service with its supervisor, which restarts it like an init system.
actor ChaosNode {
    /// A sample of a node's metrics.
    struct Sample: Sendable {
        /// The process identifier; counters begin at zero in each process.
        let process: Int32
        let clockMoves: Double
        /// The ticks of adventures whose end the process recorded.
        let ticks: Double
        let residentBytes: Int
    }

    private static let startTimeout = Duration.seconds(120)
    /// The pause before another attempt to start.
    private static let startPause = Duration.seconds(1)
    /// The time limit for a response: a stopped node accepts connections and does not respond.
    private static let responseTimeout = Duration.seconds(2)

    /// The node's number, from 0.
    nonisolated let number: Int
    /// The roles, such as `api,engine,dispatcher`.
    nonisolated let roles: String
    private let launch: @Sendable () throws -> ChildProgram
    private let addresses: NodeAddresses
    private let transport = PlayersTransport()
    private var program: ChildProgram?
    private var metricsPort: Int?
    /// Whether a fault has killed or stopped the node.
    private(set) var isFaulted = false
    /// The number of starts that failed, for example while the database was down.
    private(set) var failedStarts = 0
    /// The number of exits without a fault.
    private(set) var unexpectedExits = 0

    init(
        _ number: Int,
        _ roles: String,
        addresses: NodeAddresses,
        launch: @escaping @Sendable () throws -> ChildProgram
    ) {
        self.number = number
        self.roles = roles
        self.addresses = addresses
        self.launch = launch
    }

    /// Starts the node, with retries until it serves.
    func start() async throws {
        var failure: (any Error)?
        let serves = try await Polling.until(within: Self.startTimeout, every: Self.startPause) {
            let program = try launch()
            self.program = program
            do {
                let ports = try await program.ports()
                metricsPort = ports.metricsPort
                if roles.contains("api"), let port = ports.httpPort { addresses.set(port, of: number) }
                isFaulted = false
                return true
            } catch {
                program.kill()
                failedStarts += 1
                failure = error
                return false
            }
        }
        if !serves, let failure { throw failure }
    }

    /// Sends SIGKILL.
    func kill() {
        isFaulted = true
        program?.kill()
    }

    /// Sends SIGSTOP.
    func suspend() {
        isFaulted = true
        program?.send(SIGSTOP)
    }

    /// Sends SIGCONT.
    func resume() {
        program?.send(SIGCONT)
        isFaulted = false
    }

    /// Starts the node again if it has exited without a fault.
    func restartIfExited() async throws {
        guard !isFaulted, let program, program.hasExited else { return }
        unexpectedExits += 1
        isFaulted = true
        try await start()
    }

    /// Whether the node is ready and has no fault.
    func isReady() async -> Bool { await get("readyz") != nil }

    /// Samples the metrics; nil without a response.
    func sample() async -> Sample? {
        guard let program, let text = await get("metrics") else { return nil }
        let metrics = MetricsText(text)
        return Sample(
            process: program.processIdentifier,
            clockMoves: metrics.histogram("rangers_clock_move_duration_seconds").count,
            ticks: metrics.sum("rangers_ticks_total"),
            residentBytes: Int(metrics.sum("process_resident_memory_bytes"))
        )
    }

    /// Returns the number of shards that the node's dispatcher follows and sends for; nil without a response.
    func followedShards() async -> Int? {
        await get("metrics").map { Int(MetricsText($0).sum("rangers_dispatcher_shards_leased")) }
    }

    /// Samples the metrics, with retries for 12 s, since a busy machine may delay a response.
    func sampleWithRetries() async -> Sample? {
        var sample: Sample?
        // Throws only in a cancelled task, which gets no sample.
        _ = try? await Polling.until(within: .seconds(12), every: .seconds(1)) {
            sample = await self.sample()
            return sample != nil
        }
        return sample
    }

    /// Returns the body of a successful response of the monitoring port.
    private func get(_ path: String) async -> String? {
        guard !isFaulted, let metricsPort, let url = try? URL.local(port: metricsPort, path: path) else { return nil }
        let request = TransportRequest(
            method: "GET",
            url: url,
            headers: [:],
            body: nil,
            idleTimeout: Self.responseTimeout
        )
        guard let response = try? await transport.send(request), response.status == 200 else { return nil }
        var body = Data()
        do { for try await part in response.body { body += part } } catch { return nil }
        return String(decoding: body, as: UTF8.self)
    }
}

/// The addresses of the nodes with an API, handed out in turns like a load balancer without health checks.
final class NodeAddresses: Sendable {
    private let state = Mutex((ports: [Int: Int](), turn: 0))

    /// Sets the port of a node.
    func set(_ port: Int, of node: Int) { state.withLock { $0.ports[node] = port } }

    /// Returns the port of the next node; nil without any node.
    func next() -> Int? {
        state.withLock { state in
            let ports = state.ports.sorted { $0.key < $1.key }
            guard !ports.isEmpty else { return nil }
            state.turn += 1
            return ports[state.turn % ports.count].value
        }
    }
}
