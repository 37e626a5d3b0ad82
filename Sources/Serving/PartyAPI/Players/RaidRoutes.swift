import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPServing
import Hummingbird

/// The players' routes of raids; `AdventureRoutes` lets a party join one.
struct RaidRoutes: Sendable {
    /// More raids than a game has at once.
    private static let maxRaids = 100

    let store: GameStore

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("v1/raids", use: authenticator.player(query: ["region"], list))
        router.get("v1/raids/:raidID", use: authenticator.player(query: ["party"], show))
        router.get("v1/raids/:raidID/rounds", use: authenticator.player(query: RaidRoundsView.query, rounds))
        router.get("v1/raids/:raidID/ranking", use: authenticator.player(ranking))
    }

    private func list(_ request: APIRequest<PlayerID>) async throws -> Response {
        let regions = RegionCatalogue.all.map(\.id.rawValue).joined(separator: ", ")
        let region = try request.queryValue("region", "must be one of \(regions)") {
            RegionCatalogue[RegionID(rawValue: $0)]?.id
        }
        let raids = try await store.raids(includingEnded: false, limit: Self.maxRaids).filter { raid in
            region.map { raid.regions.contains($0) } ?? true
        }
        return try Response(json: ["raids": raids.map { RaidView($0, for: .players) }])
    }

    private func show(_ request: APIRequest<PlayerID>) async throws -> Response {
        let partyID = try request.queryValue("party", "must be a UUID") { PartyID($0) }
        let raid = try await raid(of: request)
        var place: RaidView.Place?
        if let partyID {
            guard try await store.party(partyID)?.member(request.caller) != nil else { throw CommandError.unknownParty }
            place = try await store.raidPlace(of: partyID, in: raid.id).map(RaidView.Place.init)
        }
        let channels = try await store.channels(of: raid.channelOwner)
        return try Response(json: RaidView(raid, for: .players, place: place, channels: channels))
    }

    private func rounds(_ request: APIRequest<PlayerID>) async throws -> Response {
        try await RaidRoundsView.response(to: request, from: store)
    }

    private func ranking(_ request: APIRequest<PlayerID>) async throws -> Response {
        let ranking = try await store.raidRanking(of: try await raid(of: request).id)
        return try Response(json: ["parties": ranking.map { RaidRankingEntryView($0, name: nil) }])
    }

    private func raid(of request: APIRequest<PlayerID>) async throws -> Raid {
        try await store.requiredRaid(try request.raidID)
    }
}

extension GameStore {
    /// Reads a raid.
    /// - Throws: ``CommandError/raidNotFound`` if there is none.
    func requiredRaid(_ id: RaidID) async throws -> Raid {
        guard let raid = try await raid(id) else { throw CommandError.raidNotFound }
        return raid
    }
}
