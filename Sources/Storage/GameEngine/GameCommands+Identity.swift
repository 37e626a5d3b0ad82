import Encodings
public import GameCore
public import GameStore
import ServiceRuntime

/// The hashes of the secrets that a response shows once: a token and a recovery code.
public struct SecretHashes: Sendable, Hashable {
    /// The SHA-256 of the token.
    public let token: [UInt8]
    /// The SHA-256 of the recovery code; nil if the response has none.
    public let recoveryCode: [UInt8]?

    /// Creates hashes.
    public init(token: [UInt8], recoveryCode: [UInt8]? = nil) {
        self.token = token
        self.recoveryCode = recoveryCode
    }
}

/// The response to a command that issues secrets: instead of the secrets it has the random bytes from which they are
/// derived, together with a secret of the request.
///
/// So a repeated request gets the same secrets, although none of them is stored.
public struct SaltedResponse: Sendable, Hashable {
    /// The player.
    public let playerID: PlayerID
    /// The random bytes.
    public let salt: [UInt8]
    /// Whether the response is that of an earlier request with the same idempotency key.
    public let isReplayed: Bool
}

extension GameCommands {
    /// Registers a player with the hashes of secrets created by the caller.
    public func register(
        displayName: Name,
        hero: HeroID,
        tokenHash: [UInt8],
        recoveryCodeHash: [UInt8]? = nil
    ) async throws -> Player {
        let player = Player(id: newPlayerID(), displayName: displayName.text, hero: hero)
        try await insert(player, SecretHashes(token: tokenHash, recoveryCode: recoveryCodeHash))
        return player
    }

    /// Registers a player, or returns the player whom an earlier request with the same idempotency key has registered.
    /// - Parameters:
    ///   - displayName: the name.
    ///   - hero: the hero.
    ///   - request: the request. Its key is a random UUID, since anyone who repeats the request gets the player's token.
    ///   - keyHash: a SHA-256 of the key, which is stored instead of it.
    ///   - hashes: returns the hashes of the secrets that are derived from the random bytes.
    /// - Returns: the response.
    /// - Throws: ``CommandError/keyReused``; errors of the store.
    public func register(
        displayName: Name,
        hero: HeroID,
        request: IdempotentRequest,
        keyHash: [UInt8],
        hashes: @Sendable (_ salt: [UInt8]) -> SecretHashes
    ) async throws -> SaltedResponse {
        let new = Registration(playerID: newPlayerID(), requestHash: request.hash, salt: randomBytes(32))
        let stored = try await store.claim(
            new,
            keyHash: keyHash,
            at: try await store.now(),
            livingFor: Self.idempotencyRecordLifetime
        )
        guard stored.requestHash == request.hash else { throw CommandError.keyReused }
        let isReplayed = stored.playerID != new.playerID
        // The player is stored last: without one, the earlier request was interrupted, or is in progress.
        var isComplete = false
        if isReplayed { isComplete = try await store.player(stored.playerID) != nil }
        if !isComplete {
            let player = Player(id: stored.playerID, displayName: displayName.text, hero: hero)
            try await insert(player, hashes(stored.salt))
        }
        return SaltedResponse(playerID: stored.playerID, salt: stored.salt, isReplayed: isReplayed)
    }

    /// Issues another token to a player in exchange for one, which the first use of the new one revokes.
    /// - Parameters:
    ///   - replacedHash: the SHA-256 of the token to replace.
    ///   - playerID: the player.
    ///   - request: the request; nil without an idempotency key.
    ///   - tokenHash: returns the hash of the token that is derived from the random bytes.
    /// - Returns: the response.
    /// - Throws: ``CommandError/unknownPlayer``; errors of the store.
    public func exchangeToken(
        withHash replacedHash: [UInt8],
        of playerID: PlayerID,
        request: IdempotentRequest?,
        tokenHash: @Sendable (_ salt: [UInt8]) -> [UInt8]
    ) async throws -> SaltedResponse {
        guard try await store.player(playerID) != nil else { throw CommandError.unknownPlayer }
        return try await withSalt(request, of: playerID) { transaction, salt in
            transaction.addToken(tokenHash(salt), of: playerID, replacing: replacedHash)
        }
    }

