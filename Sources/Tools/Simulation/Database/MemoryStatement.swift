import Encodings
import Foundation
import PostgresClient

/// The SQL statements of `GameStore`, reimplemented in Swift and selected by statement name.
///
/// A conformance test runs the same work against this and against PostgreSQL, and compares the results.
enum MemoryStatement {
    /// The result of a statement.
    struct Result {
        var rows: [PostgresRowDraft] = []
        /// The number of affected rows; nil if it is the number of `rows`.
        var affectedRows: Int?
        /// The change that COMMIT applies.
        var change: ((inout MemoryTables) -> Void)?
        /// The lock that the statement took without waiting.
        var lock: RowLock?

        static func rows(_ rows: [PostgresRowDraft]) -> Self { Self(rows: rows) }

        static func change(
            affecting rows: Int = 1,
            _ change: @escaping (inout MemoryTables) -> Void
        ) -> Self {
            Self(affectedRows: rows, change: change)
        }
    }

    /// Runs a statement, which changes nothing before COMMIT: the tables are passed by reference so as not to copy them.
    static func run(_ query: PostgresQuery, on tables: inout MemoryTables, _ context: Context) -> Result {
        let name = query.statement.name
        switch Substring(name.utf8.prefix { $0 != UInt8(ascii: ".") }) {
        case "shard": return shard(name, query, tables, context)
        case "lease": return lease(name, query, tables, context)
        case "dispatcher": return dispatcher(name, query, tables, context)
        case "log": return log(name, query, tables, context)
        case "adventure": return adventure(name, query, tables, context)
        case "activity", "decisions": return activity(name, query, tables, context)
        case "party": return party(name, query, tables)
        case "player", "membershipSlot": return player(name, query, tables, context)
        case "device": return device(name, query, tables, context.defect)
        case "widget": return widget(name, query, tables)
        case "award", "progress", "leaderboard": return progress(name, query, tables, context)
        // No party of a simulation has spectators.
        case "spectators" where name == "spectators.close": return .change(affecting: 0) { _ in }
        case "cluster": return .rows([PostgresRowDraft(false)])
        case "diagnosis" where name == "diagnosis.clock":
            return .rows([PostgresRowDraft(PostgresTimestamp(context.clock))])
        case "raid": return raid(name, query, tables, context)
        case "raidMember": return raidMember(name, query, tables, context)
        case "channel": return channel(name, query, tables, context)
        case "channelKeeper": return channelKeeper(name, query, tables, context)
        case "idempotency", "audit": return bookkeeping(name, query, tables, context)
        default: unknown(name)
        }
    }

    static func unknown(_ name: String) -> Never {
        preconditionFailure("MemoryStatement does not implement the statement \(name)")
    }
}

extension UUID {
    /// The shard of the entity: the last byte.
    var shard: Int16 { Int16(uuid.15) }
}

extension PostgresTimestamp {
    init(_ microseconds: Int64) { self.init(microseconds: microseconds) }
}

// MARK: - Shards and leases

