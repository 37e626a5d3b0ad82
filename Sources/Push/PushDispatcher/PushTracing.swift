import APNsClient
import Encodings
import GameCore
import GameLog
import GameStore
import Instrumentation
import PushDispatch
import Tracing

extension OutgoingPush {
    /// Starts the span of the push.
    func startSpan() -> any Span {
        request.startSpan(as: kind, to: environment, of: key.adventureID, continuing: order.traces)
    }
}

extension APNsPush {
    /// Starts the span of the push, which continues the newest of some traces and links to the others.
    ///
    /// A push shows the newest state, and so the effects of several requests.
    /// - Parameters:
    ///   - kind: the kind of the push.
    ///   - environment: the APNs environment.
    ///   - adventureID: the adventure that it shows.
    ///   - traces: the traces of the requests whose effects it shows, oldest first.
    /// - Returns: the span, which `end(with:)` ends.
    func startSpan(
        as kind: PushLabels.Kind,
        to environment: PushEnvironment,
        of adventureID: AdventureID,
        continuing traces: [TraceCarrier]
    ) -> any Span {
        let span = Tracing.startSpan(
            "push \(kind.rawValue)",
            context: traces.last?.context ?? .topLevel,
            ofKind: .client,
            at: DefaultTracerClock.now
        )
        for trace in traces.dropLast() { span.addLink(SpanLink(context: trace.context, attributes: [:])) }
        guard span.isRecording else { return span }
        span.updateAttributes { attributes in
            attributes["apns.id"] = id.lowercaseText
            attributes["apns.environment"] = environment.rawValue
            attributes["apns.priority"] = priority.rawValue
            attributes["rangers.adventure"] = "\(adventureID)"
        }
        return span
    }
}

extension Span {
    /// Ends the span of a push with its outcome.
    func end(with outcome: APNsOutcome) {
        defer { end() }
        guard isRecording else { return }
        switch outcome {
        case .accepted(_, let uniqueID):
            updateAttributes { attributes in
                attributes["http.response.status_code"] = 200
                attributes["apns.unique_id"] = uniqueID
            }
        case .rejected(let rejection):
            updateAttributes { attributes in
                attributes["http.response.status_code"] = rejection.status
                attributes["apns.reason"] = rejection.reason.text
            }
            setStatus(SpanStatus(code: .error, message: rejection.reason.text))
        case .unknown(let failure), .neverSent(let failure):
            setStatus(SpanStatus(code: .error, message: "\(failure)"))
        }
    }
}
