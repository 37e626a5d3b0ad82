import Encodings
public import GameCore
import GameLog
public import GameStore
public import Logging
import RangersMetrics
public import ServiceLifecycle

/// Removes expired data: idempotency records, quotas, unused devices, details of adventures that ended long ago, rounds of
/// raids, leftovers of disbanded parties, unused invite codes, scores of past leaderboards, and much later the outlines of
/// adventures, raids and parties, and the history of players.
///
/// It also marks live activities as ended once no device can still show them. The store's clock decides what is expired.
///
/// Every node with the engine role runs a worker. It works shard by shard, in transactions of a few milliseconds
/// that hold no lock which the game waits for. Two workers in the same shard skip each other's rows, or wait briefly. A
/// row locked by another session stays until a later sweep, together with the rest of its transaction and the later
/// steps of its shard.
public struct RetentionWorker: Service {
    /// The interval between sweeps, and so the maximum delay of a removal.
    ///
    /// Expired records are never returned.
    private static let interval = Duration.seconds(10 * 60)
    /// The pause between two batches, which leaves the database time for other work.
    private static let usualPause = Duration.milliseconds(20)
    /// The maximum number of adventures or parties per transaction; each has dozens of rows.
    private static let adventuresPerBatch = 50
    /// The maximum number of batches of invite codes per sweep.
    ///
    /// The next sweep continues after them.
    private static let batchesOfCodes = 20
    /// How long an invite code may be reserved without use: far longer than any request takes.
    private static let codeReservationLifetime = Duration.seconds(60 * 60)

    private let store: GameStore
    private let settings: RetentionSettings
    private let timeAhead: Duration
    private let lockTimeout: Duration
    private let metrics: RetentionMetrics
    private let logger: Logger

    /// Creates a retention worker.
    /// - Parameters:
    ///   - store: the store.
    ///   - settings: the retention periods.
    ///   - timeAhead: how far the worker's time is ahead of the store's, for measurements that do not wait for days.
    ///   - lockTimeout: how long a statement waits for a locked row. The default, a tenth of a second, limits the delay
    ///     of sessions that wait for rows locked by the statement.
    ///   - metrics: the retention worker's metrics.
    ///   - logger: the logger for failures.
    public init(
        store: GameStore,
        settings: RetentionSettings = RetentionSettings(),
        timeAhead: Duration = .zero,
        lockTimeout: Duration = .milliseconds(100),
        metrics: RetentionMetrics = RetentionMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.timeAhead = timeAhead
        self.lockTimeout = lockTimeout
        self.metrics = metrics
        self.logger = logger
    }

