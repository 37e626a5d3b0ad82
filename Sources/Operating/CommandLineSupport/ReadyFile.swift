public import Foundation

/// Tells whoever started the process that it is serving, and where: `{"httpPort":8081,"metricsPort":9091,"pid":4711}`.
public struct ReadyFile: Sendable {
    private struct Content: Encodable {
        let httpPort: Int?
        let metricsPort: Int?
        let pid: Int32
    }

    /// Where the file is to be.
    public let url: URL

    /// A ready file at a path.
    public init(path: String) {
        url = URL(filePath: path)
    }

    /// Removes the file of an earlier run, which would be taken for this one's.
    /// - Throws: Foundation's error, unless there is no such file.
    public func clear() throws {
        do {
            try FileManager.default.removeItem(at: url)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            // Nothing was left behind.
        }
    }

    /// Writes the file in one step: whoever sees it sees all of it.
    /// - Parameters:
    ///   - httpPort: where the process serves HTTP, nil when it does not.
    ///   - metricsPort: where it tells its metrics, nil when it does not.
    /// - Throws: Foundation's error.
    public func write(httpPort: Int?, metricsPort: Int? = nil) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let content = Content(
            httpPort: httpPort,
            metricsPort: metricsPort,
            pid: ProcessInfo.processInfo.processIdentifier
        )
        // Atomic: written under another name in the same folder, then renamed.
        try encoder.encode(content).write(to: url, options: .atomic)
    }
}
