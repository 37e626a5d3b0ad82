import APNsClient
import Encodings
import GameCore
import GameStore
import Instrumentation
import Tracing

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
    mutating func removeShown(pendingSince: Timestamp?) {
        entries.removeAll { entry in pendingSince.map { entry.at < $0 } ?? true }
    }

    /// The traces, oldest first.
    var traces: [TraceCarrier] { entries.map(\.trace) }
}

extension APNsPush {
    /// Sends the push in a span that continues the newest of some traces and links to the others.
    ///
    /// A push shows the newest state, and so the effects of several requests.
    /// - Parameters:
    ///   - kind: the kind of the push.
    ///   - environment: the APNs environment.
    ///   - adventureID: the adventure that it shows.
    ///   - traces: the traces of the requests whose effects it shows, oldest first.
    ///   - send: sends the push.
    /// - Returns: the result of `send`.
    func traced(
        as kind: PushLabels.Kind,
        to environment: PushEnvironment,
        of adventureID: AdventureID,
        continuing traces: [TraceCarrier],
        _ send: () async -> APNsOutcome
    ) async -> APNsOutcome {
        await withSpan(
            "push \(kind.rawValue)",
            context: traces.last?.context ?? .topLevel,
            ofKind: .client
        ) { span in
            for trace in traces.dropLast() { span.addLink(SpanLink(context: trace.context, attributes: [:])) }
            let outcome = await send()
            guard span.isRecording else { return outcome }
            span.updateAttributes { attributes in
                attributes["apns.id"] = id.lowercaseText
                attributes["apns.environment"] = environment.rawValue
                attributes["apns.priority"] = priority.rawValue
                attributes["rangers.adventure"] = "\(adventureID)"
                switch outcome {
                case .accepted(_, let uniqueID):
                    attributes["http.response.status_code"] = 200
                    attributes["apns.unique_id"] = uniqueID
                case .rejected(let rejection):
                    attributes["http.response.status_code"] = rejection.status
                    attributes["apns.reason"] = rejection.reason.text
                case .unknown, .neverSent:
                    break
                }
            }
            switch outcome {
            case .accepted: break
            case .rejected(let rejection): span.setStatus(SpanStatus(code: .error, message: rejection.reason.text))
            case .unknown(let failure), .neverSent(let failure):
                span.setStatus(SpanStatus(code: .error, message: "\(failure)"))
            }
            return outcome
        }
    }
}
