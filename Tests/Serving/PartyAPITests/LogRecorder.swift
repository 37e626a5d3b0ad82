import Logging
import Synchronization

/// Keeps what is logged.
final class LogRecorder: Sendable {
    struct Line: Sendable {
        let level: Logger.Level
        let message: String
        let metadata: [String: String]
    }

    private let recorded = Mutex<[Line]>([])

    var lines: [Line] { recorded.withLock { $0 } }

    /// The lines about requests.
    var requests: [[String: String]] { lines.filter { $0.message == "request" }.map(\.metadata) }

    var logger: Logger {
        var logger = Logger(label: "api", factory: { _ in Handler(recorder: self) })
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(level: event.level, message: "\(event.message)", metadata: all.mapValues { "\($0)" })
            recorder.recorded.withLock { $0.append(line) }
        }
    }
}
