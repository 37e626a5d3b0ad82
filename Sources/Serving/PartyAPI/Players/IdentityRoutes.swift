import Encodings
import GameCore
import GameEngine
import GameStore
import HTTPServing
import Hummingbird

/// The routes of players' tokens and recovery codes.
///
/// The secrets of a response are derived from a secret of the request, so that a repeated request gets the same ones.
struct IdentityRoutes: Sendable {
    let store: GameStore
    let commands: GameCommands

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/players/recover", use: authenticator.anyone(recover))
        router.post("v1/players/me/recovery-code", use: authenticator.tokenHolder(renewRecoveryCode))
        router.post("v1/players/me/token", use: authenticator.tokenHolder(exchangeToken))
        router.delete("v1/players/me/token", use: authenticator.tokenHolder(revokeToken))
        router.get("v1/players/me/tokens", use: authenticator.tokenHolder(listTokens))
        router.delete("v1/players/me/tokens", use: authenticator.tokenHolder(revokeOtherTokens))
        router.delete("v1/players/me/tokens/{tokenID}", use: authenticator.player(revokeListedToken))
    }

    /// Issues a token and another recovery code for a recovery code.
    private func recover(_ request: APIRequest<Void>) async throws -> Response {
        let body: RecoveryBody = try request.fields()
        let keyed = try request.idempotentRequest
        guard let code = body.recoveryCode else { throw CommandError.unknownRecoveryCode }
        let secret = Self.secret(code.text, keyed)
        let stored = try await commands.recover(codeHash: code.hash, request: keyed) { salt in
            SecretDerivation(from: secret, salt: salt).hashes
        }
        let secrets = SecretDerivation(from: secret, salt: stored.salt)
        return try Response(
            status: .created,
            json: RecoveredPlayer(
                playerID: stored.playerID,
                token: secrets.token.text,
                recoveryCode: secrets.recoveryCode.text
            ),
            isReplayed: stored.isReplayed
        )
    }

    private func renewRecoveryCode(_ request: APIRequest<TokenHolder>) async throws -> Response {
        let keyed = try request.idempotentRequest
        let secret = Self.secret(request.caller.token.text, keyed)
        let stored = try await commands.renewRecoveryCode(of: request.caller.playerID, request: keyed) { salt in
            SecretDerivation(from: secret, salt: salt).recoveryCode.hash
        }
        let code = SecretDerivation(from: secret, salt: stored.salt).recoveryCode
        return try Response(json: ["recoveryCode": code.text], isReplayed: stored.isReplayed)
    }

    /// Issues another token; its first use revokes that of the request.
    private func exchangeToken(_ request: APIRequest<TokenHolder>) async throws -> Response {
        let keyed = try request.idempotentRequest
        let secret = Self.secret(request.caller.token.text, keyed)
        let stored = try await commands.exchangeToken(
            withHash: request.caller.tokenHash,
            of: request.caller.playerID,
            request: keyed
        ) { salt in SecretDerivation(from: secret, salt: salt).token.hash }
        let token = SecretDerivation(from: secret, salt: stored.salt).token
        return try Response(json: ["token": token.text], isReplayed: stored.isReplayed)
    }

    private func revokeToken(_ request: APIRequest<TokenHolder>) async throws -> Response {
        try await store.revokeToken(request.caller.tokenHash)
        return Response(status: .noContent)
    }

    private func listTokens(_ request: APIRequest<TokenHolder>) async throws -> Response {
        let current = TokenID(ofTokenHash: request.caller.tokenHash)
        let tokens = try await store.tokens(of: request.caller.playerID)
        return try Response(json: ["tokens": tokens.map { TokenView($0, isCurrent: $0.id == current) }])
    }

    private func revokeOtherTokens(_ request: APIRequest<TokenHolder>) async throws -> Response {
        try await store.revokeTokens(of: request.caller.playerID, exceptTokenHash: request.caller.tokenHash)
        return Response(status: .noContent)
    }

    private func revokeListedToken(_ request: APIRequest<PlayerID>) async throws -> Response {
        Response(
            try await commands.revokeToken(request.tokenID, of: request.caller, request: request.idempotentRequest)
        )
    }

    /// Returns the secret of a request: of two requests with the same key, each gets secrets of its own.
    private static func secret(_ text: String, _ request: IdempotentRequest?) -> String {
        "\(text)\n\(request?.key ?? "")"
    }
}

private struct RecoveredPlayer: Encodable {
    let playerID: PlayerID
    let token: String
    let recoveryCode: String
}

/// A token of the caller, without its secret.
private struct TokenView: Encodable {
    let tokenID: TokenID
    let issuedAt: String
    /// The last use, to a day; nil for a token that was never used.
    let lastUsedAt: String?
    /// Whether the request has this token.
    let isCurrent: Bool

    init(_ token: StoredToken, isCurrent: Bool) {
        tokenID = token.id
        issuedAt = token.issuedAt.rfc3339
        lastUsedAt = token.lastUsedAt?.rfc3339
        self.isCurrent = isCurrent
    }
}
