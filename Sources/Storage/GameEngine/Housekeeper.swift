import Encodings
public import GameCore
public import GameStore
public import Logging
import RangersMetrics
public import ServiceLifecycle
public import ServiceRuntime

/// Removes what was kept for a time that is over: answers to repeatable requests, details of adventures that ended long
/// ago, what disbanded parties have left behind, and invite codes that no party has.
///
/// Cards that no phone can show any more are taken for ended. Every node that plays does this, shard by shard, in
/// transactions of some milliseconds that hold no lock which a game waits for; two that meet leave each other's rows alone,
/// or wait for each other a little. What somebody holds stays until a later round, with what its shard would lose in the same
/// transaction and after it.
public struct Housekeeper: Service {
    /// How long things stay at most beyond their time, which nobody notices: expired ones are given to nobody.
    private static let interval = Duration.seconds(10 * 60)
    /// Between two batches: the database has more to do.
    private static let usualPause = Duration.milliseconds(20)
    /// How many adventures or parties one transaction takes: each has some dozens of rows.
    private static let adventuresPerBatch = 50
    /// How many batches of codes one round looks at; the next goes on behind them.
    private static let batchesOfCodes = 20
    /// Far longer than any request that has reserved a code takes to use it.
    private static let codesAreReserved = Duration.seconds(60 * 60)

    private let store: GameStore
    private let settings: RetentionSettings
    private let runtime: Runtime
    private let lockTimeout: Duration
    private let metrics: RetentionMetrics
    private let logger: Logger

    /// A housekeeper on one node.
    /// - Parameters:
    ///   - store: what is swept.
    ///   - settings: how long what is kept.
    ///   - runtime: the clock.
    ///   - lockTimeout: how long a statement waits for a row that somebody has locked: a tenth of a second, so that whoever
    ///     may wait for the rows that it holds meanwhile does not notice.
    ///   - metrics: what is counted.
    ///   - logger: for failures.
    public init(
        store: GameStore,
        settings: RetentionSettings = RetentionSettings(),
        runtime: Runtime,
        lockTimeout: Duration = .milliseconds(100),
        metrics: RetentionMetrics = RetentionMetrics(),
        logger: Logger
    ) {
        self.store = store
        self.settings = settings
        self.runtime = runtime
        self.lockTimeout = lockTimeout
        self.metrics = metrics
        self.logger = logger
    }

    /// Sweeps now and then until graceful shutdown or cancellation.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var codes: InviteCode?
            while !Task.isCancelled {
                do {
                    try await sweep(codesAfter: &codes, pause: Self.usualPause)
                } catch {
                    if !Task.isCancelled {
                        metrics.failures.add()
                        logger.error("not all that has expired could be removed", metadata: ["error": "\(error)"])
                    }
                }
                // The sleep ends early only by cancellation, which the loop's condition sees.
                try? await Task.sleep(for: Self.interval)
            }
        }
    }

    /// Removes everything that has expired by now; of the codes, those behind a place.
    ///
    /// What fails is left to a later round, and the rest is removed, unless so much fails in a row that the database is
    /// taken for away.
    /// - Parameters:
    ///   - batch: how many rows one transaction may remove; 500 are a few milliseconds' work.
    ///   - code: the last code that was looked at, nil to begin anew; told where the next round is to go on.
    ///   - pause: how long to wait between two batches.
    /// - Throws: ``IncompleteSweep`` when something is left; what was removed stays removed. `CancellationError`.
    public func sweep(batch: Int = 500, codesAfter code: inout InviteCode?, pause: Duration = .zero) async throws {
        var faults = SweepFaults()
        for shard in Shard.all {
            let chores: [() async throws -> Void] = [
                { try await removeAnswers(in: shard, batch: batch, pause: pause) },
                { try await endActivities(in: shard, batch: batch, pause: pause) },
                { try await removeDetails(in: shard, pause: pause) },
                { try await removeEvents(of: shard, batch: batch, pause: pause) },
                { try await removeLeftovers(in: shard, pause: pause) },
            ]
            for chore in chores { try await attempt(chore, in: shard, noting: &faults) }
        }
        do {
            try await removeCodes(after: &code, batch: batch, pause: pause)
        } catch {
            try Task.checkCancellation()
            try faults.note(error, in: nil)
        }
        try faults.tell()
    }

    private func attempt(
        _ chore: () async throws -> Void,
        in shard: Shard,
        noting faults: inout SweepFaults
    ) async throws {
        try Task.checkCancellation()
        do {
            try await chore()
            faults.noteSuccess()
        } catch {
            try Task.checkCancellation()
            try faults.note(error, in: shard)
        }
    }

    private func removeCodes(after code: inout InviteCode?, batch: Int, pause: Duration) async throws {
        let moment = runtime.now() - Self.codesAreReserved
        for _ in 0..<Self.batchesOfCodes where !Task.isCancelled {
            let step = try await store.removeUnusedCodes(after: code, reservedBefore: moment, atMost: batch)
            metrics.removed.add(step.removed, to: .inviteCode)
            code = step.next
            guard code != nil else { break }
            try await Task.sleep(for: pause)
        }
    }

    private func removeAnswers(in shard: Shard, batch: Int, pause: Duration) async throws {
        let expiry = runtime.now() - GameCommands.answersAreKept
        while !Task.isCancelled {
            let removed = try await store.removeAnswers(keptUntil: expiry, in: shard, atMost: batch)
            metrics.removed.add(removed, to: .answer)
            guard removed == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func endActivities(in shard: Shard, batch: Int, pause: Duration) async throws {
        let moment = runtime.now() - settings.cards
        while !Task.isCancelled {
            let ended = try await store.endActivities(
                registeredBefore: moment,
                in: shard,
                atMost: batch,
                lockTimeout: lockTimeout
            )
            guard ended == batch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeDetails(in shard: Shard, pause: Duration) async throws {
        let now = runtime.now()
        while !Task.isCancelled {
            let removed = try await store.removeDetails(
                ofAdventuresEndedBefore: now - settings.ended,
                in: shard,
                atMost: Self.adventuresPerBatch,
                at: now,
                lockTimeout: lockTimeout
            )
            metrics.removed.add(removed.adventures, to: .adventure)
            metrics.removed.add(removed.inputs, to: .input)
            metrics.removed.add(removed.activities, to: .activity)
            metrics.removed.add(removed.decisions, to: .decisions)
            guard removed.adventures == Self.adventuresPerBatch else { return }
            try await Task.sleep(for: pause)
        }
    }

    private func removeEvents(of shard: Shard, batch: Int, pause: Duration) async throws {
        let moment = runtime.now() - settings.ended
        var position: Int64? = 0
        while let reached = position, !Task.isCancelled {
            let step = try await store.removeEvents(
                of: shard,
                after: reached,
                recordedBefore: moment,
                atMost: batch,
                lockTimeout: lockTimeout
            )
            metrics.removed.add(step.removed, to: .event)
            position = step.next
            if position != nil { try await Task.sleep(for: pause) }
        }
    }

    private func removeLeftovers(in shard: Shard, pause: Duration) async throws {
        let now = runtime.now()
        while !Task.isCancelled {
            let parties = try await store.removeLeftovers(
                ofPartiesDisbandedBefore: now - settings.ended,
                in: shard,
                atMost: Self.adventuresPerBatch,
                at: now,
                lockTimeout: lockTimeout
            )
            metrics.removed.add(parties, to: .party)
            guard parties == Self.adventuresPerBatch else { return }
            try await Task.sleep(for: pause)
        }
    }
}
