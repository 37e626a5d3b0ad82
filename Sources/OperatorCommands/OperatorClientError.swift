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
    /// The server gave no answer.
    case unreachable(URL, reason: String)

    var explanation: String {
        switch self {
        case .wrongUsage(let reason): reason
        case .refused(let problem): problem.text
        case .notUnderstood(let server):
            "the answer of \(server.absoluteString) is not understood; is that rangersd, and of the same version?"
        case .unreachable(let server, let reason):
            "no answer from \(server.absoluteString): \(reason). "
                + "Is rangersd running there? --server or RANGERS_SERVER names another"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .wrongUsage: .wrongUsage
        case .refused, .notUnderstood: .failed
        case .unreachable: .unreachable
        }
    }
}
