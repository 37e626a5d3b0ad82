import InMemoryLogging
public import Logging

/// Records the lines of a logger, for tests that inspect them.
public struct LogRecorder: Sendable {
    /// A log line with its metadata as text.
    public struct Line: Sendable {
        /// The level of the line.
        public let level: Logger.Level
        /// The message, without metadata.
        public let message: String
        /// The metadata of the logger and of the call.
        public let metadata: [String: String]
    }

    private let handler = InMemoryLogHandler()

    /// Creates a recorder without lines.
    public init() {}

    /// A logger that writes into this recorder, at every level.
    public var logger: Logger {
        var logger = Logger(label: "test", factory: { _ in handler })
        logger.logLevel = .trace
        return logger
    }

    /// The lines so far, oldest first.
    public var lines: [Line] {
        handler.entries.map { entry in
            Line(
                level: entry.level,
                message: "\(entry.message)",
                metadata: entry.metadata.mapValues { "\($0)" }
            )
        }
    }

    /// Returns the lines with a message, oldest first.
    public func lines(_ message: String) -> [Line] {
        lines.filter { $0.message == message }
    }

    /// The metadata of the access log's lines, oldest first.
    public var requests: [[String: String]] { lines("request").map(\.metadata) }
}
