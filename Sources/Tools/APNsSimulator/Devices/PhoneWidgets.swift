import Encodings

/// The app's widgets on a phone: their reloads, and their content as the app has drawn it.
///
/// WidgetKit reloads widgets when it likes; this phone reloads them at once while the budget of the day lasts.
struct PhoneWidgets: Sendable {
    /// The budget for reloads.
    var budget: PushBudget
    /// The time of the last reload by a push.
    private(set) var reloadedAt: Timestamp?
    /// The number of reloads by pushes.
    private(set) var reloads = 0
    /// The content; nil until the app sets one.
    var content: WidgetContent?

    init(reloadsPerDay: Int) {
        budget = PushBudget(limit: reloadsPerDay, periodSeconds: 24 * 3600)
    }

    /// Reloads the widgets.
    /// - Returns: false when the budget is spent.
    mutating func reload(at now: Timestamp) -> Bool {
        guard budget.spend(at: now) else { return false }
        reloadedAt = now
        reloads += 1
        return true
    }
}

/// The content of the hero's widget and of the leaderboard's, which the app's timeline provider has read from the game.
struct WidgetContent: Codable, Equatable, Sendable {
    /// The player's hero.
    struct Hero: Codable, Equatable, Sendable {
        /// One emoji.
        let avatar: String
        let name: String
        let level: Int
        /// The experience.
        let exp: Int?

        /// Returns the hero with a translated name.
        func named(by translate: (String) -> String) -> Self {
            Self(avatar: avatar, name: translate(name), level: level, exp: exp)
        }
    }

    /// A row of the leaderboard.
    struct Row: Codable, Equatable, Sendable {
        let rank: Int
        /// One emoji.
        let avatar: String?
        let name: String
        let score: Int
        /// Whether it is the player's own row.
        let isOwn: Bool?
    }

    let hero: Hero?
    /// The rows in order.
    let leaderboard: [Row]?
}
