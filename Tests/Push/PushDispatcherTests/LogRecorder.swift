import Logging
import Synchronization

/// Keeps what is logged.
final class LogRecorder: Sendable {
    struct Line: Sendable {
        let message: String
        let metadata: [String: String]
    }

    private let recorded = Mutex<[Line]>([])

    var logger: Logger { Logger(label: "test", factory: { _ in Handler(recorder: self) }) }

    /// The lines with a message.
    func lines(_ message: String) -> [Line] {
        recorded.withLock { lines in lines.filter { $0.message == message } }
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            let line = Line(message: "\(event.message)", metadata: all.mapValues { "\($0)" })
            recorder.recorded.withLock { $0.append(line) }
        }
    }
}
