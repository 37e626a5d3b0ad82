import CommandLineSupport
import Foundation
import RangersClient

/// An error of a request to the server.
indirect enum OperatorClientError: CommandFailure {
    /// The command line or the environment is incomplete or invalid.
    case wrongUsage(String)
    /// The server responded with an error.
    case problem(ServerProblem)
    /// The response does not conform to the API; `reason` is nil if its JSON cannot be decoded.
    case malformedResponse(URL, reason: String? = nil)
    /// No response arrived; `mayHaveArrived` is false if no connection was established.
    case unreachable(URL, reason: String, mayHaveArrived: Bool)
    /// The server accepted the connection, but did not respond within the timeout.
    case timedOut(URL, after: Duration)
    /// A timeout of the server or the client, with the failed readiness checks of the server, at least one.
    case notReady(Self, failedChecks: [ServerProblem.FieldError])

    private static let tooManyRequests = 429
    /// The statuses of a server, or a proxy in front of it, during an outage.
    private static let outages = 502...504

    var explanation: String {
        switch self {
        case .wrongUsage(let reason): reason
        case .problem(let problem): problem.text
        case .malformedResponse(let server, let reason):
            "malformed response from \(server.absoluteString)\(reason.map { ": \($0)" } ?? ""); "
                + "is it a rangersd of the same version?"
        case .unreachable:
            "\(summary). Is rangersd running there? Use --server, RANGERS_SERVER or a context for another server"
        case .timedOut:
            "\(summary). The server would have reported a timeout of its own, so either the server hangs or the network does; "
                + "if its settings allow longer requests, use a longer --timeout"
        case .notReady(let cause, let failedChecks):
            (["\(Sentence.ended(cause.summary)) It is not ready:"]
                + failedChecks.map { Printable.text("  \($0.field): \($0.reason)") }
                + ["Fix that first; see 'rangersctl doctor'."]).joined(separator: "\n")
        }
    }

    /// A short description without advice.
    var summary: String {
        switch self {
        case .wrongUsage, .malformedResponse: explanation
        case .problem(let problem): problem.summary
        case .unreachable(let server, let reason, _): "no response from \(server.absoluteString): \(reason)"
        case .timedOut(let server, let timeout):
            "no response from \(server.absoluteString): rangersctl gave up after \(timeout.components.seconds) s"
        case .notReady(let cause, let failedChecks):
            "\(cause.summary) (not ready: \(Printable.text(failedChecks.map(\.field).joined(separator: ", "))))"
        }
    }

    /// Whether a retry of the same request may succeed.
    var isTransient: Bool {
        switch self {
        case .unreachable, .timedOut: true
        case .problem(let problem): problem.status == Self.tooManyRequests || problem.status >= 500
        case .notReady(let cause, _): cause.isTransient
        case .wrongUsage, .malformedResponse: false
        }
    }

    /// Whether the server is reachable, so that its readiness checks may explain the error.
    var isServerReachable: Bool {
        switch self {
        case .problem, .timedOut: true
        case .unreachable, .malformedResponse, .wrongUsage, .notReady: false
        }
    }

    /// Whether a timeout of the server or the client expired; the likely reason is a failed readiness check.
    var isTimeout: Bool {
        switch self {
        case .problem(let problem): problem.isTimeout
        case .timedOut: true
        case .unreachable, .malformedResponse, .wrongUsage, .notReady: false
        }
    }

    /// Whether failed readiness checks explain the error.
    var isNotReady: Bool {
        if case .notReady = self { true } else { false }
    }

    /// Whether the server may have carried out the request.
    var isOutcomeUnknown: Bool {
        switch self {
        case .unreachable(_, _, let mayHaveArrived): mayHaveArrived
        case .timedOut: true
        case .problem(let problem): Self.outages.contains(problem.status)
        case .notReady(let cause, _): cause.isOutcomeUnknown
        case .wrongUsage, .malformedResponse: false
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .wrongUsage: .wrongUsage
        // The server's validation counts like that of the parser.
        case .problem(let problem) where problem.isWrongUsage: .wrongUsage
        case .problem, .malformedResponse: .failed
        case .unreachable, .timedOut, .notReady: .unreachable
        }
    }
}