extension MemoryStatement {
    private static func shard(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "shard.lock", "shard.lockIfFree":
            let shard = query.parameters(Int16.self)
            guard !context.isLockedByOther(.shard(shard)) else { return .rows([]) }
            // Players are in all shards, and parties in the few that the database has.
            let row = tables.shards[shard] ?? MemoryTables.ShardRow(clock: context.clock)
            return Result(rows: [locked(row, shard, isCommand: name == "shard.lock", context)], lock: .shard(shard))
        case "shard.limitLockWait", "shard.limitIdleTime": return .rows([])
        case "shard.move":
            return move(query, context.defect)
        case "shard.tick":
            let (shard, from, to, manual) = query.parameters(
                Int16.self,
                PostgresTimestamp.self,
                PostgresTimestamp.self,
                PostgresTimestamp?.self
            )
            guard tables.shards[shard]?.clock == from.microseconds,
                to.microseconds <= manual?.microseconds ?? context.clock,
                !context.isLockedByOther(.shard(shard))
            else {
                return Result(affectedRows: 0)
            }
            return Result(
                affectedRows: 1,
                change: { $0.moveClock(of: shard, to: to.microseconds) },
                lock: .shard(shard)
            )
        case "shard.due":
            let (manual, supported, limit, horizon) = query.parameters(
                PostgresTimestamp?.self,
                Int16.self,
                Int64?.self,
                Int64.self
            )
            let now = manual?.microseconds ?? context.clock
            return .rows(
                tables.shards.sorted { $0.key < $1.key }.compactMap { shard, row in
                    guard let dueAfter = row.dueAfter, row.requires <= supported else { return nil }
                    let moment = max(now, row.clock + dueAfter)
                    guard row.clock < moment, moment <= now + horizon else { return nil }
                    let isTicking =
                        moment - row.clock <= limit ?? .max && !tables.hasEndsOrRounds(shard, at: moment)
                    return PostgresRowDraft(
                        shard,
                        PostgresTimestamp(row.clock),
                        PostgresTimestamp(now),
                        dueAfter,
                        isTicking
                    )
                }
            )
        case "shard.heads":
            let shards = query.parameters([Int16].self)
            return .rows(
                Set(shards).sorted().compactMap { shard in
                    tables.shards[shard].map { draft($0, shard, clock: $0.clock, now: context.clock) }
                }
            )
        case "shard.moved":
            let (shards, clocks, digests) = query.parameters([Int16].self, [PostgresTimestamp?].self, [Int64?].self)
            return .rows(
                zip(shards, zip(clocks, digests)).sorted { $0.0 < $1.0 }.compactMap { shard, known in
                    guard let row = tables.shards[shard],
                        row.clock != known.0?.microseconds || row.digest != known.1
                    else { return nil }
                    return draft(row, shard, clock: row.clock, now: context.clock)
                }
            )
        default:
            unknown(name)
        }
    }

    private static func draft(_ row: MemoryTables.ShardRow, _ shard: Int16, clock: Int64, now: Int64)
        -> PostgresRowDraft
    {
        PostgresRowDraft(
            shard,
            row.head,
            row.digest,
            PostgresTimestamp(clock),
            row.dueAfter,
            row.stoppedFor,
            row.journeys,
            row.bossFights,
            row.raids,
            row.raidDueAt.map { PostgresTimestamp($0) },
            row.requires,
            PostgresTimestamp(now)
        )
    }

    /// Returns the row of a shard that is being locked, with the defects of its clock.
    private static func locked(
        _ row: MemoryTables.ShardRow,
        _ shard: Int16,
        isCommand: Bool,
        _ context: Context
    ) -> PostgresRowDraft {
        let now = context.clock
        switch context.defect {
        case .inputsStampedEarly where isCommand:
            return draft(row, shard, clock: row.clock - 4_000_000, now: row.clock - 3_000_000)
        case .clocksGoBack:
            return draft(row, shard, clock: min(row.clock, now - 1), now: now)
        case .outagesUnnoticed:
            return draft(row, shard, clock: max(row.clock, now - 1_000_000), now: now)
        default:
            return draft(row, shard, clock: row.clock, now: now)
        }
    }

    private static func move(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (shard, head, digest, clock, stoppedFor, journeys, bossFights, raids, raidDueAt, requires, isDueAgain) =
            query.parameters(
                Int16.self,
                Int64.self,
                Int64.self,
                PostgresTimestamp.self,
                Int64.self,
                Int32.self,
                Int32.self,
                Int32.self,
                PostgresTimestamp?.self,
                Int16.self,
                Bool.self
            )
        return .change { tables in
            guard tables.shards[shard] != nil else { return }
            let before = defect == .inputsStampedEarly ? tables.shards[shard]?.clock ?? 0 : 0
            tables.shards[shard] = MemoryTables.ShardRow(
                head: head,
                digest: digest,
                stoppedFor: stoppedFor,
                journeys: journeys,
                bossFights: bossFights,
                raids: raids,
                raidDueAt: raidDueAt?.microseconds,
                requires: requires
            )
            tables.moveClock(of: shard, to: max(before, clock.microseconds))
            if isDueAgain { tables.shards[shard]?.dueAfter = 0 }
        }
    }

    private static func dispatcher(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        let now = context.now
        switch name {
        case "dispatcher.register":
            let (holder, duration, knowsAll, _) = query.parameters(UUID.self, Int64.self, Bool.self, [String].self)
            return .change {
                $0.dispatchers[holder] = MemoryTables.DispatcherRow(
                    expiresAt: now + duration,
                    isOver: false,
                    knowsAll: knowsAll
                )
            }
        case "dispatcher.setNotDurable":
            return .rows([PostgresRowDraft("off", PostgresTimestamp(now))])
        case "dispatcher.renew":
            let (holder, duration) = query.parameters(UUID.self, Int64.self)
            let row = tables.dispatchers[holder]
            let isPresent = row.map { $0.expiresAt >= now && !$0.isOver } ?? false
            guard isPresent || context.defect == .leaseNotFenced else { return Result(affectedRows: 0) }
            let expiresAt = max(row?.expiresAt ?? 0, now + duration)
            return .change {
                $0.dispatchers[holder] = MemoryTables.DispatcherRow(
                    expiresAt: expiresAt,
                    isOver: false,
                    knowsAll: row?.knowsAll ?? true
                )
            }
        case "dispatcher.end":
            let holder = query.parameters(UUID.self)
            guard let row = tables.dispatchers[holder], !row.isOver else { return Result(affectedRows: 0) }
            return .change {
                $0.dispatchers[holder]?.expiresAt = min(row.expiresAt, now)
                $0.dispatchers[holder]?.isOver = true
                $0.dispatchers[holder]?.hasReleased = true
            }
        case "dispatcher.note":
            let (holder, knowsAll) = query.parameters(UUID.self, Bool.self)
            return .change(affecting: tables.dispatchers[holder] == nil ? 0 : 1) {
                $0.dispatchers[holder]?.knowsAll = knowsAll
            }
        case "dispatcher.list":
            return .rows(
                tables.dispatchers.sorted { $0.key < $1.key }.map {
                    PostgresRowDraft(
                        $0.key,
                        $0.value.expiresAt - now,
                        $0.value.isOver,
                        $0.value.knowsAll,
                        $0.value.hasReleased
                    )
                }
            )
        case "dispatcher.markOver":
            let holder = query.parameters(UUID.self)
            guard let row = tables.dispatchers[holder], row.expiresAt < now,
                !context.isLockedByOther(.dispatcher(holder))
            else { return Result(affectedRows: 0) }
            return Result(
                affectedRows: 1,
                change: { $0.dispatchers[holder]?.isOver = true },
                lock: .dispatcher(holder)
            )
        case "dispatcher.remove":
            let holder = query.parameters(UUID.self)
            guard let row = tables.dispatchers[holder], row.isOver, !context.isLockedByOther(.dispatcher(holder)) else {
                return Result(affectedRows: 0)
            }
            return Result(affectedRows: 1, change: { $0.dispatchers[holder] = nil }, lock: .dispatcher(holder))
        default:
            unknown(name)
        }
    }
}