    /// Issues a token and a recovery code to the player with a recovery code.
    ///
    /// The presented code is used up by the first use of the token, not before. The player's other tokens stay valid: the
    /// token may be that of another device.
    /// - Parameters:
    ///   - codeHash: the SHA-256 of the presented code.
    ///   - request: the request; nil without an idempotency key.
    ///   - hashes: returns the hashes of the secrets that are derived from the random bytes.
    /// - Returns: the response.
    /// - Throws: ``CommandError/unknownRecoveryCode``; errors of the store.
    public func recover(
        codeHash: [UInt8],
        request: IdempotentRequest?,
        hashes: @Sendable (_ salt: [UInt8]) -> SecretHashes
    ) async throws -> SaltedResponse {
        guard let playerID = try await store.playerID(ofRecoveryCodeHash: codeHash) else {
            throw CommandError.unknownRecoveryCode
        }
        return try await withSalt(request, of: playerID) { transaction, salt in
            let secrets = hashes(salt)
            guard
                let newCodeHash = secrets.recoveryCode,
                try await transaction.recover(
                    playerID,
                    withCodeHash: codeHash,
                    tokenHash: secrets.token,
                    newCodeHash: newCodeHash
                )
            else { throw CommandError.unknownRecoveryCode }
        }
    }

    /// Issues a recovery code to a player, which replaces the earlier one at once.
    /// - Parameters:
    ///   - playerID: the player.
    ///   - request: the request; nil without an idempotency key.
    ///   - codeHash: returns the hash of the code that is derived from the random bytes.
    /// - Returns: the response.
    /// - Throws: ``CommandError/unknownPlayer``; errors of the store.
    public func renewRecoveryCode(
        of playerID: PlayerID,
        request: IdempotentRequest?,
        codeHash: @Sendable (_ salt: [UInt8]) -> [UInt8]
    ) async throws -> SaltedResponse {
        guard try await store.player(playerID) != nil else { throw CommandError.unknownPlayer }
        return try await withSalt(request, of: playerID) { transaction, salt in
            transaction.replaceRecoveryCode(of: playerID, withHash: codeHash(salt))
        }
    }

    /// Revokes one of a player's tokens.
    /// - Throws: ``CommandError/unknownToken``; errors of the store.
    public func revokeToken(
        _ id: TokenID,
        of playerID: PlayerID,
        request: IdempotentRequest?
    ) async throws -> EncodedResponse {
        try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
            guard let token = try await transaction.tokens(of: playerID).first(where: { $0.id == id }) else {
                throw CommandError.unknownToken
            }
            transaction.revoke(token, of: playerID)
            return EncodedResponse(status: 204, body: "")
        }
    }

    /// Runs a change in a player's shard that depends on random bytes, and stores these bytes as its response.
    func withSalt(
        _ request: IdempotentRequest?,
        of playerID: PlayerID,
        _ change: (inout ShardTransaction, _ salt: [UInt8]) async throws -> Void
    ) async throws -> SaltedResponse {
        let salt = randomBytes(32)
        let response = try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
            try await change(&transaction, salt)
            return EncodedResponse(status: 200, body: salt.hexadecimal)
        }
        return SaltedResponse(
            playerID: playerID,
            salt: [UInt8](hexadecimal: response.body) ?? [],
            isReplayed: response.isReplayed
        )
    }

    private func insert(_ player: Player, _ secrets: SecretHashes) async throws {
        try await store.register(
            player,
            tokenHash: secrets.token,
            recoveryCodeHash: secrets.recoveryCode,
            shardSecret: randomBytes(16),
            at: runtime.now()
        )
    }

    private func newPlayerID() -> PlayerID {
        var generator = runtime.generator()
        return PlayerID(at: runtime.now(), using: &generator)
    }

    /// Returns random bytes.
    func randomBytes(_ count: Int) -> [UInt8] {
        var generator = runtime.generator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
