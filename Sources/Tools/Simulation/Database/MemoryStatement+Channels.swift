import Foundation
import PostgresClient

// The statements of broadcast channels.

extension MemoryStatement {
    static func channel(_ name: String, _ query: PostgresQuery, _ tables: MemoryTables, _ context: Context) -> Result {
        switch name {
        case "channel.want":
            return want(query, tables, at: context.now)
        case "channel.lock":
            let (_, kind, owner, environment) = query.parameters(Int16.self, String.self, UUID.self, String.self)
            let key = ChannelTables.Key(kind: kind, owner: owner, environment: environment)
            return .rows(tables.channels.channels[key].map { [draft(key, $0, context)] } ?? [])
        case "channel.update":
            return update(query)
        case "channel.list":
            let (_, environment) = query.parameters([Int16].self, String.self)
            return .rows(
                tables.channels.list(in: environment).map { key, row in
                    var row = row
                    if context.defect == .channelClaimsOverlooked { row.attemptedAt = nil }
                    return draft(key, row, context)
                }
            )
        case "channel.due":
            let (_, environment, limit) = query.parameters([Int16].self, String.self, Int64.self)
            let due = tables.channels.list(in: environment).filter { _, row in
                ["wanted", "ending"].contains(row.state) && row.retryAt <= context.now
            }
            return .rows(
                due.sorted { ($0.value.state, $0.value.retryAt) < ($1.value.state, $1.value.retryAt) }
                    .prefix(Int(limit)).map { draft($0.key, $0.value, context) }
            )
        case "channel.ofOwner":
            let (_, kind, owner) = query.parameters(Int16.self, String.self, UUID.self)
            return .rows(
                tables.channels.channels.filter { $0.key.kind == kind && $0.key.owner == owner }
                    .sorted { $0.key.environment < $1.key.environment }.map { draft($0.key, $0.value, context) }
            )
        case "channel.count":
            let (_, environment) = query.parameters([Int16].self, String.self)
            let counts: [String: Int64] = tables.channels.list(in: environment).reduce(into: [:]) {
                $0[$1.value.state, default: 0] += 1
            }
            return .rows(counts.sorted { $0.key < $1.key }.map { PostgresRowDraft($0.key, $0.value) })
        case "channel.remove":
            let (shard, moment) = query.parameters(Int16.self, PostgresTimestamp.self)
            let removed = tables.channels.channels.filter { key, row in
                key.owner.shard == shard && row.state == "deleted" && row.usedAt < moment.microseconds
            }
            return .change(affecting: removed.count) { for key in removed.keys { $0.channels.channels[key] = nil } }
        default:
            unknown(name)
        }
    }

    static func channelKeeper(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        let now = context.now
        switch name {
        case "channelKeeper.keep":
            let (environment, holder, duration) = query.parameters(String.self, UUID.self, Int64.self)
            guard let row = tables.channels.keepers[environment], row.holder == holder || row.heldUntil < now else {
                return .rows([])
            }
            var result = Result.change { tables in
                tables.channels.keepers[environment]?.holder = holder
                tables.channels.keepers[environment]?.heldUntil = now + duration
            }
            result.rows = [draft(environment, row)]
            return result
        case "channelKeeper.release":
            let (environment, holder) = query.parameters(String.self, UUID.self)
            guard tables.channels.keepers[environment]?.holder == holder else { return Result(affectedRows: 0) }
            return .change { $0.channels.keepers[environment]?.heldUntil = now }
        case "channelKeeper.note":
            let (environment, at, listed, unknown, lost) = query.parameters(
                String.self,
                PostgresTimestamp.self,
                Int32.self,
                Int32.self,
                Int32.self
            )
            return .change { tables in
                tables.channels.keepers[environment]?.reconciledAt = at.microseconds
                tables.channels.keepers[environment]?.listed = listed
                tables.channels.keepers[environment]?.unknown = unknown
                tables.channels.keepers[environment]?.lost = lost
            }
        case "channelKeeper.request":
            return .change(affecting: tables.channels.keepers.count) { tables in
                for environment in tables.channels.keepers.keys {
                    tables.channels.keepers[environment]?.requestedAt = now
                }
            }
        case "channelKeeper.list":
            return .rows(
                tables.channels.keepers.filter { $0.value.holder != nil }.sorted { $0.key < $1.key }
                    .map { draft($0.key, $0.value) }
            )
        default:
            unknown(name)
        }
    }