    /// Sweeps periodically until graceful shutdown or cancellation.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var codes: InviteCode?
            while !Task.isCancelled {
                do {
                    try await sweep(codesAfter: &codes, pause: Self.usualPause)
                } catch {
                    if !error.isFromStop {
                        metrics.failures.add()
                        logger.error("expired data could not be removed completely", metadata: ["error": "\(error)"])
                    }
                }
                // The sleep throws only on cancellation, which ends the loop.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Removes all expired data of the shards that this version knows, and the unused invite codes after a cursor.
    ///
    /// A failed step is left to a later sweep and does not prevent the other steps, unless so many consecutive steps
    /// fail that the database seems unavailable.
    /// - Parameters:
    ///   - batch: the maximum number of rows removed per transaction; 500 take a few milliseconds.
    ///   - code: the last code of the previous sweep, nil to start from the beginning; set to the cursor of the next
    ///     sweep.
    ///   - pause: the pause between two batches.
    /// - Throws: ``IncompleteSweep`` if data is left after a partial removal; `CancellationError`; `PostgresError`
    ///   if nothing can be read.
    public func sweep(batch: Int = 500, codesAfter code: inout InviteCode?, pause: Duration = .zero) async throws {
        let now = try await store.now() + timeAhead
        var failures = SweepFailures()
        // Nothing is removed from a shard that needs a newer version.
        for shard in try await store.heads(of: Shard.all).filter(\.isSupported).map(\.shard) {
            let steps: [() async throws -> Void] = [
                { try await removeIdempotencyRecords(in: shard, at: now, batch: batch, pause: pause) },
                { try await endActivities(in: shard, at: now, batch: batch, pause: pause) },
                { try await removeDetails(in: shard, at: now, pause: pause) },
                { try await removeEntries(of: shard, at: now, batch: batch, pause: pause) },
                { try await removeLeftovers(in: shard, at: now, pause: pause) },
                { try await removeOutlines(in: shard, at: now, batch: batch, pause: pause) },
                { try await removeQuotas(in: shard, at: now, batch: batch, pause: pause) },
                { try await removeDevices(in: shard, at: now, batch: batch, pause: pause) },
                { try await removeScores(in: shard, at: now, batch: batch, pause: pause) },
                { try await removeRaids(in: shard, at: now, batch: batch, pause: pause) },
            ]
            for step in steps { try await attempt(step, in: shard, noting: &failures) }
        }
        do {
            try await removeCodes(after: &code, at: now, batch: batch, pause: pause)
            try await removeRegistrations(at: now, batch: batch, pause: pause)
        } catch {
            try Task.checkCancellation()
            try failures.note(error, in: nil)
        }
        try failures.throwIfAny()
    }

    private func attempt(
        _ step: () async throws -> Void,
        in shard: Shard,
        noting failures: inout SweepFailures
    ) async throws {
        try Task.checkCancellation()
        do {
            try await step()
            failures.noteSuccess()
        } catch {
            try Task.checkCancellation()
            try failures.note(error, in: shard)
        }
    }

    private func removeCodes(after code: inout InviteCode?, at now: Timestamp, batch: Int, pause: Duration) async throws
    {
        let moment = now - Self.codeReservationLifetime
        for _ in 0..<Self.batchesOfCodes where !Task.isCancelled {
            let step = try await store.removeUnusedCodes(after: code, reservedBefore: moment, limit: batch)
            metrics.removed.add(step.removed, to: .inviteCode)
            code = step.next
            guard code != nil else { break }
            try await Task.sleep(for: pause)
        }
    }

    private func removeRegistrations(at now: Timestamp, batch: Int, pause: Duration) async throws {
        let expiry = now - GameCommands.idempotencyRecordLifetime
        while !Task.isCancelled {
            let removed = try await store.removeRegistrations(createdUntil: expiry, limit: batch)
            metrics.removed.add(removed, to: .registration)
            guard removed == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeIdempotencyRecords(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws
    {
        let expiry = now - GameCommands.idempotencyRecordLifetime
        while !Task.isCancelled {
            let removed = try await store.removeIdempotencyRecords(createdUntil: expiry, in: shard, limit: batch)
            metrics.removed.add(removed, to: .idempotencyRecord)
            guard removed == batch else { break }
            try await Task.sleep(for: pause)
        }
        // An owner with more than the limit writes faster than the limit allows for a day, or did so until lately.
        let window = Self.interval * 2
        while !Task.isCancelled {
            let removed = try await store.removeIdempotencyRecords(
                beyond: GameCommands.maxIdempotencyRecords,
                ofOwnersWith: Int(
                    Double(GameCommands.maxIdempotencyRecords) * (window / GameCommands.idempotencyRecordLifetime)
                ),
                createdAfter: now - window,
                in: shard,
                limit: batch
            )
            metrics.removed.add(removed, to: .idempotencyRecord)
            guard removed == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeQuotas(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        while !Task.isCancelled {
            let removed = try await store.removeQuotas(before: now, in: shard, limit: batch)
            metrics.removed.add(removed, to: .quota)
            guard removed == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeDevices(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        while !Task.isCancelled {
            let moment = now - RetentionSettings.deviceAge
            let removed = try await store.removeDevices(unusedSince: moment, in: shard, limit: batch)
            metrics.removed.add(removed, to: .device)
            guard removed == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeScores(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        while !Task.isCancelled {
            let moment = now - RetentionSettings.minAge
            let removed = try await store.removeScores(endedBefore: moment, in: shard, limit: batch)
            metrics.removed.add(removed, to: .score)
            guard removed == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeRaids(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        while !Task.isCancelled {
            let removed = try await store.removeRaidRounds(endedBefore: now - settings.ended, in: shard, limit: batch)
            metrics.removed.add(removed, to: .raidRound)
            guard removed == batch else { break }
            try await Task.sleep(for: pause)
        }
        // Their fights are removed in an earlier step.
        let moment = now - settings.outlines
        while !Task.isCancelled {
            let removed = try await store.removeRaids(endedBefore: moment, in: shard, limit: batch)
            metrics.removed.add(removed.raids, to: .raid)
            guard removed.hasMore else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func endActivities(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        let moment = now - settings.activities
        while !Task.isCancelled {
            let ended = try await store.endActivities(
                registeredBefore: moment,
                in: shard,
                limit: batch,
                lockTimeout: lockTimeout
            )
            guard ended == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeDetails(in shard: Shard, at now: Timestamp, pause: Duration) async throws {
        while !Task.isCancelled {
            let removed = try await store.removeDetails(
                ofAdventuresEndedBefore: now - settings.ended,
                in: shard,
                limit: Self.adventuresPerBatch,
                at: now,
                lockTimeout: lockTimeout
            )
            metrics.removed.add(removed.adventures, to: .adventure)
            metrics.removed.add(removed.activities, to: .activity)
            metrics.removed.add(removed.decisions, to: .decisions)
            guard removed.adventures == Self.adventuresPerBatch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeEntries(of shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        let moment = now - settings.ended
        var position: Int64? = 0
        while let reached = position, !Task.isCancelled {
            let step = try await store.removeEntries(
                of: shard,
                after: reached,
                recordedBefore: moment,
                limit: batch,
                lockTimeout: lockTimeout
            )
            metrics.removed.add(step.removed, to: .entry)
            position = step.next
            if position != nil { try await Task.sleep(for: pause) }
        }
    }

    private func removeLeftovers(in shard: Shard, at now: Timestamp, pause: Duration) async throws {
        while !Task.isCancelled {
            let parties = try await store.removeLeftovers(
                ofPartiesDisbandedBefore: now - settings.ended,
                in: shard,
                limit: Self.adventuresPerBatch,
                at: now,
                lockTimeout: lockTimeout
            )
            metrics.removed.add(parties, to: .party)
            guard parties == Self.adventuresPerBatch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeOutlines(in shard: Shard, at now: Timestamp, batch: Int, pause: Duration) async throws {
        let moment = now - settings.outlines
        // A player may leave a party during an adventure, whose outline is kept from its end on.
        let margin = RetentionSettings.minAge
        let removals: [(kind: RetentionMetrics.Kind, limit: Int, remove: () async throws -> Int)] = [
            (
                .adventureOutline, Self.adventuresPerBatch,
                {
                    try await store.removeOutlines(
                        ofAdventuresEndedBefore: moment,
                        in: shard,
                        limit: Self.adventuresPerBatch,
                        lockTimeout: lockTimeout
                    )
                }
            ),
            (
                .partyOutline, Self.adventuresPerBatch,
                {
                    try await store.removeOutlines(
                        ofPartiesDisbandedBefore: moment,
                        in: shard,
                        limit: Self.adventuresPerBatch,
                        lockTimeout: lockTimeout
                    )
                }
            ),
            (
                .leftParty, batch,
                { try await store.removeParties(leftBefore: moment - margin, in: shard, limit: batch) }
            ),
            (
                .playedAdventure, batch,
                { try await store.removeHistory(endedBefore: moment, in: shard, limit: batch) }
            ),
        ]
        for removal in removals {
            while !Task.isCancelled {
                let removed = try await removal.remove()
                metrics.removed.add(removed, to: removal.kind)
                guard removed == removal.limit else { break }
                try await Task.sleep(for: pause)
            }
        }
    }
}
