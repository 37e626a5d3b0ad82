package import GameCore
package import GameStore

/// Reading the stored data of a run, as the service reads it.
extension RunHistory {
    /// The number of log entries per read.
    private static let pageSize = 5_000

    /// The entries of one activity in its shard's log.
    struct ActivityEntries: Sendable {
        /// The position of the first entry.
        let position: Int64
        var releasedPosition: Int64?
        /// The commit times of all registrations, ascending.
        var registrationTimes: [Int64] = []
    }

    /// Reads the log of a shard.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - head: the last position of its log.
    ///   - isPruned: whether retention removes old entries.
    ///   - store: the store of the run's database.
    ///   - committedAt: returns the commit time of an entry.
    /// - Throws: `PostgresError`; entries that cannot be decoded are listed in ``unreadable``.
    package mutating func readLog(
        of shard: Shard,
        head: Int64,
        isPruned: Bool = false,
        from store: GameStore,
        committedAt: (LogEntry) -> Int64
    ) async throws {
        var log = ShardLog(head: head, entries: [], isPruned: isPruned)
        while true {
            let page = try await store.log(of: shard, after: log.entries.last?.position ?? 0, limit: Self.pageSize)
            for entry in page { log.entries.append(add(entry, of: shard, committedAt: committedAt(entry))) }
            if page.count < Self.pageSize { break }
        }
        logs[Int16(shard.rawValue)] = log
    }

    private mutating func add(_ entry: LogEntry, of shard: Shard, committedAt: Int64) -> CommittedEntry {
        func reference(_ id: ActivityID) -> ActivityReference {
            ActivityReference(adventureID: entry.adventureID, activityID: id)
        }
        let first = ActivityEntries(position: entry.position)
        var sequence: Int?
        switch entry.content {
        case .event(_, let number): sequence = number
        case .activityRegistered(let id, _):
            activityEntries[reference(id), default: first].registrationTimes.append(committedAt)
        case .activityReleased(let id):
            activityEntries[reference(id), default: first].releasedPosition = entry.position
        case .activityPushRequested: break
        case .unreadable(let error):
            unreadable.append("position \(entry.position) of shard \(shard.rawValue): \(error)")
        }
        let committed = CommittedEntry(
            position: entry.position,
            adventureID: entry.adventureID,
            sequence: sequence,
            committedAt: committedAt
        )
        if let sequence { eventEntries[entry.adventureID, default: [:]][sequence] = committed }
        return committed
    }

    /// Adds an adventure of a shard whose log has been read.
    package mutating func add(
        _ record: AdventureRecord,
        _ stored: StoredAdventure,
        storedResponses: [String: String]
    ) {
        let entries = eventEntries[stored.id] ?? [:]
        adventures[stored.id] = AdventureHistory(
            opening: record.opening,
            inputs: record.inputs,
            events: record.events.map { event in
                LoggedEvent(
                    sequence: event.sequence,
                    position: entries[event.sequence]?.position ?? 0,
                    committedAt: entries[event.sequence]?.committedAt ?? 0,
                    event: event.event
                )
            },
            newest: record.newest,
            turnEnds: stored.turnDueAt,
            storedResponses: storedResponses
        )
    }

    /// Adds an activity of a shard whose log has been read.
    package mutating func add(_ reference: ActivityReference, shown: ShownActivity?, record: ActivityRecord) {
        let entries = activityEntries[reference]
        var activity = ActivityHistory(
            registeredPosition: entries?.position ?? 0,
            releasedPosition: entries?.releasedPosition,
            shown: shown ?? ShownActivity(),
            record: record
        )
        activity.registrationTimes = entries?.registrationTimes ?? []
        activities[reference] = activity
    }
}
