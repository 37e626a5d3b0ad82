import Foundation
public import GameCore

extension PlayerClient {
    /// Returns the raids that are scheduled or running.
    /// - Parameter region: only raids whose boss rages in this region; nil for all raids.
    /// - Returns: the raids, those that start last first.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func raids(in region: RegionID? = nil) async throws -> [RaidResponse] {
        let query = region.map { [URLQueryItem(name: "region", value: $0.rawValue)] } ?? []
        let list: RaidList = try await http.get("v1/raids", query: query)
        return list.raids
    }

    /// Returns a raid.
    /// - Parameters:
    ///   - id: the raid, which may have ended.
    ///   - party: a party of the player, for its place; nil for none.
    /// - Returns: the raid as of its newest round.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func raid(_ id: RaidID, party: PartyID? = nil) async throws -> RaidResponse {
        let query = party.map { [URLQueryItem(name: "party", value: $0.description)] } ?? []
        return try await http.get("v1/raids/\(id)", query: query)
    }

    /// Follows a raid until it is over: reads it at once, and then in intervals.
    ///
    /// It is for a screen with the raid. A Live Activity of the raid is updated by broadcasts.
    /// - Parameters:
    ///   - id: the raid.
    ///   - party: a party of the player, for its place; nil for none.
    ///   - interval: the time between two requests.
    ///   - show: shows the raid as of its newest round.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func followRaid(
        _ id: RaidID,
        party: PartyID? = nil,
        every interval: Duration = .seconds(5),
        _ show: (RaidResponse) async -> Void
    ) async throws {
        while true {
            let raid = try await raid(id, party: party)
            await show(raid)
            guard !raid.isOver else { return }
            try await http.configuration.clock.sleep(for: interval)
        }
    }

    /// Returns a page of a raid's history.
    /// - Parameters:
    ///   - id: the raid.
    ///   - round: the last known round; nil for none.
    ///   - limit: the maximum number of rounds, 1 to 1,000; nil for the server's default.
    /// - Returns: the rounds after the last known one.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func raidRounds(of id: RaidID, after round: Int? = nil, limit: Int? = nil) async throws -> RaidRoundsPage {
        let query = [("after", round), ("limit", limit)].compactMap { name, value in
            value.map { URLQueryItem(name: name, value: "\($0)") }
        }
        return try await http.get("v1/raids/\(id)/rounds", query: query)
    }

    /// Returns the first hundred parties of a raid by damage, as of at most a minute ago.
    public func raidRanking(of id: RaidID) async throws -> RaidRanking {
        try await http.get("v1/raids/\(id)/ranking")
    }

    /// Lets a party join a raid: a fight of its own against the common boss.
    /// - Parameters:
    ///   - id: a running raid.
    ///   - party: a party that the player leads, on no adventure. It may join again after a defeat.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the party's fight at its start.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func joinRaid(_ id: RaidID, with party: PartyID, key: IdempotencyKey? = nil) async throws
        -> AdventureResponse
    {
        let body = ["kind": AdventureKind.raid.rawValue, "raidID": id.description]
        return try await http.write("POST", "v1/parties/\(party)/adventures", body, key: key)
    }
}
