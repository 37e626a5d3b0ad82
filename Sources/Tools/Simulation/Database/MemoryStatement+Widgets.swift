import Encodings
import Foundation
import PostgresClient

// MARK: - Pushes to widgets

extension MemoryStatement {
    static func widget(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        switch name {
        case "widget.mark":
            let (_, players, now) = query.parameters(Int16.self, [UUID].self, PostgresTimestamp.self)
            func isMarked(_ key: MemoryTables.DeviceKey, _ row: MemoryTables.DeviceRow) -> Bool {
                players.contains(key.player) && row.widgetToken != nil && row.widgetDueAt == nil
            }
            return .change(affecting: tables.devices.count { isMarked($0.key, $0.value) }) { tables in
                for (key, row) in tables.devices where players.contains(key.player) && row.widgetToken != nil {
                    tables.deviceRecords[key]?.widgetMarks.append(tables.commitTime)
                    guard isMarked(key, row) else { continue }
                    tables.devices[key]?.widgetDueAt = max(now.microseconds, row.widgetFreeAt ?? .min)
                }
            }
        case "widget.due":
            let (shards, environment, now) = query.parameters([Int16].self, String.self, PostgresTimestamp.self)
            let due = Set(
                tables.devices.filter { $0.value.isDue(in: environment, at: now) }.map(\.key.player.shard)
            )
            // Dispatchers have the leases of the few shards that a run has, and players are in all shards.
            let existing = due.isEmpty ? [] : tables.shards.keys.sorted()
            return .rows(
                due.filter { shards.contains(existing[Int($0) * existing.count / 256]) }.sorted().map {
                    PostgresRowDraft($0)
                }
            )
        case "widget.claim":
            let (shard, environment, now, next, limit) = query.parameters(
                Int16.self,
                String.self,
                PostgresTimestamp.self,
                PostgresTimestamp.self,
                Int64.self
            )
            let due = tables.devices.filter { $0.key.player.shard == shard && $0.value.isDue(in: environment, at: now) }
            let claimed = due.sorted {
                ($0.value.widgetDueAt ?? 0, $0.key.device) < ($1.value.widgetDueAt ?? 0, $1.key.device)
            }.prefix(Int(limit))
            return Result(
                rows: claimed.map { PostgresRowDraft($0.key.player, $0.key.device, $0.value.widgetToken) },
                change: { tables in
                    for (key, _) in claimed {
                        tables.noteWidgetClaim(at: now.microseconds, next: next.microseconds, on: key)
                        tables.devices[key]?.widgetDueAt = nil
                        tables.devices[key]?.widgetFreeAt = next.microseconds
                    }
                }
            )
        case "widget.repeat":
            let (_, player, device, token, environment) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                [UInt8].self,
                String.self
            )
            let key = MemoryTables.DeviceKey(player: player, device: device)
            guard let row = tables.devices[key], row.widgetToken == token, row.environment == environment,
                row.widgetDueAt == nil
            else { return Result(affectedRows: 0) }
            return .change { $0.devices[key]?.widgetDueAt = row.widgetFreeAt }
        default:
            unknown(name)
        }
    }
}

extension MemoryTables.DeviceRow {
    fileprivate func isDue(in environment: String, at now: PostgresTimestamp) -> Bool {
        self.environment == environment && widgetDueAt ?? .max <= now.microseconds
    }
}
