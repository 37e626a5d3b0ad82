import CommandLineSupport
import Logging
import NodeSettings
import RangersSettings
import ServiceLifecycle

/// Reports once that the node is serving: in the ready file, to the service manager and in the log.
struct StartupNotifier: Service {
    /// A port that a server of the node has bound.
    enum Port: Sendable {
        case http(Int)
        case metrics(Int)
    }

    let roles: Set<Role>
    /// Whether the node has a metrics server.
    let hasMetrics: Bool
    /// Yields each port when it is bound.
    let ports: AsyncStream<Port>
    let readyFile: ReadyFile?
    let serviceManager: ServiceNotifier
    let logger: Logger

    func run() async throws {
        var httpPort: Int?
        var metricsPort: Int?
        // A node has an API server only with the role `api`, and may have no metrics server.
        func isServing() -> Bool { (httpPort != nil || !roles.contains(.api)) && (metricsPort != nil || !hasMetrics) }
        if !isServing() {
            for await port in ports.cancelOnGracefulShutdown() {
                switch port {
                case .http(let number): httpPort = number
                case .metrics(let number): metricsPort = number
                }
                if isServing() { break }
            }
        }
        guard isServing() else { return }
        try notify(httpPort: httpPort, metricsPort: metricsPort)
        try await gracefulShutdown()
    }

    private func notify(httpPort: Int?, metricsPort: Int?) throws {
        if let readyFile {
            try write(readyFile, httpPort: httpPort, metricsPort: metricsPort)
        }
        serviceManager.notify(.ready)
        var metadata: Logger.Metadata = ["version": "\(RangersVersion.current)", "roles": "\(roles.text)"]
        metadata["httpPort"] = httpPort.map { "\($0)" }
        metadata["metricsPort"] = metricsPort.map { "\($0)" }
        logger.notice("rangersd is serving", metadata: metadata)
    }

    private func write(_ readyFile: ReadyFile, httpPort: Int?, metricsPort: Int?) throws(RangersdFailure) {
        do {
            try readyFile.write(httpPort: httpPort, metricsPort: metricsPort)
        } catch {
            throw RangersdFailure(readyFile)
        }
    }
}

extension Set<Role> {
    /// The roles in declaration order, separated by commas.
    var text: String { Role.allCases.filter { contains($0) }.map(\.rawValue).joined(separator: ",") }
}
