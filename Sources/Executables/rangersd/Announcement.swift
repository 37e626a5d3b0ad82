import CommandLineSupport
import Logging
import RangersSettings
import ServiceLifecycle

/// Says once that the node is up, in the log, in the ready file and to the service manager.
struct Announcement: Service {
    /// A port on which the node listens by now.
    enum Port: Sendable {
        case http(Int)
        case metrics(Int)
    }

    let roles: Set<Role>
    /// Whether there will be a port for metrics.
    let hasMetrics: Bool
    /// Yields each port when the node listens on it.
    let ports: AsyncStream<Port>
    let readyFile: ReadyFile?
    let serviceManager: ServiceManager
    let logger: Logger

    func run() async throws {
        var httpPort: Int?
        var metricsPort: Int?
        // For those that there will not be nobody waits.
        func isUp() -> Bool { (httpPort != nil || !roles.contains(.api)) && (metricsPort != nil || !hasMetrics) }
        if !isUp() {
            for await port in ports.cancelOnGracefulShutdown() {
                switch port {
                case .http(let number): httpPort = number
                case .metrics(let number): metricsPort = number
                }
                if isUp() { break }
            }
        }
        guard isUp() else { return }
        try announce(httpPort: httpPort, metricsPort: metricsPort)
        try await gracefulShutdown()
    }

    private func announce(httpPort: Int?, metricsPort: Int?) throws {
        if let readyFile {
            try write(readyFile, httpPort: httpPort, metricsPort: metricsPort)
        }
        serviceManager.tell(.ready)
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
    /// In the order of their declaration, separated by commas.
    var text: String { Role.allCases.filter { contains($0) }.map(\.rawValue).joined(separator: ",") }
}
