import Encodings
import GameCore
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import ServiceRuntime

/// The routes of players' histories and of leaderboards.
struct ProgressRoutes: Sendable {
    private static let defaultLimit = 50
    private static let maxLimit = 100

    let store: GameStore
    let runtime: Runtime

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("v1/players/me/adventures", use: authenticator.player(query: ["after", "limit"], history))
        router.get("v1/leaderboards/:board", use: authenticator.player(query: ["period", "around"], leaderboard))
    }

    private func history(_ request: APIRequest<PlayerID>) async throws -> Response {
        let after = try request.queryValue("after", "must be the 'next' of the previous page") { AdventureID($0) }
        let limit = try request.number("limit", in: 1...Self.maxLimit, default: Self.defaultLimit)
        // One more adventure than the page holds shows whether there is a next page.
        let found = try await store.history(of: request.caller, after: after, limit: limit + 1)
        let page = found.prefix(limit)
        return try Response(
            json: HistoryView(
                adventures: page.map { PlayedAdventureView($0) },
                next: found.count > limit ? page.last?.adventureID : nil
            )
        )
    }

    private func leaderboard(_ request: APIRequest<PlayerID>) async throws -> Response {
        let board = try request.leaderboard
        let period = try request.queryValue("period", "must be \(LeaderboardPeriod.words)") {
            LeaderboardPeriod(rawValue: $0)
        }
        let isAround = try request.queryValue("around", "must be me") { $0 == "me" ? true : nil } ?? false
        let interval = (period ?? .season).interval(containing: runtime.now())
        let edition = LeaderboardEdition(board: board, period: period ?? .season, endsAt: interval.upperBound)
        let page = try await store.leaderboard(edition, around: isAround ? request.caller : nil)
        func view(_ entry: LeaderboardEntry) -> LeaderboardView.Entry {
            let hero = HeroView(entry.hero, level: Hero.level(forExperience: entry.experience))
            return LeaderboardView.Entry(
                rank: entry.rank,
                displayName: entry.displayName ?? hero.name,
                hero: hero,
                score: entry.score,
                isCaller: entry.playerID == request.caller
            )
        }
        return try Response(
            json: LeaderboardView(
                board: board,
                period: edition.period,
                startsAt: interval.lowerBound.rfc3339,
                endsAt: interval.upperBound.rfc3339,
                top: page.top.map(view),
                around: isAround ? page.around.map(view) : nil
            )
        )
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// All values, for error messages.
    static var words: String { allCases.map(\.rawValue).joined(separator: " or ") }
}

/// The response to `GET /v1/players/me/adventures`.
private struct HistoryView: Encodable {
    let adventures: [PlayedAdventureView]
    /// The value of `after` for the next page; nil on the last one.
    let next: AdventureID?
}

/// An ended adventure in a player's history.
struct PlayedAdventureView: Encodable {
    let adventureID: AdventureID
    let partyID: PartyID
    let kind: AdventureKind?
    let region: String?
    let boss: String?
    let outcome: AdventureOutcome?
    /// The hero with its level at the end.
    let hero: HeroView
    /// The experience that the hero gained.
    let experience: Int
    let startedAt: String
    let endedAt: String

    init(_ award: Award) {
        adventureID = award.adventureID
        partyID = award.partyID
        kind = award.kind
        region = award.kind == .journey ? award.scene : nil
        boss = [.bossFight, .raid].contains(award.kind) ? award.scene : nil
        outcome = award.outcome
        hero = HeroView(award.hero, level: Hero.level(forExperience: award.reachedExperience))
        experience = award.experience
        startedAt = award.startedAt.rfc3339
        endedAt = award.endedAt.rfc3339
    }
}

/// The response to `GET /v1/leaderboards/{board}`.
private struct LeaderboardView: Encodable {
    struct Entry: Encodable {
        let rank: Int
        let displayName: String
        let hero: HeroView
        let score: Int
        let isCaller: Bool
    }

    let board: Leaderboard
    let period: LeaderboardPeriod
    let startsAt: String
    let endsAt: String
    let top: [Entry]
    /// The caller with the neighbours; nil if the request did not ask for them.
    let around: [Entry]?
}
