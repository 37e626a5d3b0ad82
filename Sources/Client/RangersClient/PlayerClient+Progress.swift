import Foundation
public import GameCore

extension PlayerClient {
    /// Returns a page of the player's ended adventures, those that started last first.
    /// - Parameters:
    ///   - adventure: the last adventure of the previous page; nil for the first page.
    ///   - limit: the maximum number of adventures, 1 to 100; nil for the server's default.
    /// - Returns: the page.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func playedAdventures(after adventure: AdventureID? = nil, limit: Int? = nil) async throws -> HistoryPage {
        var query: [URLQueryItem] = []
        if let adventure { query.append(URLQueryItem(name: "after", value: adventure.description)) }
        if let limit { query.append(URLQueryItem(name: "limit", value: "\(limit)")) }
        return try await http.get("v1/players/me/adventures", query: query)
    }

    /// Returns a leaderboard with the player and the players around.
    /// - Parameters:
    ///   - board: what players are compared by.
    ///   - period: the current season or week.
    /// - Returns: the best hundred, and the player between five better and five worse ones.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func leaderboard(_ board: Leaderboard, period: LeaderboardPeriod = .season) async throws
        -> LeaderboardResponse
    {
        let query = [
            URLQueryItem(name: "period", value: period.rawValue), URLQueryItem(name: "around", value: "me"),
        ]
        return try await http.get("v1/leaderboards/\(board.rawValue)", query: query)
    }
}
