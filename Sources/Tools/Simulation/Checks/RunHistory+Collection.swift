import APNsClient
import Foundation
import GameCore
import GameStore
import PostgresClient

extension RunHistory {
    /// Collects the history of a run, reading adventures as the service does.
    init(of store: GameStore, database: MemoryDatabase, apns: SimulatedAPNs, parties: [ScriptedParty]) async {
        self.init()
        let tables = database.tables
        constraintViolations = tables.violations
        pushes = apns.pushes
        collectFlushes(from: tables)
        responses = parties.flatMap(\.responses)
        unauthorizedSuccesses = parties.flatMap(\.unauthorizedSuccesses)
        for (shard, row) in tables.shards { logs[shard] = Self.log(of: tables.events[shard] ?? [], head: row.head) }
        await collectAdventures(from: tables, store)
        let records = parties.reduce(into: [:]) { $0.merge($1.activities) { $1 } }
        for shard in tables.shards.keys { collectActivities(of: shard, from: tables, apns, records) }
    }

    private mutating func collectFlushes(from tables: MemoryTables) {
        for (key, rows) in tables.flushes {
            let reference = ActivityReference(
                adventureID: AdventureID(rawValue: key.adventure),
                activityID: ActivityID(rawValue: key.activity)
            )
            flushes[reference] = rows.map { row in
                Flush(
                    committedAt: row.committedAt,
                    acknowledgedPosition: row.acknowledgedPosition,
                    lastTimestamp: row.lastTimestamp
                )
            }
            for row in rows {
                guard let token = row.closedToken, let hex = DeviceToken(bytes: token)?.hex,
                    tables.tokenRegistrations[token].map({ $0 <= row.committedAt }) ?? true
                else { continue }
                closedTokens[hex] = min(row.committedAt, closedTokens[hex] ?? .max)
            }
        }
    }

    private mutating func collectAdventures(from tables: MemoryTables, _ store: GameStore) async {
        let storedResponses = Self.storedResponses(in: tables)
        for id in tables.adventures.keys.sorted().map(AdventureID.init(rawValue:)) {
            let logged = Dictionary(
                (tables.events[id.rawValue.shard] ?? []).lazy.filter { $0.adventure == id.rawValue }
                    .compactMap { row in row.sequence.map { (Int($0), (row.position, row.committedAt)) } },
                uniquingKeysWith: { first, _ in first }
            )
            do {
                guard let record = try await store.record(of: id), let stored = try await store.adventure(id) else {
                    constraintViolations.append("adventure \(id) is missing")
                    continue
                }
                adventures[id] = AdventureHistory(
                    opening: record.opening,
                    inputs: record.inputs,
                    events: record.events.map { event in
                        let (position, committedAt) = logged[event.sequence] ?? (0, 0)
                        return LoggedEvent(
                            sequence: event.sequence,
                            position: position,
                            committedAt: committedAt,
                            event: event.event
                        )
                    },
                    newest: record.newest,
                    turnEnds: stored.turnDueAt,
                    storedResponses: storedResponses[id] ?? [:]
                )
            } catch {
                constraintViolations.append("adventure \(id) cannot be read: \(error)")
            }
        }
    }

    private static func log(of rows: [MemoryTables.EventRow], head: Int64) -> ShardLog {
        ShardLog(
            head: head,
            entries: rows.map { row in
                CommittedEntry(
                    position: row.position,
                    adventureID: AdventureID(rawValue: row.adventure),
                    sequence: row.sequence.map(Int.init),
                    committedAt: row.committedAt
                )
            }
        )
    }

    /// Returns the stored responses to players' commands, by adventure and idempotency key.
    private static func storedResponses(in tables: MemoryTables) -> [AdventureID: [String: String]] {
        var responses: [AdventureID: [String: String]] = [:]
        for (key, row) in tables.idempotencyRecords {
            // Keys of commands look like "run/<adventure>/<party>/<number>"; see `ScriptedParty`.
            let words = key.key.split(separator: "/")
            guard words.first == "run", let id = AdventureID(String(words[1])) else { continue }
            responses[id, default: [:]][key.key] = row.response
        }
        return responses
    }

    /// Collects the activities in the log of a shard.
    private mutating func collectActivities(
        of shard: Int16,
        from tables: MemoryTables,
        _ apns: SimulatedAPNs,
        _ records: [ActivityReference: ActivityRecord]
    ) {
        for row in tables.events[shard] ?? [] where row.sequence == nil {
            let text = String(decoding: row.body.utf8, as: UTF8.self)
            // {"activityID":"…","sequence":…}
            let words = text.split(separator: "\"")
            guard words.count > 3, let activityID = ActivityID(String(words[3])) else { continue }
            let reference = ActivityReference(
                adventureID: AdventureID(rawValue: row.adventure),
                activityID: activityID
            )
            guard let record = records[reference] else { continue }
            var activity =
                activities[reference]
                ?? ActivityHistory(
                    registeredPosition: row.position,
                    shown: apns.activities[reference] ?? ShownActivity(),
                    record: record
                )
            // A delayed request may have restored an older token, which the service cannot notice.
            let key = MemoryTables.ActivityKey(adventure: row.adventure, activity: activityID.rawValue)
            if let stored = tables.activities[key], !apns.isValid(stored.pushToken) {
                activity.record.isAbandoned = true
            }
            if row.kind == "activityRegistered" { activity.registrationTimes.append(row.committedAt) }
            if row.kind == "activityReleased" { activity.releasedPosition = row.position }
            activities[reference] = activity
        }
    }
}
