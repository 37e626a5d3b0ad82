import Encodings
import Foundation
import PostgresClient

// MARK: - Activities

extension MemoryStatement {
    static func activity(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "activity.read":
            let (_, adventure, ids) = query.parameters(Int16.self, UUID.self, [UUID].self)
            return rows(tables) { key, _ in key.adventure == adventure && ids.contains(key.activity) }
        case "activity.list":
            let (_, adventure) = query.parameters(Int16.self, UUID.self)
            return rows(tables, byRegistration: true, sharesBudgets: true) { key, _ in
                key.adventure == adventure
            }
        case "activity.live":
            let shard = query.parameters(Int16.self)
            return rows(tables, sharesBudgets: true) { _, row in row.shard == shard && row.state == "live" }
        case "activity.liveOfPlayer":
            let (shard, player) = query.parameters(Int16.self, UUID.self)
            return rows(tables) { _, row in row.shard == shard && row.player == player && row.state == "live" }
        case "activity.liveOfPlayerInShards":
            let (shards, player) = query.parameters([Int16].self, UUID.self)
            return rows(tables) { _, row in
                shards.contains(row.shard) && row.player == player && row.state == "live"
            }
        case "activity.ofToken":
            let (shards, token, environment) = query.parameters([Int16].self, [UInt8].self, String.self)
            return rows(tables) { _, row in
                shards.contains(row.shard) && row.pushToken == token && row.environment == environment
                    && row.state == "live"
            }
        case "activity.count":
            let (_, adventure, player) = query.parameters(Int16.self, UUID.self, UUID.self)
            let count = tables.activities.count { key, row in
                key.adventure == adventure && row.player == player && row.state == "live"
            }
            return .rows([PostgresRowDraft(Int64(count))])
        case "activity.upsert":
            return upsert(query, context.defect)
        case "activity.setLocale":
            let (_, adventure, activity, locale) = query.parameters(Int16.self, UUID.self, UUID.self, String?.self)
            let key = MemoryTables.ActivityKey(adventure: adventure, activity: activity)
            return .change { $0.activities[key]?.locale = locale }
        case "activity.release":
            let (_, adventure, activity, state) = query.parameters(Int16.self, UUID.self, UUID.self, String.self)
            let key = MemoryTables.ActivityKey(adventure: adventure, activity: activity)
            return .change { tables in
                if tables.activities[key]?.state == "live" { tables.activities[key]?.state = state }
            }
        default:
            return decisions(name, query, tables)
        }
    }

    private static func decisions(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables) -> Result {
        switch name {
        case "decisions.read":
            let (_, adventure, activity) = query.parameters(Int16.self, UUID.self, UUID.self)
            let key = MemoryTables.ActivityKey(adventure: adventure, activity: activity)
            return .rows(tables.decisions[key].map { [PostgresRowDraft($0)] } ?? [])
        case "decisions.live":
            let shard = query.parameters(Int16.self)
            let live = tables.decisions.filter { key, _ in
                tables.activities[key].map { $0.shard == shard && $0.state == "live" } ?? false
            }
            return .rows(
                live.sorted { $0.key < $1.key }.map { PostgresRowDraft($0.key.adventure, $0.key.activity, $0.value) }
            )
        case "decisions.upsert":
            let (_, adventures, activities, entries) = query.parameters(
                Int16.self,
                [UUID].self,
                [UUID].self,
                [[UInt8]].self
            )
            return .change(affecting: entries.count) { tables in
                for index in entries.indices {
                    let key = MemoryTables.ActivityKey(adventure: adventures[index], activity: activities[index])
                    tables.decisions[key] = entries[index]
                }
            }
        default:
            unknown(name)
        }
    }

    private static func upsert(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (
            shard, adventure, activity, player, token, environment, frequent, locale, generation, state, registeredAt,
            tokenRegisteredAt, acknowledgedAt, lastTimestamp, device, startsAt,
            alertPreferences
        ) = query.parameters(
            Int16.self,
            UUID.self,
            UUID.self,
            UUID.self,
            [UInt8].self,
            String.self,
            Bool.self,
            String?.self,
            Int32.self,
            String.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            PostgresTimestamp.self,
            Int64.self,
            UUID.self,
            PostgresTimestamp?.self,
            String?.self
        )
        let storedPreferences = defect == .mutesForgotten ? nil : alertPreferences
        return .change { tables in
            let key = MemoryTables.ActivityKey(adventure: adventure, activity: activity)
            tables.tokenRegistrations[token] = tables.commitTime
            if tables.activities[key].map({ $0.alertPreferences != alertPreferences }) ?? true {
                let change = (from: tables.commitTime, stored: alertPreferences)
                tables.alertPreferences[key, default: []].append(change)
            }
            guard var known = tables.activities[key] else {
                tables.activities[key] = MemoryTables.ActivityRow(
                    shard: shard,
                    player: player,
                    pushToken: token,
                    environment: environment,
                    frequentPushes: frequent,
                    locale: locale,
                    generation: generation,
                    state: state,
                    registeredAt: registeredAt.microseconds,
                    tokenRegisteredAt: tokenRegisteredAt.microseconds,
                    lastTimestamp: lastTimestamp,
                    acknowledgedAt: acknowledgedAt.microseconds,
                    device: device,
                    startsAt: startsAt?.microseconds,
                    alertPreferences: storedPreferences
                )
                return
            }
            known.pushToken = token
            known.environment = environment
            known.locale = locale
            known.startsAt = startsAt?.microseconds
            known.alertPreferences = storedPreferences
            known.generation = generation
            if known.state == "dead" { known.state = "live" }
            known.tokenRegisteredAt = tokenRegisteredAt.microseconds
            known.lastTimestamp = max(known.lastTimestamp, lastTimestamp)
            tables.activities[key] = known
        }
    }

    private static func rows(
        _ tables: MemoryTables,
        byRegistration: Bool = false,
        sharesBudgets: Bool = false,
        where isIncluded: (MemoryTables.ActivityKey, MemoryTables.ActivityRow) -> Bool
    ) -> Result {
        let found = tables.activities.filter { isIncluded($0.key, $0.value) }.sorted { left, right in
            guard byRegistration, left.value.registeredAt != right.value.registeredAt else {
                return left.key < right.key
            }
            return left.value.registeredAt < right.value.registeredAt
        }
        return .rows(
            found.map { key, row in
                PostgresRowDraft(
                    key.activity,
                    key.adventure,
                    row.player,
                    row.pushToken,
                    row.environment,
                    row.frequentPushes,
                    row.locale,
                    row.generation,
                    row.state,
                    PostgresTimestamp(row.registeredAt),
                    PostgresTimestamp(row.tokenRegisteredAt),
                    row.lastTimestamp,
                    PostgresTimestamp(row.acknowledgedAt),
                    row.acceptedAlerts,
                    row.device,
                    row.startsAt.map(PostgresTimestamp.init(microseconds:)),
                    row.alertPreferences,
                    (sharesBudgets ? tables.sharedBudget(of: row) : row.budgetFullAt).map(
                        PostgresTimestamp.init(microseconds:)
                    )
                )
            }
        )
    }
}

