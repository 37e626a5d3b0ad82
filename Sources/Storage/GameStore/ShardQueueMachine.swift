import GameCore

/// Decides how many transactions of a node wait for the lock of one shard's row.
///
/// Two transactions of a shard wait for the database at once, each with a connection. The others are queued in memory,
/// without one, and take the place of a transaction that gets the lock. If no transaction of the node has the lock, nor
/// gets it for a while, another session holds the row: the queued transactions are refused then, and new ones at once, so
/// that the connections stay free for other shards and for reads.
struct ShardQueueMachine {
    typealias Instant = ContinuousClock.Instant

    /// The maximum number of transactions of a shard that wait for the database: the next one can lock the row as soon as
    /// the one before has committed.
    static let maxWaiters = 2
    /// The maximum number of queued transactions of a shard, which take about a second.
    static let maxQueued = 256
    /// How long a transaction is queued at most, as long as a pool lets a caller wait for a connection.
    static let maxQueueTime = Duration.seconds(5)
    /// How long a transaction of the node may have the lock before others are refused: as long as one waits for it.
    static let maxHoldTime = Duration.seconds(4)
    /// For how long a shard counts as held after the last transaction that waited in vain.
    static let memory = Duration.seconds(60)

    /// The place of a queued transaction.
    typealias Ticket = Int

    /// The answer to a transaction that is about to lock a shard.
    enum Entry: Equatable {
        /// Lock the row.
        case proceed
        /// Wait until the ticket is called.
        case wait(Ticket)
        /// Give up: another session holds the row, or too many transactions are queued.
        case refuse
    }

    /// How a transaction's wait for the lock ended.
    enum Outcome {
        /// The transaction has the lock.
        case locked
        /// The wait exceeded its time limit.
        case timedOut
        /// The transaction failed for another reason.
        case failed
    }

    /// The transactions of one shard.
    private struct Line {
        /// The number of transactions that wait for the lock, or for a connection before that.
        var waiters = 0
        /// The number of transactions that have the lock, or have committed just now.
        var holders = 0
        /// Since when transactions have waited for the lock without any of them getting it; nil if none waits.
        var stuckSince: Instant?
        /// When a wait last exceeded its time limit; nil if a transaction has got the lock since.
        var timedOutAt: Instant?
        /// The queued transactions, the first one first.
        var queued: [(ticket: Ticket, since: Instant)] = []

        var isTrivial: Bool { waiters == 0 && holders == 0 && timedOutAt == nil }

        /// Notes that a transaction has got the lock, or has released it.
        mutating func progress(at now: Instant) {
            stuckSince = waiters > 0 ? now : nil
            timedOutAt = nil
        }
    }

    private let stallLimit: Duration
    private var lines: [Shard: Line] = [:]
    private var lastTicket: Ticket = 0

    /// Creates a machine.
    /// - Parameter stallLimit: how long transactions wait, while none of the node has the lock, before others are refused.
    init(stallLimit: Duration) {
        self.stallLimit = stallLimit
    }

    /// Admits a transaction that is about to lock a shard.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - isUrgent: whether the transaction is neither queued nor refused: the engine's, of which there is one at most.
    ///   - now: the time.
    /// - Returns: the answer.
    mutating func enter(_ shard: Shard, isUrgent: Bool, at now: Instant) -> Entry {
        var line = lines[shard] ?? Line()
        if line.waiters == 0, let timedOutAt = line.timedOutAt, now - timedOutAt > Self.memory {
            line.progress(at: now)
        }
        defer { lines[shard] = line }
        if line.waiters >= Self.maxWaiters, !isUrgent {
            guard !isHeld(line, at: now), line.queued.count < Self.maxQueued else { return .refuse }
            lastTicket += 1
            line.queued.append((lastTicket, now))
            return .wait(lastTicket)
        }
        line.waiters += 1
        return .proceed
    }

    /// Records that an admitted transaction has a connection, and begins to wait for the lock.
    mutating func begin(_ shard: Shard, at now: Instant) {
        let stuckSince = lines[shard]?.stuckSince ?? now
        lines[shard]?.stuckSince = stuckSince
    }

    /// Records that a transaction does not wait for the database any more.
    /// - Returns: the queued transactions that lock the row next.
    mutating func leave(_ shard: Shard, _ outcome: Outcome, at now: Instant) -> [Ticket] {
        guard var line = lines[shard], line.waiters > 0 else {
            preconditionFailure("no transaction waits for shard \(shard.rawValue)")
        }
        line.waiters -= 1
        switch outcome {
        case .locked:
            line.holders += 1
            line.progress(at: now)
        case .timedOut: line.timedOutAt = now
        case .failed: if line.waiters == 0, line.timedOutAt == nil { line.stuckSince = nil }
        }
        let called = line.queued.prefix(max(0, Self.maxWaiters - line.waiters))
        line.queued.removeFirst(called.count)
        line.waiters += called.count
        lines[shard] = line.isTrivial ? nil : line
        return called.map(\.ticket)
    }

    /// Records that a transaction that had the lock has ended.
    mutating func release(_ shard: Shard, at now: Instant) {
        lines[shard]?.holders -= 1
        noteProgress(in: shard, at: now)
    }

    /// Records that the engine has locked a shard without waiting.
    mutating func noteProgress(in shard: Shard, at now: Instant) {
        guard var line = lines[shard] else { return }
        line.progress(at: now)
        lines[shard] = line.isTrivial ? nil : line
    }

    /// Refuses a queued transaction if another session holds the row, or if it has been queued for too long.
    /// - Returns: zero if it is refused; otherwise how long it may wait at least; nil if it is queued no longer.
    mutating func remainingWait(of ticket: Ticket, for shard: Shard, at now: Instant) -> Duration? {
        guard let line = lines[shard], let index = line.queued.firstIndex(where: { $0.ticket == ticket }) else {
            return nil
        }
        let rest = Self.maxQueueTime - (now - line.queued[index].since)
        guard isHeld(line, at: now) || rest <= .zero else {
            // A transaction that has the lock may end at any time.
            return min(rest, stallLimit, limit(of: line) - (now - (line.stuckSince ?? now)))
        }
        lines[shard]?.queued.remove(at: index)
        return .zero
    }

    /// Removes a queued transaction that was cancelled.
    /// - Returns: false if it is queued no longer: it was called, and waits for the database.
    mutating func abandon(_ ticket: Ticket, for shard: Shard) -> Bool {
        guard let index = lines[shard]?.queued.firstIndex(where: { $0.ticket == ticket }) else { return false }
        lines[shard]?.queued.remove(at: index)
        return true
    }

    /// Returns the shards whose rows another session holds, in order, as far as transactions have noticed.
    func heldShards(at now: Instant) -> [Shard] {
        lines.filter { _, line in
            isHeld(line, at: now) && (line.waiters > 0 || line.timedOutAt.map { now - $0 <= Self.memory } ?? false)
        }.keys.sorted()
    }

    private func isHeld(_ line: Line, at now: Instant) -> Bool {
        line.stuckSince.map { now - $0 >= limit(of: line) } ?? false
    }

    private func limit(of line: Line) -> Duration { line.holders > 0 ? Self.maxHoldTime : stallLimit }
}
