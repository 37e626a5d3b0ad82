import Encodings
import Foundation
import PostgresClient

/// The SQL statements of `GameStore`, reimplemented in Swift and selected by statement name.
///
/// A conformance test runs the same work against this and against PostgreSQL, and compares the results.
enum MemoryStatement {
    /// The transaction that a statement runs in.
    struct Context {
        /// The start of the transaction: SQL's `now()`.
        let now: Int64
        let defect: Defect?
        let isLockedByOther: (RowLock) -> Bool
    }

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

    static func run(_ query: PostgresQuery, on tables: MemoryTables, _ context: Context) -> Result {
        let name = query.statement.name
        switch name.prefix(while: { $0 != "." }) {
        case "shard": return shard(name, query, tables, context)
        case "lease": return lease(name, query, tables, context)
        case "dispatcher": return dispatcher(name, query, tables, context)
        case "log": return log(name, query, tables, context)
        case "adventure": return adventure(name, query, tables)
        case "activity", "decisions": return activity(name, query, tables, context)
        case "party": return party(name, query, tables)
        case "player", "membershipSlot", "pushToStart": return player(name, query, tables)
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
            guard let row = tables.shards[shard], !context.isLockedByOther(.shard(shard)) else { return .rows([]) }
            return Result(
                rows: [PostgresRowDraft(row.head, row.journeys, PostgresTimestamp(row.tickedUntil))],
                lock: .shard(shard)
            )
        case "shard.move":
            let (shard, head, journeys, until) = query.parameters(
                Int16.self,
                Int64.self,
                Int32.self,
                PostgresTimestamp.self
            )
            return .change { tables in
                let turns = tables.turns.filter { $0.key.shard == shard }.values.min()
                tables.shards[shard] = MemoryTables.ShardRow(
                    head: head,
                    journeys: journeys,
                    tickedUntil: until.microseconds,
                    nextTurnAt: turns
                )
            }
        case "shard.due":
            let (now, present, slot) = query.parameters(PostgresTimestamp.self, Int64.self, Int64.self)
            let due = tables.shards.filter { shard, row in
                if let next = row.nextTurnAt, next <= now.microseconds { return true }
                let after = row.tickedUntil / slot
                return row.journeys > 0 && after < present
                    && tables.hasJourney(in: shard, after: after, through: present)
            }
            return .rows(due.keys.sorted().map { PostgresRowDraft($0) })
        case "shard.heads":
            let shards = query.parameters([Int16].self)
            return .rows(
                Set(shards).sorted().compactMap { shard in
                    tables.shards[shard].map { PostgresRowDraft(shard, $0.head) }
                }
            )
        default:
            unknown(name)
        }
    }

    private static func lease(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ context: Context
    ) -> Result {
        let now = context.now
        switch name {
        case "lease.free":
            let free = tables.leases.filter { $0.value.holder == nil || $0.value.expiresAt < now }
            return .rows(free.keys.sorted().map { PostgresRowDraft($0) })
        case "lease.acquire":
            let (shard, holder, duration) = query.parameters(Int16.self, UUID.self, Int64.self)
            guard let row = tables.leases[shard], row.holder == nil || row.expiresAt < now,
                !context.isLockedByOther(.lease(shard))
            else { return .rows([]) }
            return Result(
                rows: [PostgresRowDraft(row.epoch + 1, row.checkpoint)],
                change: { tables in
                    tables.leases[shard]?.holder = holder
                    tables.leases[shard]?.epoch += 1
                    tables.leases[shard]?.expiresAt = now + duration
                },
                lock: .lease(shard)
            )
        case "lease.renew":
            let (shard, epoch, holder, duration) = query.parameters(Int16.self, Int64.self, UUID.self, Int64.self)
            let isHeld = context.defect == .leaseNotFenced || tables.isHeld(shard, epoch, by: holder)
            guard isHeld, !context.isLockedByOther(.lease(shard)) else { return Result(affectedRows: 0) }
            return Result(
                affectedRows: 1,
                change: { $0.renew(shard, until: now + duration) },
                lock: .lease(shard)
            )
        case "lease.ofHolder":
            let (shards, holder) = query.parameters([Int16].self, UUID.self)
            return .rows(
                Set(shards).sorted().compactMap { shard in
                    tables.leases[shard].flatMap { $0.holder == holder ? PostgresRowDraft(shard, $0.epoch) : nil }
                }
            )
        case "lease.release":
            let (shard, epoch, holder) = query.parameters(Int16.self, Int64.self, UUID.self)
            guard tables.isHeld(shard, epoch, by: holder), !context.isLockedByOther(.lease(shard)) else {
                return Result(affectedRows: 0)
            }
            return Result(affectedRows: 1, change: { $0.leases[shard]?.holder = nil }, lock: .lease(shard))
        case "lease.setLockTimeout":
            return .rows([])
        case "lease.checkpoint":
            let (shard, epoch, holder, checkpoint, duration) = query.parameters(
                Int16.self,
                Int64.self,
                UUID.self,
                Int64.self,
                Int64.self
            )
            let isFenced = context.defect != .leaseNotFenced
            guard let row = tables.leases[shard], !isFenced || (row.epoch == epoch && row.holder == holder),
                row.checkpoint <= checkpoint
            else { return Result(affectedRows: 0) }
            let written = context.defect == .checkpointRunsAhead ? tables.shards[shard]?.head ?? 0 : checkpoint
            return .change { tables in
                tables.leases[shard]?.checkpoint = written
                tables.renew(shard, until: now + duration)
            }
        case "lease.flushActivities":
            return flush(query, context.defect)
        default:
            unknown(name)
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
        case "dispatcher.heartbeat":
            let (holder, duration, _) = query.parameters(UUID.self, Int64.self, [String].self)
            return .change { $0.dispatchers[holder] = now + duration }
        case "dispatcher.rank":
            let holder = query.parameters(UUID.self)
            let live = tables.dispatchers.filter { $0.value >= now }.keys
            return .rows([PostgresRowDraft(Int64(live.count), Int64(live.count { $0 < holder }))])
        case "dispatcher.remove":
            let holder = query.parameters(UUID.self)
            return .change(affecting: tables.dispatchers[holder] == nil ? 0 : 1) { $0.dispatchers[holder] = nil }
        case "dispatcher.expired":
            let expired = tables.dispatchers.filter { $0.value < now - 3_600_000_000 }
            return .rows(expired.keys.sorted().map { PostgresRowDraft($0) })
        default:
            unknown(name)
        }
    }