// MARK: - The log

extension MemoryStatement {
    private static func log(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        switch name {
        case "log.append":
            return append(query, context.defect)
        case "log.moment":
            let (shard, position) = query.parameters(Int16.self, Int64.self)
            let entry = (tables.log[shard] ?? []).last { $0.position == position }
            return .rows(entry.map { [PostgresRowDraft(PostgresTimestamp($0.at))] } ?? [])
        case "log.tail":
            let (shard, position, limit) = query.parameters(Int16.self, Int64.self, Int64.self)
            let entries = tables.log[shard] ?? []
            let start = entries.firstIndex(inSortedOrderWhere: { $0.position > position })
            return .rows(
                entries[start...].prefix(Int(limit)).map {
                    PostgresRowDraft($0.position, PostgresTimestamp($0.at), $0.kind, $0.adventure, $0.body, $0.digest)
                }
            )
        default:
            unknown(name)
        }
    }

    private static func append(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (shard, positions, moments, kinds, adventures, bodies, digests) = query.parameters(
            Int16.self,
            [Int64].self,
            [PostgresTimestamp].self,
            [String].self,
            [UUID?].self,
            [String].self,
            [Int64?].self
        )
        let stored = positions.indices.filter { defect != .inputsLost || kinds[$0] != "input" }
        return .change(affecting: positions.count) { tables in
            for index in stored {
                let newest = tables.log[shard]?.last?.position ?? 0
                if positions[index] != newest + 1 {
                    tables.violations.append("position \(positions[index]) of shard \(shard) follows \(newest)")
                }
                tables.append(
                    MemoryTables.LogRow(
                        position: positions[index],
                        at: moments[index].microseconds,
                        kind: kinds[index],
                        adventure: adventures[index],
                        body: bodies[index],
                        digest: digests[index]
                    ),
                    toShard: shard
                )
            }
        }
    }
}

extension MemoryTables {
    fileprivate mutating func append(_ row: LogRow, toShard shard: Int16) {
        log[shard, default: []].append(row)
        if row.kind == "raid" { raidEntries[shard, default: []].append(row) }
        if row.kind == "outage" { outages[shard, default: []].append(row) }
        if row.kind == "input", let id = row.adventure { inputs[id, default: []].append(row) }
    }
}
