public import Foundation

/// A file that reports that the process is serving, and its ports: `{"httpPort":8081,"metricsPort":9464,"pid":4711}`.
public struct ReadyFile: Sendable {
    private struct Content: Encodable {
        let httpPort: Int?
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
    /// - Parameters:
    ///   - httpPort: the port of the API; nil without the API.
    ///   - metricsPort: the port of the metrics server; nil without one.
    /// - Throws: Foundation's error.
    public func write(httpPort: Int?, metricsPort: Int? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let content = Content(
            httpPort: httpPort,
            metricsPort: metricsPort,
            pid: ProcessInfo.processInfo.processIdentifier
        )
        // The file is written under another name in the same folder and renamed.
        try encoder.encode(content).write(to: url, options: .atomic)
    }
}
