import GameCore
import RangersClient

/// What the hero's widget and the leaderboard's show.
public struct WidgetContent: Codable, Sendable {
    /// The player's hero.
    public struct Hero: Codable, Sendable {
        let avatar: String
        let name: String
        let level: Int
        /// The experience.
        let exp: Int?
    }

    /// A row of the leaderboard.
    public struct Row: Codable, Sendable {
        let rank: Int
        let avatar: String
        let name: String
        /// The experience gained in the season.
        public let score: Int
        /// Whether it is the player's own row.
        public let isOwn: Bool
    }

    /// The number of the best players that the leaderboard's widget shows.
    private static let topRows = 3

    let hero: Hero
    /// The rows in order.
    public let leaderboard: [Row]

    /// Draws a profile, the best players of the season, and the player's own place.
    init(_ player: PlayerResponse, _ board: LeaderboardResponse) {
        hero = Hero(
            avatar: player.hero.avatar,
            name: player.hero.name,
            level: player.hero.level,
            exp: player.experience
        )
        let top = board.top.prefix(Self.topRows)
        let own = top.contains(where: \.isCaller) ? [] : (board.around ?? []).filter(\.isCaller)
        leaderboard = (top + own).map { entry in
            Row(
                rank: entry.rank,
                avatar: entry.hero.avatar,
                name: entry.displayName,
                score: entry.score,
                isOwn: entry.isCaller
            )
        }
    }
}

extension SimulatedPlayer {
    /// Draws the widgets from what the game says, as the app's timeline provider does.
    func drawWidgets() async throws {
        let content = WidgetContent(try await server.profile(), try await server.leaderboard(.experience))
        try await simulator.draw(content, on: phoneID)
    }
}
