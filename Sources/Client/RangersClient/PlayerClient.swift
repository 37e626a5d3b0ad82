/// Speaks with the server for one player.
///
/// What it throws, other than `CancellationError`, is ``RangersError``. Writes are sent again under the same key while
/// the server may only be away (see ``RetryPolicy``); where that fails too, whether they happened is unknown.
public struct PlayerClient: Sendable {
    let http: Requester

    init(_ http: Requester) {
        self.http = http
    }

    /// The player.
    public func profile() async throws -> PlayerAnswer {
        try await http.get("v1/players/me")
    }

    /// The heroes to choose from.
    public func heroes() async throws -> [CatalogueHero] {
        let list: HeroList = try await http.get("v1/heroes")
        return list.heroes
    }

    /// The bosses that may be met.
    public func bosses() async throws -> [CatalogueBoss] {
        let list: BossList = try await http.get("v1/bosses")
        return list.bosses
    }

    /// The regions that journeys lead through.
    public func regions() async throws -> [CatalogueRegion] {
        let list: RegionList = try await http.get("v1/regions")
        return list.regions
    }
}
