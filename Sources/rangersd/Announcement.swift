import Logging
import RangersCommandLine
import RangersSettings
import ServiceLifecycle

/// Says once that the node is up, in the log, in the ready file and to the service manager.
struct Announcement: Service {
    let roles: Set<Role>
    /// Yields the API's port when it listens; nil where there is no API.
    let ports: AsyncStream<Int>?
    let readyFile: ReadyFile?
    let serviceManager: ServiceManager
    let logger: Logger

    func run() async throws {
        guard let ports else {
            try announce(httpPort: nil)
            return try await gracefulShutdown()
        }
        for await port in ports.cancelOnGracefulShutdown() {
            try announce(httpPort: port)
        }
    }

    private func announce(httpPort: Int?) throws {
        if let readyFile {
            try write(readyFile, httpPort: httpPort)
        }
        serviceManager.tell(.ready)
        var metadata: Logger.Metadata = [
            "version": "\(RangersVersion.current)",
            "roles": "\(Role.allCases.filter(roles.contains).map(\.rawValue).joined(separator: ","))",
        ]
        metadata["httpPort"] = httpPort.map { "\($0)" }
        logger.notice("rangersd is serving", metadata: metadata)
    }

    private func write(_ readyFile: ReadyFile, httpPort: Int?) throws(RangersdFailure) {
        do {
            try readyFile.write(httpPort: httpPort)
        } catch {
            throw RangersdFailure(readyFile)
        }
    }
}