    private static func flush(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (_, adventures, activities, generations, timestamps, positions, states) = query.parameters(
            Int16.self,
            [UUID].self,
            [UUID].self,
            [Int32].self,
            [Int64].self,
            [Int64].self,
            [String].self
        )
        return .change(affecting: adventures.count) { tables in
            for index in adventures.indices {
                let key = MemoryTables.ActivityKey(adventure: adventures[index], activity: activities[index])
                guard var row = tables.activities[key] else { continue }
                let isForCurrentToken = row.state == "live" && row.generation == generations[index]
                tables.flushes[key, default: []].append(
                    MemoryTables.FlushRow(
                        committedAt: tables.commitTime,
                        acknowledgedPosition: positions[index],
                        lastTimestamp: timestamps[index],
                        closedToken: isForCurrentToken && states[index] != "live" ? row.pushToken : nil
                    )
                )
                if defect == .flushesLost { continue }
                if defect != .timestampsLost { row.lastTimestamp = max(row.lastTimestamp, timestamps[index]) }
                row.acknowledgedPosition = max(row.acknowledgedPosition, positions[index])
                if isForCurrentToken, defect != .deadTokensLost || states[index] != "dead" {
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

    /// Extends a lease; an earlier expiry changes nothing.
    fileprivate mutating func renew(_ shard: Int16, until moment: Int64) {
        guard let row = leases[shard], row.expiresAt < moment else { return }
        leases[shard]?.expiresAt = moment
    }

    /// Returns whether a live journey's phase is due between two slots; see the store's statement `shard.due`.
    fileprivate func hasJourney(in shard: Int16, after: Int64, through present: Int64) -> Bool {
        adventures.values.contains { row in
            guard row.shard == shard, row.live, let phase = row.phase.map(Int64.init) else { return false }
            if present - after >= 100 { return true }
            let (low, high) = (after % 100, present % 100)
            return low < high ? phase > low && phase <= high : phase > low || phase <= high
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
        case "log.tail":
            let (shard, position, limit) = query.parameters(Int16.self, Int64.self, Int64.self)
            let events = tables.events[shard] ?? []
            let start = events.partition(after: position)
            return .rows(
                events[start...].prefix(Int(limit)).map {
                    PostgresRowDraft(
                        $0.position,
                        $0.adventure,
                        $0.sequence,
                        $0.tick,
                        $0.kind,
                        PostgresTimestamp($0.at),
                        $0.body
                    )
                }
            )
        case "log.page":
            let (shard, adventure, sequence, limit) = query.parameters(
                Int16.self,
                UUID.self,
                Int32.self,
                Int64.self
            )
            let events = (tables.events[shard] ?? []).lazy.filter { event in
                event.adventure == adventure && event.sequence.map { $0 > sequence } ?? false
            }
            return .rows(
                events.prefix(Int(limit)).map {
                    PostgresRowDraft($0.sequence ?? 0, $0.tick, $0.kind, PostgresTimestamp($0.at), $0.body)
                }
            )
        default:
            unknown(name)
        }
    }

    private static func append(_ query: PostgresQuery, _ defect: Defect?) -> Result {
        let (shard, positions, adventures, sequences, ticks, kinds, moments, bodies) = query.parameters(
            Int16.self,
            [Int64].self,
            [UUID].self,
            [Int32?].self,
            [Int32].self,
            [String].self,
            [PostgresTimestamp].self,
            [JSONB].self
        )
        let stored = defect == .eventLost ? positions.indices.dropLast() : positions.indices[...]
        return .change(affecting: positions.count) { tables in
            for index in stored {
                let newest = tables.events[shard]?.last?.position ?? 0
                if positions[index] != newest + 1 {
                    tables.violations.append(
                        "position \(positions[index]) of shard \(shard) follows \(newest)"
                    )
                }
                tables.events[shard, default: []].append(
                    MemoryTables.EventRow(
                        position: positions[index],
                        adventure: adventures[index],
                        sequence: sequences[index],
                        tick: ticks[index],
                        kind: kinds[index],
                        at: moments[index].microseconds,
                        body: bodies[index],
                        committedAt: tables.commitTime
                    )
                )
            }
        }
    }
}

extension [MemoryTables.EventRow] {
    /// Returns the index of the first row after a position.
    fileprivate func partition(after position: Int64) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
