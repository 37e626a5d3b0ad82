public import Foundation

extension PlayerClient {
    /// Gets another token for the player, to be kept in place of this one.
    ///
    /// This one is good until the other is used for the first time, so that no answer can be lost for good.
    public func exchangeToken() async throws -> PlayerToken {
        struct Answer: Decodable {
            let token: PlayerToken
        }
        let answer: Answer = try await http.write("POST", "v1/players/me/token", Requester.noBody, key: nil)
        return answer.token
    }

    /// Lets this token be nobody's: for a phone that is given away.
    public func revokeToken() async throws {
        do {
            try await http.write("DELETE", "v1/players/me/token", Requester.noBody, key: nil)
        } catch RangersError.problem(let problem) where problem.type == .invalidToken {
            // It is nobody's already, be it by a try whose answer was lost.
        }
    }

    /// All that the server has stored of the player, as JSON to be handed on.
    public func export() async throws -> Data {
        try await http.data("v1/players/me/export")
    }

    /// Erases the player: name, tokens, and where pushes go.
    ///
    /// Games that were played stay, with nobody's name in them. Whoever hears ``ProblemType/invalidToken`` where an answer may have been lost before has been erased.
    public func erase() async throws {
        try await http.write("DELETE", "v1/players/me", Requester.noBody, key: nil)
    }
}
