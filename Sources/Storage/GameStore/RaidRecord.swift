package import GameCore
package import GameLog
import PostgresClient

/// A raid as its home and its members have stored it, for checks.
package struct RaidRecord: Sendable {
    package let raid: Raid
    /// Whether the raid has ended, and its home and its members have nothing left to do.
    package let isSettled: Bool
    /// The shards with parties in it, in order.
    package let members: [Shard]
    /// What its home decided, in order.
    package let decisions: [RaidDecision]
}

extension GameStore {
    /// Returns what is stored of a raid; nil if there is none with this identifier.
    /// - Throws: `PostgresError`; ``StoreError``.
    package func raidRecord(of id: RaidID) async throws -> RaidRecord? {
        guard let raid = try await raid(id) else { return nil }
        let members = try Self.members(
            try await pool.query(PostgresQuery(RaidStatements.members, id.shard.column, id))
        ).keys.sorted()
        let decisions = try await pool.query(PostgresQuery(RaidStatements.decisions, id.shard.column, id, Int32(0)))
        let open = try await openRaids()
        var isSettled = raid.endedAt != nil && !open.contains { $0.id == id }
        for member in members where isSettled {
            let rows = try await pool.query(PostgresQuery(RaidMemberStatements.read, member.column, id))
            isSettled = try rows.first.map { try RaidMember($0).isOver } ?? false
        }
        if isSettled, !members.isEmpty {
            let (columns, last) = (members.map(\.column), Int32.max)
            let rounds = try await pool.query(
                PostgresQuery(RaidMemberStatements.rounds, columns, id, Int32(0), last)
            )
            isSettled = rounds.isEmpty
        }
        return RaidRecord(
            raid: raid,
            isSettled: isSettled,
            members: members,
            decisions: try decisions.compactMap { try RaidStatements.decision(try $0.decode(String.self), of: id) }
        )
    }
}
