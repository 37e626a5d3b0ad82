public import Encodings
public import GameCore
import GameStore

extension GameCommands {
    /// Links an Apple account to a player, or keeps it linked.
    /// - Parameters:
    ///   - accountHash: the SHA-256 of the account.
    ///   - issuedAt: the time at which Apple issued the identity token.
    ///   - playerID: the player.
    ///   - request: the request; nil without an idempotency key.
    /// - Returns: the response.
    /// - Throws: ``CommandError/appleAccountTaken``, ``CommandError/otherAppleAccount``,
    ///   ``CommandError/unknownPlayer``; errors of the store.
    public func linkAppleAccount(
        _ accountHash: [UInt8],
        tokenIssuedAt issuedAt: Timestamp,
        to playerID: PlayerID,
        request: IdempotentRequest?
    ) async throws -> EncodedResponse {
        guard try await store.player(playerID) != nil else { throw CommandError.unknownPlayer }
        return try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
            switch try await transaction.linkAppleAccount(accountHash, tokenIssuedAt: issuedAt, to: playerID) {
            case .linked: EncodedResponse(status: 204, body: "")
            case .taken: throw CommandError.appleAccountTaken
            case .otherAccount: throw CommandError.otherAppleAccount
            }
        }
    }

    /// Unlinks a player's Apple account, if one is linked.
    public func unlinkAppleAccount(
        of playerID: PlayerID,
        request: IdempotentRequest?
    ) async throws -> EncodedResponse {
        try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
            transaction.unlinkAppleAccount(of: playerID)
            return EncodedResponse(status: 204, body: "")
        }
    }

    /// Issues a token to the player who has linked an Apple account, and uses the identity token up.
    ///
    /// The player's other tokens stay valid: the token may be that of another device.
    /// - Parameters:
    ///   - accountHash: the SHA-256 of the account.
    ///   - issuedAt: the time at which Apple issued the identity token.
    ///   - request: the request; nil without an idempotency key.
    ///   - tokenHash: returns the hash of the token that is derived from the random bytes.
    /// - Returns: the response.
    /// - Throws: ``CommandError/unknownAppleAccount``, ``CommandError/identityTokenUsed``; errors of the store.
    public func signIn(
        withAppleAccountHash accountHash: [UInt8],
        tokenIssuedAt issuedAt: Timestamp,
        request: IdempotentRequest?,
        tokenHash: @Sendable (_ salt: [UInt8]) -> [UInt8]
    ) async throws -> SaltedResponse {
        guard
            let playerID = try await store.playerID(ofAppleAccountHash: accountHash),
            try await store.player(playerID) != nil
        else { throw CommandError.unknownAppleAccount }
        return try await withSalt(request, of: playerID) { transaction, salt in
            guard
                try await transaction.useAppleToken(ofAccountHash: accountHash, issuedAt: issuedAt, by: playerID)
            else { throw CommandError.identityTokenUsed }
            transaction.addToken(tokenHash(salt), of: playerID)
        }
    }
}
