import HTTPServing
import HTTPTypes

// Problems of requests that no rule of the game refuses.

extension HTTPProblem {
    static let missingToken = Self(
        kind: .missingToken,
        detail: "Send the header 'Authorization: Bearer' with your token.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers""#]
    )

    static let invalidToken = Self(
        kind: .invalidToken,
        detail: """
            The token is unknown or was revoked. Players' tokens (erp_) are valid for /v1, operators' (ero_) for /admin/v1.
            """,
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers", error="invalid_token""#]
    )

    static let expiredToken = Self(
        kind: .expiredToken,
        detail: "Create a new token for the same name with `rangersd operator create`.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers", error="invalid_token""#]
    )

    static let viewersOnlyRead = Self(
        kind: .viewersOnlyRead,
        detail: "Changes require the token of an operator with the role admin. A dry run accepts any operator's token."
    )

    /// Returns the problem of a player with the maximum number of event streams.
    /// - Parameter limit: the maximum number of event streams of a player.
    /// - Returns: the problem.
    static func tooManyStreams(_ limit: Int) -> Self {
        Self(
            kind: .tooManyRequests,
            detail: "You have \(limit) open event streams on this server, which is the maximum. Close one first.",
            headers: [.retryAfter: "5"]
        )
    }

    static let databaseUnavailable = Self(
        kind: .databaseUnavailable,
        detail: "Retry soon. A write may have succeeded: repeat it with the same Idempotency-Key, if it had one.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )
}
