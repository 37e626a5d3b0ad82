package import Foundation

/// The committed rows of the tables that a simulated game uses.
///
/// Times are microseconds since 1970, unless stated otherwise.
package struct MemoryTables: Sendable {
    package struct ShardRow: Sendable {
        package var head: Int64 = 0
        package var digest: Int64 = 0
        package var clock: Int64 = 0
        package var dueAfter: Int64?
        package var stoppedFor: Int64 = 0
        package var journeys: Int32 = 0
        package var bossFights: Int32 = 0
        var raids: Int32 = 0
        var raidDueAt: Int64?
        package var requires: Int16 = 0
    }

    package struct LeaseRow: Sendable {
        package var holder: UUID?
        package var epoch: Int64 = 0
        package var firstTimestamp: Int64 = 0
        package var checkpoint: Int64 = 0
        package var pendingSince: Int64?
    }

    package struct DispatcherRow: Sendable {
        package var expiresAt: Int64
        package var isOver: Bool
        package var knowsAll: Bool
        package var hasReleased = false
    }

    package struct PlayerRow: Sendable {
        package let displayName: String
        package let hero: String
        package let shardSecret: [UInt8]
        var experience: Int32 = 0
        var bossesDefeated: Int32 = 0
        var version: Int64 = 1
    }

    package struct PartyRow: Sendable {
        package let shard: Int16
        package let name: String
        package var inviteCode: String
        package var leader: UUID
        package let capacity: Int16
        package var adventure: UUID?
        package var version: Int64
        package var disbandedAt: Int64?
        package var members: [UUID: MemberRow]
    }

    package struct MemberRow: Sendable {
        package let displayName: String
        package let hero: String
        package var experience: Int32
        package let joinedAt: Int64
    }

    package struct MembershipKey: Hashable, Sendable {
        let player: UUID
        let party: UUID
    }

    package struct AdventureRow: Sendable {
        package let shard: Int16
        package let party: UUID
        package let kind: String
        package let opening: String
        package let startedAt: Int64
        package let tickInterval: Int64
        let raid: UUID?
        var raidDealt: Int64?
        package var endsAt: Int64
        package var fault: String?
        package var finalState: String?
        package var finalDigest: Int64?
        package var outcome: String?
        package var endedAt: Int64?
        var alertsSince: Int64?
    }

    package struct LogRow: Sendable {
        package let position: Int64
        package let at: Int64
        package let kind: String
        package let adventure: UUID?
        package let body: String
        package let digest: Int64?
    }

    /// A committed clock of a shard, with the head of the log then.
    package struct ClockMoveRow: Sendable {
        /// The commit time, in microseconds since the run began.
        package let committedAt: Int64
        package let clock: Int64
        package let head: Int64
    }

    package struct ActivityKey: Hashable, Sendable {
        package let adventure: UUID
        package let activity: UUID
    }

    package struct ActivityRow: Sendable {
        package let shard: Int16
        package let player: UUID
        package var pushToken: [UInt8]
        package var environment: String
        package let frequentPushes: Bool
        package var locale: String?
        package var generation: Int32
        package var state: String
        package let registeredAt: Int64
        package var tokenRegisteredAt: Int64
        package var lastTimestamp: Int64 = 0
        package var acknowledgedAt: Int64
        package var acceptedAlerts: [UInt8] = []
        package var budgetFullAt: Int64?
        package let device: UUID
        package var startsAt: Int64?
        var alertPreferences: String?
    }

    package struct DeviceKey: Hashable, Sendable {
        package let player: UUID
        package let device: UUID
    }

    package struct DeviceRow: Sendable {
        var environment: String
        var locale: String?
        var appBuild: String?
        var isEnabled: Bool
        var isFrequent: Bool
        var followsRaids = false
        var pushToStartToken: [UInt8]?
        var alertToken: [UInt8]?
        var widgetToken: [UInt8]?
        var alertPreferences: String?
        var version: Int64 = 1
        var startedAt: [Int64] = []
        var startedAdventures: [UUID] = []
        var startedParties: [UUID] = []
        var alertedAt: [Int64] = []
        var alertedAdventures: [UUID] = []
        var alertedSequences: [Int64] = []
        var widgetDueAt: Int64?
        var widgetFreeAt: Int64?
        let registeredAt: Int64
        var updatedAt: Int64
    }

    /// One flush of an activity, as the dispatcher requested it: later senders must respect it, even if a defect stored
    /// other values.
    package struct FlushRow: Sendable {
        /// The commit time, in microseconds since the run began.
        package let committedAt: Int64
        package let acknowledgedAt: Int64
        package let acceptedAlerts: [UInt8]
        package let lastTimestamp: Int64
        /// The token that must not be used any more, if the flush marks the activity as dead or ended.
        package let closedToken: [UInt8]?
    }

    package struct IdempotencyKey: Hashable, Sendable {
        package let shard: Int16
        package let player: UUID
        package let key: String
    }

    package struct MembershipSlotRow: Sendable {
        var claimedAt: Int64?
        var leftAt: Int64?
    }

    package struct IdempotencyRow: Sendable {
        package let requestHash: [UInt8]
        package let status: Int16
        package let body: String
        package let partyVersion: Int64?
        package let createdAt: Int64
    }

    package struct AuditHeadRow: Sendable {
        var length: Int64 = 0
        var hash = [UInt8](repeating: 0, count: 32)
    }

    package var shards: [Int16: ShardRow] = [:]
    package var leases: [Int16: LeaseRow] = [:]
    package var dispatchers: [UUID: DispatcherRow] = [:]
    package var players: [UUID: PlayerRow] = [:]
    package var parties: [UUID: PartyRow] = [:]
    package var inviteCodes: [String: UUID] = [:]
    package var devices: [DeviceKey: DeviceRow] = [:]
    var deviceRecords: [DeviceKey: DeviceRecord] = [:]
    package var membershipSlots: [MembershipKey: MembershipSlotRow] = [:]
    package var adventures: [UUID: AdventureRow] = [:]
    /// The log of each shard, ordered by position.
    ///
    /// Positions start at 1 without gaps; ``violations`` lists exceptions.
    package var log: [Int16: [LogRow]] = [:]
    /// The entries of ``log`` that are inputs, by adventure.
    package var inputs: [UUID: [LogRow]] = [:]
    /// The entries of ``log`` that are outages, by shard.
    package var outages: [Int16: [LogRow]] = [:]
    /// The entries of ``log`` that are decisions about raids, by shard.
    var raidEntries: [Int16: [LogRow]] = [:]
    var raids = RaidTables()
    var channels = ChannelTables()
    /// The clocks that were committed for each shard, in commit order.
    package var clockMoves: [Int16: [ClockMoveRow]] = [:]
    package var activities: [ActivityKey: ActivityRow] = [:]
    /// The flushes of each activity, in commit order.
    package var flushes: [ActivityKey: [FlushRow]] = [:]
    /// The alert preferences of each activity, in commit order, from a time in microseconds since the run began.
    var alertPreferences: [ActivityKey: [(from: Int64, stored: String?)]] = [:]
    /// The last commit that stored each token, in microseconds since the run began.
    package var tokenRegistrations: [[UInt8]: Int64] = [:]
    package var idempotencyRecords: [IdempotencyKey: IdempotencyRow] = [:]
    package var decisions: [ActivityKey: [UInt8]] = [:]
    /// The awards that their players may not have yet.
    var awards: [AwardKey: AwardRow] = [:]
    /// The histories of the players.
    var playerAdventures: [AwardKey: AwardRow] = [:]
    var scores: [ScoreKey: Int32] = [:]
    /// The numbers of players by score.
    var buckets: [BucketKey: Int32] = [:]
    package var auditHeads: [Int16: AuditHeadRow] = [:]
    /// The time of the commit being applied, in microseconds since the run began.
    var commitTime: Int64 = 0
    /// Violated constraints of the schema.
    package var violations: [String] = []

    /// Creates empty tables.
    /// - Parameter shards: the shards that exist; the real schema has all 256.
    package init(shards: [Int16]) {
        for shard in shards {
            self.shards[shard] = ShardRow()
            leases[shard] = LeaseRow()
            auditHeads[shard] = AuditHeadRow()
        }
    }
}

