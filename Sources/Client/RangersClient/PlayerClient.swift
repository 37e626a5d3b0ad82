/// A client of the server's API for one player.
///
/// All methods throw ``RangersError`` or `CancellationError`. The client retries after transient errors (see
/// ``RetryPolicy``); all attempts of a write have the same idempotency key. If all of them fail, whether the write was
/// carried out is unknown.
public struct PlayerClient: Sendable {
    let http: Requester

    init(_ http: Requester) {
        self.http = http
    }

    /// Returns the player's own profile.
    public func profile() async throws -> PlayerResponse {
        try await http.get("v1/players/me")
    }

    /// Returns the heroes that a player can choose.
    public func heroes() async throws -> [CatalogueHero] {
        let list: HeroList = try await http.get("v1/heroes")
        return list.heroes
    }

    /// Returns the bosses of the catalogue.
    public func bosses() async throws -> [CatalogueBoss] {
        let list: BossList = try await http.get("v1/bosses")
        return list.bosses
    }

    /// Returns the regions for journeys.
    public func regions() async throws -> [CatalogueRegion] {
        let list: RegionList = try await http.get("v1/regions")
        return list.regions
    }
}
