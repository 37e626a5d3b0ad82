public import Foundation

extension PlayerClient {
    /// Requests a new token, which replaces the current one.
    ///
    /// The current token stays valid until the first use of the new one, so that a lost response does not lock the
    /// player out.
    /// - Returns: the new token, which the app has to store.
    public func exchangeToken() async throws -> PlayerToken {
        struct Response: Decodable {
            let token: PlayerToken
        }
        let response: Response = try await http.write("POST", "v1/players/me/token", Requester.noBody, key: nil)
        return response.token
    }

    /// Revokes the current token, for example before the phone is given away.
    public func revokeToken() async throws {
        do {
            try await http.write("DELETE", "v1/players/me/token", Requester.noBody, key: nil)
        } catch RangersError.problem(let problem) where problem.type == .invalidToken {
            // The token is already revoked, possibly by an attempt whose response was lost.
        }
    }

    /// Exports all data that the server stores about the player, as JSON.
    public func export() async throws -> Data {
        try await http.data("v1/players/me/export")
    }

    /// Erases the player: name, tokens and push tokens.
    ///
    /// Finished games stay, without the player's name. If the response of an earlier attempt was lost, the problem
    /// ``ProblemType/invalidToken`` means that the player is erased.
    public func erase() async throws {
        try await http.write("DELETE", "v1/players/me", Requester.noBody, key: nil)
    }
}
