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
