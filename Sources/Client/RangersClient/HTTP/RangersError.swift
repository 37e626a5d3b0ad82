public import Foundation

/// An error of a request to the server.
public enum RangersError: Error, Sendable, CustomStringConvertible {
    /// The server responded with an error.
    case problem(ServerProblem)
    /// No response arrived in any attempt. Whether a write was carried out is unknown.
    case unreachable(URL, reason: String)
    /// The response does not conform to the API.
    case malformedResponse(URL, reason: String)

    /// A description for logs and developers, without the token.
    public var description: String {
        switch self {
        case .problem(let problem): problem.description
        case .unreachable(let url, let reason): "no response from \(url.absoluteString): \(reason)"
        case .malformedResponse(let url, let reason): "malformed response from \(url.absoluteString): \(reason)"
        }
    }

    /// Whether a retry of the same request may succeed.
    var isTransient: Bool {
        switch self {
        case .unreachable: true
        // 429 means an exceeded rate limit, the others a server that is temporarily unavailable, perhaps only to a
        // proxy.
        case .problem(let problem): [429, 502, 503, 504].contains(problem.status)
        case .malformedResponse: false
        }
    }

    /// The delay that the server asked for; nil for none.
    var retryAfter: Duration? {
        guard case .problem(let problem) = self else { return nil }
        return problem.retryAfter
    }
}
