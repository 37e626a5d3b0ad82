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
        detail: "An admin replaces it with `rangersctl operator rotate`; so does `rangersd operator rotate`.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers", error="invalid_token""#]
    )

    static let viewersOnlyRead = Self(
        kind: .viewersOnlyRead,
        detail: "Changes require the token of an operator with the role admin. A dry run accepts any operator's token."
    )

    static let adminsOnly = Self(
        kind: .adminsOnly,
        detail: "The list of operators, and all data of a player, require the token of an operator with the role admin."
    )

    static let unknownPlayer = Self(
        kind: .unknownPlayer,
        detail: "No player has this identifier, or the player was erased: `rangersctl player find` looks for players."
    )

    static let unknownOperator = Self(
        kind: .unknownOperator,
        detail: "No operator has this name, or the token was revoked: `rangersctl operator create` makes another one."
    )

    static let operatorExists = Self(
        kind: .operatorExists,
        detail:
            "`rangersctl operator rotate` replaces the token. A name can be reused when its token is revoked or expired."
    )

    static let lastAdmin = Self(
        kind: .lastAdmin,
        detail: "Create another admin first. `rangersd operator revoke` revokes the token nevertheless."
    )

    static let appleSignInOff = Self(
        kind: .appleSignInOff,
        detail: "The operators of this server have not set RANGERS_APPLE_KEYS. Recovery codes work nevertheless."
    )

    static let appleKeysUnavailable = Self(
        kind: .appleKeysUnavailable,
        detail: "The server has not got Apple's public keys yet. Retry soon.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    /// Returns the problem of an identity token that is not accepted.
    /// - Parameter reason: the reason in a sentence.
    /// - Returns: the problem.
    static func invalidIdentityToken(_ reason: String) -> Self {
        Self(
            kind: .invalidIdentityToken,
            detail: "\(reason) Request another token with a new nonce from AuthenticationServices, and send it at once."
        )
    }

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

    static let tooManySpectators = Self(
        kind: .tooManyRequests,
        detail: "Too many event streams are open on this server with this link, or with it from your address.",
        headers: [.retryAfter: "5"]
    )

    static let unknownLink = Self(
        kind: .unknownLink,
        detail: "The party is closed to spectators, or has another link by now. Ask its leader for the current one."
    )

    static let outdatedNode = Self(
        kind: .outdatedNode,
        detail: "Nodes of a newer release serve this party. Retry soon: another node may get the request.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    static let shardBusy = Self(
        kind: .shardBusy,
        detail: """
            Another session holds the shard of this party or player, and enough requests wait for it. Retry soon; other \
            shards go on.
            """,
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    static let databaseUnavailable = Self(
        kind: .databaseUnavailable,
        detail: "Retry soon. A write may have succeeded: repeat it with the same Idempotency-Key, if it had one.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )
}
