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
        case admin(Int)
        case metrics(Int)
    }

    let roles: Set<Role>
    /// Whether operators have a server of their own, with the role `api`.
    let hasAdmin: Bool
    /// Whether the node has a metrics server.
    let hasMetrics: Bool
    /// Yields each port when it is bound.
    let ports: AsyncStream<Port>
    let readyFile: ReadyFile?
    let serviceManager: ServiceNotifier
    let logger: Logger

    func run() async throws {
        var bound = ReadyFile.Ports()
        // A node has API servers only with the role `api`, and may have no metrics server.
        func isServing() -> Bool {
            let hasAPI = roles.contains(.api)
            return (bound.httpPort != nil || !hasAPI) && (bound.adminPort != nil || !(hasAPI && hasAdmin))
                && (bound.metricsPort != nil || !hasMetrics)
        }
        if !isServing() {
            for await port in ports.cancelOnGracefulShutdown() {
                switch port {
                case .http(let number): bound.httpPort = number
                case .admin(let number): bound.adminPort = number
                case .metrics(let number): bound.metricsPort = number
                }
                if isServing() { break }
            }
        }
        guard isServing() else { return }
        try notify(bound)
        try await gracefulShutdown()
    }

    private func notify(_ ports: ReadyFile.Ports) throws {
        if let readyFile {
            try write(readyFile, ports)
        }
        serviceManager.notify(.ready)
        var metadata: Logger.Metadata = ["version": "\(RangersVersion.current)", "roles": "\(roles.text)"]
        metadata["httpPort"] = ports.httpPort.map { "\($0)" }
        metadata["adminPort"] = ports.adminPort.map { "\($0)" }
        metadata["metricsPort"] = ports.metricsPort.map { "\($0)" }
        logger.notice("rangersd is serving", metadata: metadata)
    }

    private func write(_ readyFile: ReadyFile, _ ports: ReadyFile.Ports) throws(RangersdFailure) {
        do {
            try readyFile.write(ports)
        } catch {
            throw RangersdFailure(readyFile)
        }
    }
}

extension Set<Role> {
    /// The roles in declaration order, separated by commas.
    var text: String { Role.allCases.filter { contains($0) }.map(\.rawValue).joined(separator: ",") }
}