extension MemoryTables {
    /// Whether the checkpoint of every shard has reached the head of its log, no activity, except for those with a
    /// suspect token, has a pending change, and all players have their awards.
    package var hasNothingPending: Bool {
        awards.isEmpty
            && shards.allSatisfy { shard, row in
                leases[shard].map { $0.checkpoint == row.head && $0.pendingSince == nil } ?? false
            }
    }
}

// MARK: - Clocks

extension MemoryTables {
    /// The adventures of a shard whose end is not recorded.
    private func liveAdventures(of shard: Int16) -> some Sequence<AdventureRow> {
        adventures.values.lazy.filter { $0.shard == shard && $0.endedAt == nil }
    }

    /// Whether ends of a shard are to be recorded at a moment, or rounds of raids are over.
    func hasEndsOrRounds(_ shard: Int16, at now: Int64) -> Bool {
        guard let row = shards[shard] else { return false }
        if let raidDueAt = row.raidDueAt, raidDueAt <= now { return true }
        let late: Int64 = row.journeys + row.bossFights > 200 ? 2_000_000 : 0
        return liveAdventures(of: shard).contains { $0.endsAt + row.stoppedFor <= now - late }
    }

    /// Moves a shard's clock, and notes when it is due next.
    mutating func moveClock(of shard: Int16, to clock: Int64) {
        guard var row = shards[shard] else { return }
        row.clock = clock
        let fightsDue: Int64? =
            switch row.journeys + row.bossFights + row.raids {
            case 0: nil
            case 257...: 500_000
            case 65...: 250_000
            default:
                liveAdventures(of: shard).reduce(1_000_000) { due, adventure in
                    guard adventure.raid == nil else { return due }
                    let rest = (adventure.endsAt - clock + row.stoppedFor) % adventure.tickInterval
                    return min(due, rest > 0 ? rest : rest + adventure.tickInterval)
                }
            }
        let roundDue = row.raidDueAt.map { min(1_000_000, max(0, $0 - clock)) }
        row.dueAfter = [fightsDue, roundDue].compactMap { $0 }.min()
        shards[shard] = row
        clockMoves[shard, default: []].append(
            ClockMoveRow(committedAt: commitTime, clock: clock, head: row.head)
        )
    }
}
