public import Foundation

/// A file that reports that the process is serving, and its ports: `{"httpPort":8081,"metricsPort":9464,"pid":4711}`.
public struct ReadyFile: Sendable {
    /// The ports of a process, as far as it has them.
    public struct Ports: Sendable {
        /// The port of the API.
        public var httpPort: Int?
        /// The port of the operators' API, if they have one of their own.
        public var adminPort: Int?
        /// The port of the metrics server.
        public var metricsPort: Int?

        /// Creates ports.
        public init(httpPort: Int? = nil, adminPort: Int? = nil, metricsPort: Int? = nil) {
            (self.httpPort, self.adminPort, self.metricsPort) = (httpPort, adminPort, metricsPort)
        }
    }

    private struct Content: Encodable {
        let httpPort: Int?
        let adminPort: Int?
        let metricsPort: Int?
        let pid: Int32
    }

    /// The location of the file.
    public let url: URL

    /// Creates a ready file at a path.
    public init(path: String) {
        url = URL(filePath: path)
    }

    /// Removes the file of an earlier run.
    /// - Throws: Foundation's error, except for a missing file.
    public func clear() throws {
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            // There is no file to remove.
        }
    }

    /// Writes the file atomically.
    /// - Throws: Foundation's error.
    public func write(_ ports: Ports) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let content = Content(
            httpPort: ports.httpPort,
            adminPort: ports.adminPort,
            metricsPort: ports.metricsPort,
            pid: ProcessInfo.processInfo.processIdentifier
        )
        // The file is written under another name in the same folder and renamed.
        try encoder.encode(content).write(to: url, options: .atomic)
    }
}
