import Foundation

/// The committed rows of the tables of raids.
///
/// Times are microseconds since 1970.
struct RaidTables: Sendable {
    struct RaidRow: Sendable {
        let shard: Int16
        let boss: String
        let health: Int64
        let regions: [String]
        let startsAt: Int64
        let endsAt: Int64
        var dealt: Int64 = 0
        var phase: Int32 = 1
        var nextRound: Int32 = 0
        var parties: Int32 = 0
        var biggestBlow: String?
        var decision: String?
        var waitingFor: [Int16] = []
        var outcome: String?
        var endedAt: Int64?
        var isSettled = false
        /// The members, each with its first round.
        var members: [Int16: Int32] = [:]
        /// What the home decided; decision 1 is the first.
        var decisions: [String] = []
        var history: [HistoryRow] = []
    }

    struct HistoryRow: Sendable {
        let round: Int32
        let damage: Int64
        let parties: Int32
        let healthLeft: Int64
        let phase: Int32
        let biggestBlow: String?
    }

    struct MemberKey: Hashable, Sendable {
        let raid: UUID
        let shard: Int16
    }

    struct MemberRow: Sendable {
        let boss: String
        let health: Int64
        let startsAt: Int64
        let endsAt: Int64
        let firstRound: Int32
        var nextRound: Int32
        var delivered: Int32
        var decision: String?
        var blowsFrom: Int32?
        var standingsAt: Int64?
        var isOver = false
        var rounds: [Int32: RoundRow] = [:]
        var standings: (dealt: [Int64], parties: [UUID])?
    }

    struct RoundRow: Sendable {
        let damage: Int64
        let fights: Int32
        let biggestBlow: String?
        let blows: String?
    }

    var raids: [UUID: RaidRow] = [:]
    var members: [MemberKey: MemberRow] = [:]

    /// Whether each raid has ended, and has nothing left to do, nor has a member of it.
    var areSettled: Bool { raids.values.allSatisfy(\.isSettled) && members.values.allSatisfy(\.isOver) }

    func member(_ raid: UUID, in shard: Int16) -> MemberRow? { members[MemberKey(raid: raid, shard: shard)] }

    /// The members of a raid among shards, in order.
    func members(of raid: UUID, among shards: [Int16]) -> [(shard: Int16, row: MemberRow)] {
        Set(shards).sorted().compactMap { shard in member(raid, in: shard).map { (shard: shard, row: $0) } }
    }
}

extension MemoryTables {
    /// The decisions about a raid that a shard has taken since a moment, in order.
    func decisions(about raid: String, in shard: Int16, from moment: Int64) -> [LogRow] {
        (raidEntries[shard] ?? []).filter { $0.at >= moment && $0.body.hasPrefix(raid) }
    }

    /// The fights of a raid in a shard, in order.
    func fights(of raid: UUID, in shard: Int16) -> [(id: UUID, row: AdventureRow)] {
        adventures.filter { $0.value.raid == raid && $0.value.shard == shard }.sorted { $0.key < $1.key }
            .map { (id: $0.key, row: $0.value) }
    }
}