extension MemoryTables {
    /// When the budget of an activity's device is full again.
    fileprivate func sharedBudget(of activity: ActivityRow) -> Int64? {
        activities.values.lazy.filter { other in
            other.shard == activity.shard && other.player == activity.player && other.device == activity.device
        }.compactMap(\.budgetFullAt).max()
    }
}

extension MemoryTables.ActivityKey: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        (left.adventure, left.activity) < (right.adventure, right.activity)
    }
}

// MARK: - Idempotency records and the audit log

extension MemoryStatement {
    static func bookkeeping(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "idempotency.read":
            let (shard, player, key, now, lifetime) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                PostgresTimestamp?.self,
                Int64.self
            )
            let record = tables.idempotencyRecords[MemoryTables.IdempotencyKey(shard: shard, player: player, key: key)]
            guard let record, record.createdAt > (now?.microseconds ?? context.now) - lifetime else { return .rows([]) }
            return .rows([PostgresRowDraft(record.requestHash, record.status, record.body, record.partyVersion)])
        case "idempotency.find":
            let (shards, player, key, now, lifetime, hash) = query.parameters(
                [Int16].self,
                UUID.self,
                String.self,
                PostgresTimestamp?.self,
                Int64.self,
                [UInt8].self
            )
            let oldest = (now?.microseconds ?? context.now) - lifetime
            let records = shards.compactMap {
                tables.idempotencyRecords[MemoryTables.IdempotencyKey(shard: $0, player: player, key: key)]
            }
            guard let record = records.first(where: { $0.requestHash == hash && $0.createdAt > oldest }) else {
                return .rows([])
            }
            return .rows([PostgresRowDraft(record.requestHash, record.status, record.body, record.partyVersion)])
        case "idempotency.upsert":
            let (shard, player, key, hash, status, body, version, createdAt, _) = query.parameters(
                Int16.self,
                UUID.self,
                String.self,
                [UInt8].self,
                Int16.self,
                String.self,
                Int64?.self,
                PostgresTimestamp.self,
                UUID?.self
            )
            if context.defect == .idempotencyRecordsLost { return Result(affectedRows: 1) }
            return .change { tables in
                tables.idempotencyRecords[MemoryTables.IdempotencyKey(shard: shard, player: player, key: key)] =
                    MemoryTables.IdempotencyRow(
                        requestHash: hash,
                        status: status,
                        body: body,
                        partyVersion: version,
                        createdAt: createdAt.microseconds
                    )
            }
        case "audit.head":
            let head = tables.auditHeads[query.parameters(Int16.self)] ?? MemoryTables.AuditHeadRow()
            return .rows([PostgresRowDraft(head.length, head.hash)])
        case "audit.insert":
            return .change { _ in }
        case "audit.moveHead":
            let (shard, length, hash) = query.parameters(Int16.self, Int64.self, [UInt8].self)
            return .change { $0.auditHeads[shard] = MemoryTables.AuditHeadRow(length: length, hash: hash) }
        default:
            unknown(name)
        }
    }
}
