public import Foundation

/// Why a request of a simulated player, or of the check, was not answered as it should be.
public enum ClientError: Error, CustomStringConvertible {
    /// Nobody answered, as long as it was tried.
    case unreachable(URL, reason: String)
    /// The server said no.
    case refused(Refused)
    /// The answer is not what the API promises.
    case notUnderstood(URL, reason: String)
    /// A program that was run did not do what it was asked to.
    case programFailed(String, status: Int32, saying: String)

    /// A refusal: the parts of a problem (RFC 9457) that programs and people need.
    public struct Refused: Sendable {
        /// What was asked.
        public let request: String
        /// The HTTP status.
        public let status: Int
        /// What names the problem, such as `not-your-turn`; empty when the server did not say.
        public let slug: String
        /// What the server says to people.
        public let detail: String
    }

    /// For people.
    public var description: String {
        switch self {
        case .unreachable(let url, let reason):
            "no answer from \(url.absoluteString): \(reason)"
        case .refused(let refused):
            "\(refused.request) was refused with \(refused.status) \(refused.slug): \(refused.detail)"
        case .notUnderstood(let url, let reason):
            "the answer of \(url.absoluteString) is not understood: \(reason)"
        case .programFailed(let name, let status, let words):
            "\(name) failed with status \(status): \(words)"
        }
    }
}
