import Encodings
import Foundation
import PostgresClient

// MARK: - Leases

extension MemoryStatement {
    static func lease(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "lease.free":
            let (grace, own, shards) = query.parameters(Int64.self, UUID?.self, [Int16].self)
            let free = tables.leases.filter { shard, row in
                guard shards.contains(shard) else { return false }
                if let own, row.holder == own { return true }
                return row.holder.flatMap { tables.dispatchers[$0] }
                    .map { $0.isOver || $0.expiresAt < context.now - grace } ?? true
            }
            let now = PostgresTimestamp(context.now)
            return .rows(
                free.sorted { $0.key < $1.key }.map { PostgresRowDraft($0.key, $0.value.epoch, $0.value.holder, now) }
            )
        case "lease.acquire":
            let (shard, holder, epoch, least) = query.parameters(Int16.self, UUID.self, Int64.self, Int64.self)
            guard let row = tables.leases[shard], row.epoch == epoch, !context.isLockedByOther(.lease(shard)) else {
                return .rows([])
            }
            let hidesNothing = context.defect == .timestampsLost || context.defect == .flushesLost
            let clock = Timestamp(microseconds: tables.shards[shard]?.clock ?? 0).epochSeconds
            let firstTimestamp = hidesNothing ? 0 : max(row.firstTimestamp + 1, least, clock + 2)
            return Result(
                rows: [PostgresRowDraft(row.epoch + 1, row.checkpoint, firstTimestamp)],
                change: { tables in
                    tables.leases[shard]?.holder = holder
                    tables.leases[shard]?.epoch += 1
                    tables.leases[shard]?.firstTimestamp = firstTimestamp
                },
                lock: .lease(shard)
            )
        case "lease.release":
            let (shard, epoch, holder) = query.parameters(Int16.self, Int64.self, UUID.self)
            guard tables.isHeld(shard, epoch, by: holder) else { return Result(affectedRows: 0) }
            return .change { $0.leases[shard]?.holder = nil }
        case _ where name.hasPrefix("lease.setLockTimeout"):
            return .rows([])
        case "lease.checkpoint":
            let (shard, epoch, holder, checkpoint, pendingSince) = query.parameters(
                Int16.self,
                Int64.self,
                UUID.self,
                Int64.self,
                PostgresTimestamp?.self
            )
            let isFenced = context.defect != .leaseNotFenced
            let head = tables.shards[shard]?.head ?? 0
            guard let row = tables.leases[shard], !isFenced || (row.epoch == epoch && row.holder == holder),
                min(row.checkpoint, head) <= checkpoint, checkpoint <= head
            else { return Result(affectedRows: 0) }
            return .change { tables in
                tables.leases[shard]?.checkpoint = checkpoint
                tables.leases[shard]?.pendingSince = pendingSince?.microseconds
                if context.defect == .flushesRunAhead { tables.acknowledgeEverything(in: shard) }
            }
        case "lease.noteLoss":
            // Nothing of the game reads it.
            return Result(affectedRows: 1)
        case "lease.readCheckpoint":
            let (shard, epoch, holder) = query.parameters(Int16.self, Int64.self, UUID.self)
            guard tables.isHeld(shard, epoch, by: holder), let row = tables.leases[shard] else { return .rows([]) }
            return .rows([PostgresRowDraft(row.checkpoint)])
        case "lease.flushActivities":
            return flush(query, context.defect)
        default:
            unknown(name)
        }
    }

    private static func flush(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (_, adventures, activities, generations, timestamps, moments, alerts, states, budgets) = query.parameters(
            Int16.self,
            [UUID].self,
            [UUID].self,
            [Int32].self,
            [Int64].self,
            [PostgresTimestamp].self,
            [[UInt8]].self,
            [String].self,
            [PostgresTimestamp].self
        )
        return .change(affecting: adventures.count) { tables in
            for index in adventures.indices {
                let key = MemoryTables.ActivityKey(adventure: adventures[index], activity: activities[index])
                guard var row = tables.activities[key] else { continue }
                let isApplied =
                    row.state == "live" && (row.generation == generations[index] || states[index] == "ended")
                tables.flushes[key, default: []].append(
                    MemoryTables.FlushRow(
                        committedAt: tables.commitTime,
                        acknowledgedAt: moments[index].microseconds,
                        acceptedAlerts: alerts[index],
                        lastTimestamp: timestamps[index],
                        closedToken: isApplied && states[index] != "live" ? row.pushToken : nil
                    )
                )
                if defect == .flushesLost { continue }
                if defect != .timestampsLost { row.lastTimestamp = max(row.lastTimestamp, timestamps[index]) }
                row.acknowledgedAt = max(row.acknowledgedAt, moments[index].microseconds)
                row.acceptedAlerts = alerts[index]
                if defect != .budgetsLost { row.budgetFullAt = budgets[index].microseconds }
                if isApplied, defect != .deadTokensLost || states[index] != "dead" {
                    row.state = states[index]
                }
                tables.activities[key] = row
            }
        }
    }
}

extension MemoryTables {
    fileprivate func isHeld(_ shard: Int16, _ epoch: Int64, by holder: UUID) -> Bool {
        leases[shard].map { $0.epoch == epoch && $0.holder == holder } ?? false
    }

    /// Acknowledges everything for the activities of a shard that is decided so far, and reads no entry again.
    fileprivate mutating func acknowledgeEverything(in shard: Int16) {
        leases[shard]?.checkpoint = shards[shard]?.head ?? 0
        for (key, row) in activities where row.shard == shard {
            activities[key]?.acknowledgedAt = max(row.acknowledgedAt, shards[shard]?.clock ?? 0)
        }
    }
}
