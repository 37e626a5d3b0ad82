public import GameCore
public import GameLog
import PostgresClient

/// The standings of a raid, as each of its shards has written them last.
package struct RaidStandings: Sendable {
    /// The maximum number of parties in a ranking.
    fileprivate static let maxRanking = 100

    /// The first hundred parties.
    package let ranking: [RaidRankingEntry]
    /// The damages of the parties of each shard, ascending.
    private let damages: [[Int64]]

    /// Creates standings.
    /// - Parameter shards: the damages of each shard's parties, ascending, and the last parties in the same order.
    fileprivate init(_ shards: [(damages: [Int64], last: [PartyID])]) {
        damages = shards.map(\.damages)
        let first = shards.flatMap { zip($0.damages.suffix($0.last.count), $0.last) }
            .sorted { ($1.0, $0.1) < ($0.0, $1.1) }.prefix(Self.maxRanking)
        var ranking: [RaidRankingEntry] = []
        for (index, (damage, party)) in first.enumerated() {
            let place = ranking.last.flatMap { $0.damage == Int(damage) ? $0.place : nil } ?? index + 1
            ranking.append(RaidRankingEntry(place: place, partyID: party, damage: Int(damage)))
        }
        self.ranking = ranking
    }

    /// Returns the place of a party by its damage, which may be newer than these standings.
    package func place(of damage: Int) -> RaidPlace {
        let better = damages.reduce(0) { $0 + $1.count - $1.countOfValues(upTo: Int64(damage)) }
        let count = damages.reduce(0) { $0 + $1.count }
        return RaidPlace(place: better + 1, of: max(count, better + 1), damage: damage)
    }
}

extension [Int64] {
    /// Returns how many values are not greater than a limit, in an ascending array.
    fileprivate func countOfValues(upTo limit: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] <= limit { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension GameStore {
    /// Returns the first hundred parties of a raid.
    ///
    /// Each shard writes its standings every minute and at the end, and the store reads them every ten seconds at most,
    /// for all readers together.
    /// - Throws: `PostgresError`.
    public func raidRanking(of id: RaidID) async throws -> [RaidRankingEntry] {
        try await knownStandings(of: id).ranking
    }

    /// Returns the place of a party in a raid, as of the standings of ``raidRanking(of:)``; nil if it is not among them.
    /// - Throws: `PostgresError`.
    public func raidPlace(of party: PartyID, in id: RaidID) async throws -> RaidPlace? {
        guard let damage = try await raidDamage(of: party, in: id) else { return nil }
        return try await knownStandings(of: id).place(of: damage)
    }

    private func knownStandings(of id: RaidID) async throws -> RaidStandings {
        try await standings.value(of: id) { try await raidStandings(of: id) }
    }

    /// Returns the damage of a party from the newest standings of its shard; nil if it has none.
    /// - Throws: `PostgresError`.
    package func raidDamage(of party: PartyID, in id: RaidID) async throws -> Int? {
        let rows = try await pool.query(PostgresQuery(RaidMemberStatements.damage, party.shard.column, id, party))
        return try rows.first?.decode(Int64?.self).map { Int($0) }
    }

    /// Reads the newest standings of a raid from all shards, without those on machines that do not respond.
    /// - Throws: `PostgresError`.
    package func raidStandings(of id: RaidID) async throws -> RaidStandings {
        let rows = try await rows(of: Shard.all) { shards in
            PostgresQuery(
                RaidMemberStatements.standings,
                shards.map(\.column),
                id,
                Int32(RaidStandings.maxRanking)
            )
        }
        return RaidStandings(
            try rows.map { row in
                let (damages, last) = try row.decode([Int64].self, [PartyID].self)
                return (damages: damages, last: last)
            }
        )
    }
}
