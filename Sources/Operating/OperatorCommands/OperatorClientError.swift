import CommandLineSupport
import Foundation

/// Why a request to the server came to nothing.
indirect enum OperatorClientError: CommandFailure {
    /// The command line or the environment lacks something, or it makes no sense.
    case wrongUsage(String)
    /// The server said no.
    case refused(Problem)
    /// The server's answer is none of ours.
    case notUnderstood(URL)
    /// The server gave no answer; it may have got the request all the same, unless nobody took the connection.
    case unreachable(URL, reason: String, mayHaveArrived: Bool)
    /// The connection is there, and nothing comes: whoever waited gave up, and not the server.
    case silent(URL, waited: Duration)
    /// The server gave up, or nothing came from it, and `/readyz` says what it misses: at least one thing.
    case notReady(Self, missing: [Problem.FieldError])

    private static let tooManyRequests = 429
    /// Of a server, or of a proxy before it, that is out of order for a moment.
    private static let outages = 502...504

    var explanation: String {
        switch self {
        case .wrongUsage(let reason): reason
        case .refused(let problem): problem.text
        case .notUnderstood(let server):
            "the answer of \(server.absoluteString) is not understood; is that rangersd, and of the same version?"
        case .unreachable: "\(summary). Is rangersd running there? --server or RANGERS_SERVER names another"
        case .silent:
            "\(summary). A server says so itself when it gives up, also while its database hangs: it is the server that hangs, "
                + "or what is between; or its requests may take longer, and --timeout waits longer"
        case .notReady(let cause, let missing):
            (["\(Sentence.ended(cause.summary)) It says what it misses:"]
                + missing.map { Printable.text("  \($0.field): \($0.reason)") }
                + ["Mend that first; 'rangersctl doctor' tells more."]).joined(separator: "\n")
        }
    }

    /// In half a sentence, for whoever waits.
    var summary: String {
        switch self {
        case .wrongUsage, .notUnderstood: explanation
        case .refused(let problem): problem.summary
        case .unreachable(let server, let reason, _): "no answer from \(server.absoluteString): \(reason)"
        case .silent(let server, let patience):
            "no answer from \(server.absoluteString): rangersctl gave up after \(patience.components.seconds) s"
        case .notReady(let cause, let missing):
            "\(cause.summary) (it misses: \(Printable.text(missing.map(\.field).joined(separator: ", "))))"
        }
    }

    /// Whether the same request may succeed in a moment.
    var mayPass: Bool {
        switch self {
        case .unreachable, .silent: true
        case .refused(let problem): problem.status.map { $0 == Self.tooManyRequests || $0 >= 500 } ?? false
        case .notReady(let cause, _): cause.mayPass
        case .wrongUsage, .notUnderstood: false
        }
    }

    /// Whether the server is there, and may say without a token what it misses.
    var mayKnowWhatIsMissing: Bool {
        switch self {
        case .refused, .silent: true
        case .unreachable, .notUnderstood, .wrongUsage, .notReady: false
        }
    }

    /// Whether what the server misses is the likely reason.
    var isExplainedByWhatIsMissing: Bool {
        switch self {
        case .refused(let problem): problem.isGivingUp
        case .silent: true
        case .unreachable, .notUnderstood, .wrongUsage, .notReady: false
        }
    }

    /// Whether it is known why the server gives no answer.
    var namesWhatIsMissing: Bool {
        if case .notReady = self { true } else { false }
    }

    /// Whether the request may have been carried out all the same.
    var leavesOpen: Bool {
        switch self {
        case .unreachable(_, _, let mayHaveArrived): mayHaveArrived
        case .silent: true
        case .refused(let problem): problem.status.map(Self.outages.contains) ?? false
        case .notReady(let cause, _): cause.leavesOpen
        case .wrongUsage, .notUnderstood: false
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .wrongUsage: .wrongUsage
        // Such as a boss that there is not: what the server finds out is as wrong as what the parser does.
        case .refused(let problem) where problem.isWrongUsage: .wrongUsage
        case .refused, .notUnderstood: .failed
        case .unreachable, .silent, .notReady: .unreachable
        }
    }
}
