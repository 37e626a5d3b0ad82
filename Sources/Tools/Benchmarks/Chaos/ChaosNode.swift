import Foundation
import RangersClient
import SimulatedPlayers

/// One node of the service with whoever looks after it: started again when it ends by itself, as an init system would.
actor ChaosNode {
    /// What a look at a node finds.
    struct Reading: Sendable {
        /// Names the process: one that was started again counts from zero.
        let process: Int32
        let ticks: Double
        let residentBytes: Int
    }

    private static let patience = Duration.seconds(120)
    /// Before one that did not come to serve is started again.
    private static let pause = Duration.seconds(1)

    /// From zero.
    nonisolated let number: Int
    /// Such as `api,engine,dispatcher`.
    nonisolated let roles: String
    private let start: @Sendable (String) throws -> ServiceProgram
    private let addresses: NodeAddresses
    private let probe = NodeProbe()
    private var program: ServiceProgram?
    private var metricsPort: Int?
    /// Whether it is away, or stands still, on purpose.
    private(set) var isStruck = false
    /// How often it was started in vain, as when the database was away.
    private(set) var vainStarts = 0
    /// How often it ended by itself after it had served, which it must not.
    private(set) var deaths = 0

    init(
        _ number: Int,
        _ roles: String,
        at addresses: NodeAddresses,
        start: @escaping @Sendable (String) throws -> ServiceProgram
    ) {
        self.number = number
        self.roles = roles
        self.addresses = addresses
        self.start = start
    }

    /// Starts it, and again if it does not come to serve: a database that is away may keep it from that.
    func begin() async throws {
        var failure: (any Error)?
        let serves = try await Wait.until(atMost: Self.patience, lookingEvery: Self.pause) {
            let program = try start(roles)
            self.program = program
            do {
                let ports = try await program.ports()
                metricsPort = ports.metricsPort
                if roles.contains("api"), let port = ports.httpPort { addresses.set(port, of: number) }
                isStruck = false
                return true
            } catch {
                program.kill()
                vainStarts += 1
                failure = error
                return false
            }
        }
        if !serves, let failure { throw failure }
    }

    /// Ends it as a crash does.
    func kill() {
        isStruck = true
        program?.kill()
    }

    /// Lets it stand still.
    func stop() {
        isStruck = true
        program?.send(SIGSTOP)
    }

    /// Lets it go on.
    func goOn() {
        program?.send(SIGCONT)
        isStruck = false
    }

    /// Starts it again if it ended by itself.
    func lookAfter() async throws {
        guard !isStruck, let program, program.isOver else { return }
        deaths += 1
        isStruck = true
        try await begin()
    }

    /// Whether it serves, says so, and is not struck.
    func isReady() async -> Bool {
        guard let metricsPort, !isStruck else { return false }
        return await probe.get("readyz", at: metricsPort) != nil
    }

    /// What it says of itself; nil while it says nothing.
    func read() async -> Reading? {
        guard let metricsPort, let program, !isStruck, let text = await probe.get("metrics", at: metricsPort) else {
            return nil
        }
        let metrics = MetricsText(text)
        return Reading(
            process: program.identifier,
            ticks: metrics.sum("rangers_ticks_total"),
            residentBytes: Int(metrics.sum("process_resident_memory_bytes"))
        )
    }

    /// Ends it for good.
    func end() {
        program?.send(SIGCONT)
        program?.kill()
    }
}

/// Asks nodes for what machines ask of them.
struct NodeProbe: Sendable {
    /// A node that stands still says nothing.
    private static let longestSilence = Duration.seconds(2)

    private let carrier = PlayersTransport()

    /// What is answered with success; nil when nothing is.
    func get(_ path: String, at port: Int) async -> String? {
        guard let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else { return nil }
        let request = TransportRequest(
            method: "GET",
            url: url,
            headers: [:],
            body: nil,
            longestSilence: Self.longestSilence
        )
        guard let answer = try? await carrier.send(request), answer.status == 200 else { return nil }
        var body = Data()
        do {
            for try await part in answer.body { body += part }
        } catch {
            return nil
        }
        return String(decoding: body, as: UTF8.self)
    }
}