    private static func want(_ query: PostgresQuery, _ tables: MemoryTables, at now: Int64) -> Result {
        let (_, kind, owner, environment, policy) = query.parameters(
            Int16.self,
            String.self,
            UUID.self,
            String.self,
            Int16.self
        )
        let key = ChannelTables.Key(kind: kind, owner: owner, environment: environment)
        if let row = tables.channels.channels[key], row.state != "deleted" { return Result(affectedRows: 0) }
        let row = ChannelTables.ChannelRow(
            storagePolicy: policy,
            wantedAt: now,
            usedAt: now,
            retryAt: now,
            broadcastAfter: now
        )
        return .change { $0.channels.channels[key] = row }
    }

    private static func update(_ query: PostgresQuery) -> Result {
        let (
            _, kind, owner, environment, policy, state, channelID, wantedAt, createdAt, usedAt, attemptedAt, attempts,
            retryAt, version, stage, failures, broadcastAfter
        ) = query.parameters(
            Int16.self,
            String.self,
            UUID.self,
            String.self,
            Int16.self,
            String.self,
            String?.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self,
            PostgresTimestamp.self,
            PostgresTimestamp?.self,
            Int32.self,
            PostgresTimestamp.self,
            Int64.self,
            Int32.self,
            Int32.self,
            PostgresTimestamp.self
        )
        let key = ChannelTables.Key(kind: kind, owner: owner, environment: environment)
        let row = ChannelTables.ChannelRow(
            storagePolicy: policy,
            state: state,
            channelID: channelID,
            wantedAt: wantedAt.microseconds,
            createdAt: createdAt?.microseconds,
            usedAt: usedAt.microseconds,
            attemptedAt: attemptedAt?.microseconds,
            attempts: attempts,
            retryAt: retryAt.microseconds,
            version: version,
            stage: stage,
            broadcastFailures: failures,
            broadcastAfter: broadcastAfter.microseconds
        )
        return .change { tables in
            let hasChannel = channelID != nil && createdAt != nil
            if ["created", "live"].contains(state) ? !hasChannel : state != "ending" && channelID != nil {
                tables.violations.append("the channel of \(owner) is \(state) as \(channelID ?? "none")")
            }
            tables.channels.channels[key] = row
        }
    }

    private static func draft(
        _ key: ChannelTables.Key,
        _ row: ChannelTables.ChannelRow,
        _ context: Context
    ) -> PostgresRowDraft {
        PostgresRowDraft(
            key.kind,
            key.owner,
            key.environment,
            row.storagePolicy,
            row.state,
            row.channelID,
            PostgresTimestamp(row.wantedAt),
            row.createdAt.map { PostgresTimestamp($0) },
            PostgresTimestamp(row.usedAt),
            row.attemptedAt.map { PostgresTimestamp($0) },
            row.attempts,
            PostgresTimestamp(row.retryAt),
            row.version,
            row.stage,
            row.broadcastFailures,
            PostgresTimestamp(row.broadcastAfter),
            PostgresTimestamp(context.clock)
        )
    }

    private static func draft(_ environment: String, _ row: ChannelTables.KeeperRow) -> PostgresRowDraft {
        PostgresRowDraft(
            environment,
            row.requestedAt.map { PostgresTimestamp($0) },
            row.reconciledAt.map { PostgresTimestamp($0) },
            row.listed,
            row.unknown,
            row.lost
        )
    }
}
