import Encodings
import GameLog

/// The traces of the requests whose effects an activity does not show yet, oldest first.
struct PendingTraces: Sendable {
    private struct Entry: Sendable {
        /// The moment of the newest entry with the trace.
        let at: Timestamp
        let trace: TraceCarrier
    }

    /// The maximum number of traces: a push links to each of them.
    private static let maxEntries = 8

    private var entries: [Entry] = []

    /// Adds the trace of a log entry; moments ascend.
    mutating func add(_ trace: TraceCarrier, at moment: Timestamp) {
        if entries.last?.trace == trace { entries.removeLast() }
        if entries.count == Self.maxEntries { entries.removeFirst() }
        entries.append(Entry(at: moment, trace: trace))
    }

    /// Removes the traces of the log entries before the oldest pending one.
    /// - Parameter pendingSince: the moment of the oldest pending change; nil if nothing is pending.
    mutating func removeShown(pendingSince: @autoclosure () -> Timestamp?) {
        guard !entries.isEmpty else { return }
        let pendingSince = pendingSince()
        entries.removeAll { entry in pendingSince.map { entry.at < $0 } ?? true }
    }

    /// The traces, oldest first.
    var traces: [TraceCarrier] { entries.map(\.trace) }
}
