import Foundation
import RangersCommandLine

/// Why a request to the server came to nothing.
enum OperatorClientError: CommandFailure {
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
        }
    }

    /// Whether the same request may succeed in a moment.
    var mayPass: Bool {
        switch self {
        case .unreachable, .silent: true
        case .refused(let problem): problem.status.map { $0 == Self.tooManyRequests || $0 >= 500 } ?? false
        case .wrongUsage, .notUnderstood: false
        }
    }

    /// Whether the server is there, and may say without a token what it misses.
    var mayKnowWhatIsMissing: Bool {
        switch self {
        case .refused, .silent: true
        case .unreachable, .notUnderstood, .wrongUsage: false
        }
    }

    /// Whether the request may have been carried out all the same.
    var leavesOpen: Bool {
        switch self {
        case .unreachable(_, _, let mayHaveArrived): mayHaveArrived
        case .silent: true
        case .refused(let problem): problem.status.map(Self.outages.contains) ?? false
        case .wrongUsage, .notUnderstood: false
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .wrongUsage: .wrongUsage
        // Such as a boss that there is not: what the server finds out is as wrong as what the parser does.
        case .refused(let problem) where problem.isWrongUsage: .wrongUsage
        case .refused, .notUnderstood: .failed
        case .unreachable, .silent: .unreachable
        }
    }
}
