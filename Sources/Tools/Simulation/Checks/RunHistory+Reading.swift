package import Encodings
package import GameCore
package import GameStore

/// Reading the stored data of a run, as the service reads it.
extension RunHistory {
    /// The number of log entries per read.
    private static let pageSize = 5_000

    /// The entries of one activity in its shard's log.
    struct ActivityEntries: Sendable {
        /// The moment of the first entry.
        let registeredAt: Timestamp
        var releasedAt: Timestamp?
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
        switch entry.content {
        case .started, .ended, .activityPushRequested: break
        case .input(let input):
            guard let id = entry.adventureID else { break }
            inputs[id, default: []].append(Input(position: entry.position, at: entry.at, input: input))
        case .outage(let duration):
            let outage = Outage(position: entry.position, at: entry.at, duration: duration)
            outages[Int16(shard.rawValue), default: []].append(outage)
        case .activityRegistered(let id):
            update(id, in: entry) { $0.registrationTimes.append(committedAt) }
        case .activityReleased(let id):
            update(id, in: entry) { $0.releasedAt = entry.at }
        case .unreadable(let error):
            unreadable.append("position \(entry.position) of shard \(shard.rawValue): \(error)")
        }
        return CommittedEntry(
            position: entry.position,
            adventureID: entry.adventureID,
            at: entry.at,
            committedAt: committedAt
        )
    }

    private mutating func update(_ id: ActivityID, in entry: LogEntry, _ change: (inout ActivityEntries) -> Void) {
        guard let adventureID = entry.adventureID else { return }
        let reference = ActivityReference(adventureID: adventureID, activityID: id)
        change(&activityEntries[reference, default: ActivityEntries(registeredAt: entry.at)])
    }

    /// Reads an adventure of a shard whose log has been read.
    ///
    /// An adventure that does not exist is listed in ``unreadable``, one that cannot be replayed in ``unplayable``.
    /// - Parameters:
    ///   - id: the adventure.
    ///   - store: the store of the run's database.
    ///   - storedResponses: the stored responses to its commands, by idempotency key.
    ///   - committedAt: returns when a moment was decided.
    /// - Returns: the adventure; nil if it is listed in one of them.
    /// - Throws: `PostgresError`.
    @discardableResult
    package mutating func readAdventure(
        _ id: AdventureID,
        from store: GameStore,
        storedResponses: [String: String],
        committedAt: (Timestamp) -> Int64
    ) async throws -> StoredAdventure? {
        do {
            var events: [DerivedEvent] = []
            let found = try await store.adventures([id], of: id.shard, playingEnded: true) { _, event in
                events.append(DerivedEvent(event, committedAt: committedAt(event.at)))
            }
            guard let stored = try found.first?.get(), try await store.replay(id) != nil else {
                unreadable.append("adventure \(id) is missing")
                return nil
            }
            adventures[id] = AdventureHistory(
                inputs: inputs[id] ?? [],
                events: events,
                newest: stored.adventure,
                turnEnds: stored.turnDueAt,
                storedResponses: storedResponses
            )
            return stored
        } catch let error as StoreError {
            unplayable.append("adventure \(id) cannot be replayed: \(error)")
            return nil
        }
    }

    /// Adds an activity of a shard whose log has been read.
    package mutating func add(_ reference: ActivityReference, shown: ShownActivity?, record: ActivityRecord) {
        let entries = activityEntries[reference]
        var activity = ActivityHistory(
            registeredAt: entries?.registeredAt ?? Timestamp(microseconds: 0),
            releasedAt: entries?.releasedAt,
            shown: shown ?? ShownActivity(),
            record: record
        )
        activity.registrationTimes = entries?.registrationTimes ?? []
        activities[reference] = activity
    }
}
