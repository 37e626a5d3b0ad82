public import Foundation
public import GameCore

extension PlayerClient {
    /// Changes the player's name, hero or both, between adventures, and whether leaderboards show the name.
    ///
    /// The player's parties show the change soon afterwards.
    /// - Parameters:
    ///   - displayName: the new name; nil to keep it.
    ///   - hero: the new hero; nil to keep it.
    ///   - namedInLeaderboards: whether leaderboards show the name, instead of the hero's; nil to keep that.
    ///   - version: the version of the profile that the player has seen; nil to change any version.
    ///   - key: the idempotency key; nil for a new one.
    /// - Returns: the changed profile.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/onAdventure`` during an adventure, or
    ///   ``ProblemType/profileChanged`` for another version; `CancellationError`.
    public func changeProfile(
        displayName: String? = nil,
        hero: HeroID? = nil,
        namedInLeaderboards: Bool? = nil,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PlayerResponse {
        struct Body: Encodable {
            let displayName: String?
            let hero: String?
            let namedInLeaderboards: Bool?
        }
        let body = Body(displayName: displayName, hero: hero?.rawValue, namedInLeaderboards: namedInLeaderboards)
        return try await http.write("PATCH", "v1/players/me", body, ifVersion: version, key: key)
    }

    /// Requests a new token, which replaces the current one.
    ///
    /// The current token stays valid until the first use of the new one, so that a lost response does not lock the
    /// player out.
    /// - Parameter key: the idempotency key; nil for a new one.
    /// - Returns: the new token, which the app has to store.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func exchangeToken(key: IdempotencyKey? = nil) async throws -> PlayerToken {
        struct Response: Decodable {
            let token: PlayerToken
        }
        let response: Response = try await http.write("POST", "v1/players/me/token", Requester.noBody, key: key)
        return response.token
    }

    /// Requests a new recovery code, which replaces the earlier one at once.
    /// - Parameter key: the idempotency key; nil for a new one.
    /// - Returns: the code. Show it to the player, who keeps it apart from the device.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func renewRecoveryCode(key: IdempotencyKey? = nil) async throws -> RecoveryCode {
        struct Response: Decodable {
            let recoveryCode: RecoveryCode
        }
        let path = "v1/players/me/recovery-code"
        let response: Response = try await http.write("POST", path, Requester.noBody, key: key)
        return response.recoveryCode
    }

    /// Links an Apple account, with which a player who has lost the token signs in.
    ///
    /// See ``RangersServer/signIn(identityToken:nonce:key:)``.
    /// - Parameters:
    ///   - identityToken: the `identityToken` of the app's `ASAuthorizationAppleIDCredential`, as text.
    ///   - nonce: the random text whose SHA-256 in hexadecimal was the `nonce` of the `ASAuthorizationAppleIDRequest`.
    ///   - key: the idempotency key; nil for a new one.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/appleAccountTaken`` if another player has linked the account;
    ///   `CancellationError`.
    public func linkAppleAccount(identityToken: String, nonce: String, key: IdempotencyKey? = nil) async throws {
        let body = ["identityToken": identityToken, "nonce": nonce]
        try await http.write("PUT", "v1/players/me/apple-account", body, key: key)
    }

    /// Unlinks the player's Apple account, if one is linked.
    /// - Parameter key: the idempotency key; nil for a new one.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func unlinkAppleAccount(key: IdempotencyKey? = nil) async throws {
        try await http.write("DELETE", "v1/players/me/apple-account", Requester.noBody, key: key)
    }

    /// Returns the player's valid tokens, the newest first: one for each device.
    public func tokens() async throws -> [IssuedToken] {
        struct Response: Decodable {
            let tokens: [IssuedToken]
        }
        let response: Response = try await http.get("v1/players/me/tokens")
        return response.tokens
    }

    /// Revokes one of the player's tokens, for example that of a lost phone.
    /// - Parameters:
    ///   - id: the identifier of the token, from ``tokens()``.
    ///   - key: the idempotency key; nil for a new one.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func revokeToken(_ id: UUID, key: IdempotencyKey? = nil) async throws {
        let path = "v1/players/me/tokens/\(id.uuidString.lowercased())"
        try await http.write("DELETE", path, Requester.noBody, key: key)
    }

    /// Revokes all of the player's tokens except this client's.
    public func revokeOtherTokens() async throws {
        try await http.write("DELETE", "v1/players/me/tokens", Requester.noBody, key: nil)
    }

    /// Revokes the current token, for example before the phone is given away.
    public func revokeToken() async throws {
        do {
            try await http.write("DELETE", "v1/players/me/token", Requester.noBody, key: nil)
        } catch RangersError.problem(let problem) where problem.type == .invalidToken {
            // The token is already revoked, possibly by an attempt whose response was lost.
        }
    }

    /// Exports all data that the server stores about the player.
    ///
    /// Each page is a JSON object with the same fields. Profile and tokens are on every page; the lists of parties,
    /// adventures, activities and idempotency keys go on from page to page.
    /// - Returns: the pages, at least one.
    public func export() async throws -> [Data] {
        struct Page: Decodable {
            let next: String?
        }
        let path = "v1/players/me/export"
        var pages: [Data] = []
        var cursor: String?
        repeat {
            let page = try await http.data(path, query: cursor.map { [URLQueryItem(name: "after", value: $0)] } ?? [])
            pages.append(page)
            cursor = try http.decode(Page.self, from: page, of: http.url(of: path)).next
        } while cursor != nil
        return pages
    }

    /// Erases the player: name, tokens and push tokens.
    ///
    /// Finished games stay, without the player's name. If the response of an earlier attempt was lost, the problem
    /// ``ProblemType/invalidToken`` means that the player is erased.
    public func erase() async throws {
        try await http.write("DELETE", "v1/players/me", Requester.noBody, key: nil)
    }
}
