import APNsClient
import Encodings
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
        pushes = apns.pushes.filter { $0.type == .liveactivity }
        devicePushes = apns.pushes.filter { $0.type != .liveactivity }
        collectDevices(from: tables, apns)
        starts = apns.starts
        collectFlushes(from: tables)
        collectAlertPreferences(from: tables)
        responses = parties.flatMap(\.responses)
        unauthorizedSuccesses = parties.flatMap(\.unauthorizedSuccesses)
        for (shard, row) in tables.shards.sorted(by: { $0.key < $1.key }) {
            do {
                let clockMoves = tables.clockMoves[shard] ?? []
                let shard = Shard(rawValue: UInt8(shard))
                try await readLog(of: shard, head: row.head, clockMoves: clockMoves, from: store)
            } catch {
                unreadable.append("the log of shard \(shard) cannot be read: \(error)")
            }
        }
        await collectAdventures(from: tables, shown: parties.map(\.shown), store)
        await collectProgress(from: tables, store)
        await collectRaids(from: tables, store)
        for (reference, var record) in parties.flatMap(\.activities) where activityEntries[reference] != nil {
            // A delayed request may have restored an older token, which the service cannot notice.
            let stored = tables.activities[MemoryTables.ActivityKey(reference)]
            if let stored, !apns.isValid(stored.pushToken) { record.isAbandoned = true }
            add(reference, shown: apns.activities[reference], record: record)
        }
    }

    private mutating func collectDevices(from tables: MemoryTables, _ apns: SimulatedAPNs) {
        for (key, record) in tables.deviceRecords {
            let reference = DeviceReference(
                playerID: PlayerID(rawValue: key.player),
                deviceID: DeviceID(rawValue: key.device)
            )
            let widgetToken = tables.devices[key]?.widgetToken
            devices[reference] = DeviceHistory(
                record: record,
                livingWidgetToken: widgetToken.flatMap { apns.isValid($0) ? $0 : nil }
            )
        }
    }

    private mutating func collectFlushes(from tables: MemoryTables) {
        for (key, rows) in tables.flushes {
            flushes[ActivityReference(key)] = rows
            for row in rows {
                guard let token = row.closedToken, let hex = DeviceToken(bytes: token)?.hex,
                    tables.tokenRegistrations[token].map({ $0 <= row.committedAt }) ?? true
                else { continue }
                closedTokens[hex] = min(row.committedAt, closedTokens[hex] ?? .max)
            }
        }
    }

    private mutating func collectAlertPreferences(from tables: MemoryTables) {
        for (key, changes) in tables.alertPreferences {
            do {
                alertPreferences[ActivityReference(key)] = try changes.map { change in
                    (from: change.from, preferences: try AlertPreferences(stored: change.stored))
                }
            } catch {
                unreadable.append("the alert preferences of \(ActivityReference(key)) cannot be read: \(error)")
            }
        }
    }

    private mutating func collectAdventures(
        from tables: MemoryTables,
        shown: [[AdventureID: ShownAdventure]],
        _ store: GameStore
    ) async {
        let storedResponses = Self.storedResponses(in: tables)
        for (key, row) in tables.adventures.sorted(by: { $0.key < $1.key }) {
            let id = AdventureID(rawValue: key)
            if let fault = row.fault { unplayable.append("adventure \(id) has a fault: \(fault)") }
            do {
                try await readAdventure(id, from: store, storedResponses: storedResponses[id] ?? [:])
                for hero in adventures[id]?.newest.heroes ?? [] {
                    adventures[id]?.playerNames[hero.playerID] = tables.players[hero.playerID.rawValue]?.displayName
                }
                adventures[id]?.course = Course(
                    opening: try Adventure(encoded: row.opening),
                    startedAt: Timestamp(microseconds: row.startedAt),
                    interval: .microseconds(row.tickInterval),
                    clock: Timestamp(microseconds: tables.shards[row.shard]?.clock ?? 0)
                )
            } catch {
                unreadable.append("adventure \(id) cannot be read: \(error)")
            }
            for record in shown { record[id].map { adventures[id]?.shown.add($0) } }
        }
    }

    /// Returns the stored responses to players' commands, by adventure and idempotency key.
    private static func storedResponses(in tables: MemoryTables) -> [AdventureID: [String: String]] {
        var responses: [AdventureID: [String: String]] = [:]
        for (key, row) in tables.idempotencyRecords {
            // Keys of commands look like "run/<adventure>/<party>/<number>"; see `ScriptedParty`.
            let words = key.key.split(separator: "/")
            guard words.first == "run", let id = AdventureID(String(words[1])) else { continue }
            responses[id, default: [:]][key.key] = row.body
        }
        return responses
    }
}

extension ActivityReference {
    fileprivate init(_ key: MemoryTables.ActivityKey) {
        self.init(
            adventureID: AdventureID(rawValue: key.adventure),
            activityID: ActivityID(rawValue: key.activity)
        )
    }
}

extension MemoryTables.ActivityKey {
    fileprivate init(_ reference: ActivityReference) {
        self.init(adventure: reference.adventureID.rawValue, activity: reference.activityID.rawValue)
    }
}
