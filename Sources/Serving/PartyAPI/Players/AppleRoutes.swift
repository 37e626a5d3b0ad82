import GameCore
import GameEngine
import HTTPServing
import Hummingbird
import SignInWithApple

/// The routes of Sign in with Apple.
struct AppleRoutes: Sendable {
    let commands: GameCommands
    /// Verifies identity tokens; nil if the server has no keys of Apple.
    let apple: AppleSignIn?

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("v1/players/sign-in", use: authenticator.anyone(signIn))
        router.put("v1/players/me/apple-account", use: authenticator.player(link))
        router.delete("v1/players/me/apple-account", use: authenticator.player(unlink))
    }

    /// Issues a token for an identity token, which is used up.
    ///
    /// The token is derived from the identity token: a repetition with the same idempotency key gets the same one.
    private func signIn(_ request: APIRequest<Void>) async throws -> Response {
        let body: AppleBody = try request.fields()
        let account = try await account(for: body)
        let keyed = try request.idempotentRequest
        let secret = "\(body.identityToken)\n\(keyed?.key ?? "")"
        let stored = try await commands.signIn(
            withAppleAccountHash: account.hash,
            tokenIssuedAt: account.tokenIssuedAt,
            request: keyed
        ) { salt in
            SecretDerivation(from: secret, salt: salt).token.hash
        }
        let token = SecretDerivation(from: secret, salt: stored.salt).token
        return try Response(
            status: .created,
            json: SignedInPlayer(playerID: stored.playerID, token: token.text),
            isReplayed: stored.isReplayed
        )
    }

    private func link(_ request: APIRequest<PlayerID>) async throws -> Response {
        let account = try await account(for: try request.fields())
        return Response(
            try await commands.linkAppleAccount(
                account.hash,
                tokenIssuedAt: account.tokenIssuedAt,
                to: request.caller,
                request: try request.idempotentRequest
            )
        )
    }

    /// Unlinks the account; also while Sign in with Apple is off.
    private func unlink(_ request: APIRequest<PlayerID>) async throws -> Response {
        Response(
            try await commands.unlinkAppleAccount(of: request.caller, request: try request.idempotentRequest)
        )
    }

    private func account(for body: AppleBody) async throws -> AppleAccount {
        guard let apple else { throw HTTPProblem.appleSignInOff }
        do {
            return try await apple.account(ofToken: body.identityToken, nonce: body.nonce)
        } catch let error as IdentityTokenError {
            throw HTTPProblem.invalidIdentityToken("\(error).")
        } catch is AppleKeysError {
            throw HTTPProblem.appleKeysUnavailable
        }
    }
}

private struct SignedInPlayer: Encodable {
    let playerID: PlayerID
    let token: String
}
