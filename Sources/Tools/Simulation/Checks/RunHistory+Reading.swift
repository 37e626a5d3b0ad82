import Encodings
package import GameCore
import GameLog
package import GameStore

/// Reading the stored data of a run, as the service reads it.
extension RunHistory {
    /// The number of log entries per read.
    private static let pageSize = 5_000

    /// Reads the log of a shard.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - head: the last position of its log.
    ///   - isPruned: whether retention removes old entries.
    ///   - clockMoves: the clocks of the shard in commit order; empty if they are not known.
    ///   - store: the store of the run's database.
    /// - Throws: `PostgresError`; entries that cannot be decoded are listed in ``unreadable``.
    package mutating func readLog(
        of shard: Shard,
        head: Int64,
        isPruned: Bool = false,
        clockMoves: [MemoryTables.ClockMoveRow] = [],
        from store: GameStore
    ) async throws {
        var log = ShardLog(head: head, isPruned: isPruned, clockMoves: clockMoves)
        while true {
            let page = try await store.log(of: shard, after: log.entries.last?.position ?? 0, limit: Self.pageSize)
            log.entries += page
            if page.count < Self.pageSize { break }
        }
        logs[Int16(shard.rawValue)] = log
        for entry in log.entries { add(entry, of: shard, in: log) }
    }

    private mutating func add(_ entry: LogEntry, of shard: Shard, in log: ShardLog) {
        switch (entry.content, entry.adventureID) {
        case (.input, let id?): inputs[id, default: []].append(entry)
        case (.outage, _): outages[Int16(shard.rawValue), default: []].append(entry)
        case (.raid, _): raidEntries[Int16(shard.rawValue), default: []].append(entry)
        case (.activityRegistered(let activity), let id?):
            let reference = ActivityReference(adventureID: id, activityID: activity)
            activityEntries[reference, default: ActivityEntries(registeredAt: entry.at)]
                .registrationTimes.append(log.commitTime(of: entry.at))
        case (.activityReleased(let activity), let id?):
            let reference = ActivityReference(adventureID: id, activityID: activity)
            activityEntries[reference, default: ActivityEntries(registeredAt: entry.at)].releasedAt = entry.at
        case (.unreadable(let error), _):
            unreadable.append("position \(entry.position) of shard \(shard.rawValue): \(error)")
        case (.started, _), (.ended, _), (.activityPushRequested, _), (_, nil): break
        }
    }

    /// Reads an adventure of a shard whose log has been read.
    ///
    /// An adventure that does not exist is listed in ``unreadable``, one that cannot be replayed in ``unplayable``.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - store: the store of the run's database.
    ///   - storedResponses: the stored responses to its commands, by idempotency key.
    /// - Throws: `PostgresError`.
    package mutating func readAdventure(
        _ id: AdventureID,
        from store: GameStore,
        storedResponses: [String: String]
    ) async throws {
        do {
            var events: [StoredEvent] = []
            let found = try await store.adventures([id], of: id.shard) { events.append($1) }
            guard let stored = try found.first?.get(), try await store.replay(id) != nil else {
                unreadable.append("adventure \(id) is missing")
                return
            }
            adventures[id] = AdventureHistory(
                inputs: inputs[id] ?? [],
                events: events,
                newest: stored.adventure,
                turnEnds: stored.turnDueAt,
                storedResponses: storedResponses,
                endedAt: stored.endedAt,
                gainedExperience: stored.gainedExperience
            )
        } catch let error as StoreError {
            unplayable.append("adventure \(id) cannot be replayed: \(error)")
        }
    }

    /// Adds an activity of a shard whose log has been read.
    package mutating func add(_ reference: ActivityReference, shown: ShownActivity?, record: ActivityRecord) {
        activities[reference] = ActivityHistory(
            entries: activityEntries[reference] ?? ActivityEntries(registeredAt: Timestamp(microseconds: 0)),
            shown: shown ?? ShownActivity(),
            record: record
        )
    }
}
