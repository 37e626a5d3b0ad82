public import Foundation

/// Why a request has no good answer.
public enum RangersError: Error, Sendable, CustomStringConvertible {
    /// The server said no, and says why.
    case problem(Problem)
    /// No answer came, however often it was tried; whether a write happened is unknown.
    case unreachable(URL, reason: String)
    /// The answer is not what the API promises.
    case notUnderstood(URL, reason: String)

    /// For logs and developers; holds no token.
    public var description: String {
        switch self {
        case .problem(let problem): problem.description
        case .unreachable(let url, let reason): "no answer from \(url.absoluteString): \(reason)"
        case .notUnderstood(let url, let reason):
            "the answer of \(url.absoluteString) is not understood: \(reason)"
        }
    }

    /// Whether the same request may succeed a moment later.
    var mayPass: Bool {
        switch self {
        case .unreachable: true
        // What a proxy says of a server that it does not reach counts as the server's absence.
        case .problem(let problem): [429, 502, 503, 504].contains(problem.status)
        case .notUnderstood: false
        }
    }

    /// What the server asked for, if it did.
    var retryAfter: Duration? {
        guard case .problem(let problem) = self else { return nil }
        return problem.retryAfter
    }
}
