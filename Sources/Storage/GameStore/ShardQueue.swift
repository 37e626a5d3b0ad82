public import GameCore
import GameLog
import PostgresClient
import Synchronization

/// Keeps a shard whose row another session holds from taking the connections of a node.
///
/// All stores of a node share one. ``ShardQueueMachine`` decides which transactions wait for the database, which wait in
/// memory, and which are refused with ``StoreError/shardBusy(_:)``.
public final class ShardQueue: Sendable {
    private struct State {
        var machine: ShardQueueMachine
        var calls: [ShardQueueMachine.Ticket: AsyncStream<Bool>.Continuation] = [:]
        /// The tickets that were called, and whose transactions have not noticed it.
        var called: Set<ShardQueueMachine.Ticket> = []
    }

    private let stallLimit: Duration
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Mutex<State>

    /// Creates a queue.
    /// - Parameters:
    ///   - stallLimit: how long transactions wait, while none of the node has the lock, before others are refused. By
    ///     default a second: much longer than the few transactions of other nodes need that PostgreSQL lets pass before.
    ///   - uptime: returns the monotonic clock's time.
    ///   - sleep: suspends the task for a duration of the monotonic clock.
    public init(
        stallLimit: Duration = .seconds(1),
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.stallLimit = stallLimit
        self.uptime = uptime
        self.sleep = sleep
        state = Mutex(State(machine: ShardQueueMachine(stallLimit: stallLimit)))
    }

    /// The shards whose rows another session holds, in order, as far as transactions have noticed.
    public var heldShards: [Shard] { state.withLock { $0.machine.heldShards(at: uptime()) } }

    /// Runs a transaction that locks a shard's row, once it may wait for the lock.
    /// - Parameters:
    ///   - shard: the shard.
    ///   - isUrgent: whether the transaction is neither queued nor refused.
    ///   - body: the transaction. It calls ``Turn/begin()`` before it locks the row, and ``Turn/locked()`` afterwards.
    /// - Returns: the result of `body`.
    /// - Throws: ``StoreError/shardBusy(_:)`` if another session holds the lock; errors of `body`.
    func withTurn<Result: Sendable>(
        in shard: Shard,
        isUrgent: Bool = false,
        _ body: (Turn) async throws -> Result
    ) async throws -> Result {
        switch state.withLock({ enter(shard, isUrgent: isUrgent, &$0) }) {
        case (.proceed, _): break
        case (.refuse, _): throw StoreError.shardBusy(shard)
        case (.wait(let ticket), let calls): try await wait(ticket, for: shard, calls)
        }
        let turn = Turn(in: shard, of: self)
        do {
            let result = try await body(turn)
            turn.end(.failed)
            return result
        } catch {
            guard Self.isTimeout(error), turn.end(.timedOut) else {
                turn.end(.failed)
                throw error
            }
            throw StoreError.shardBusy(shard)
        }
    }

    /// Notes that the engine has locked a shard without waiting.
    func noteProgress(in shard: Shard) { state.withLock { $0.machine.noteProgress(in: shard, at: uptime()) } }

    private func enter(_ shard: Shard, isUrgent: Bool, _ state: inout State) -> (
        ShardQueueMachine.Entry, AsyncStream<Bool>?
    ) {
        let entry = state.machine.enter(shard, isUrgent: isUrgent, at: uptime())
        guard case .wait(let ticket) = entry else { return (entry, nil) }
        let (calls, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.calls[ticket] = continuation
        return (entry, calls)
    }

    /// Waits until the ticket is called.
    private func wait(_ ticket: ShardQueueMachine.Ticket, for shard: Shard, _ calls: AsyncStream<Bool>?) async throws {
        let isCalled = await withTaskGroup(of: Void.self, returning: Bool?.self) { group in
            group.addTask { await self.refuse(ticket, for: shard) }
            defer { group.cancelAll() }
            var answers = calls?.makeAsyncIterator()
            return await answers?.next()
        }
        switch isCalled {
        case true?: state.withLock { _ = $0.called.remove(ticket) }
        case false? where heldShards.contains(shard): throw StoreError.shardBusy(shard)
        // Those before it wait for connections.
        case false?: throw PostgresError.poolExhausted(waited: ShardQueueMachine.maxQueueTime)
        case nil:
            // It may have been called, or refused, since it was cancelled.
            let wasCalled = state.withLock { state in
                state.calls[ticket] = nil
                return !state.machine.abandon(ticket, for: shard) && state.called.remove(ticket) != nil
            }
            if wasCalled { leave(shard, .failed) }
            throw CancellationError()
        }
    }

    /// Refuses a queued transaction as soon as another session has held the row for too long.
    private func refuse(_ ticket: ShardQueueMachine.Ticket, for shard: Shard) async {
        var pause: Duration? = stallLimit
        while let duration = pause, (try? await sleep(duration)) != nil {
            let call = state.withLock { state -> AsyncStream<Bool>.Continuation? in
                pause = state.machine.remainingWait(of: ticket, for: shard, at: uptime())
                guard pause == .zero else { return nil }
                pause = nil
                return state.calls.removeValue(forKey: ticket)
            }
            call?.yield(false)
        }
    }

    fileprivate func leave(_ shard: Shard, _ outcome: ShardQueueMachine.Outcome) {
        let calls = state.withLock { state in
            let tickets = state.machine.leave(shard, outcome, at: uptime())
            state.called.formUnion(tickets)
            return tickets.compactMap { state.calls.removeValue(forKey: $0) }
        }
        for call in calls { call.yield(true) }
    }

    /// Returns whether the server reports that the lock was not available in time.
    private static func isTimeout(_ error: any Error) -> Bool {
        guard case .server(let error)? = error as? PostgresError else { return false }
        return error.state == .lockNotAvailable
    }

    fileprivate func release(_ shard: Shard) { state.withLock { $0.machine.release(shard, at: uptime()) } }

    /// The turn of a transaction, from its admission until it ends.
    final class Turn: Sendable {
        private enum Phase {
            case waiting
            case locked
            case ended
        }

        private let shard: Shard
        private let queue: ShardQueue
        private let phase = Mutex(Phase.waiting)

        fileprivate init(in shard: Shard, of queue: ShardQueue) {
            self.shard = shard
            self.queue = queue
        }

        /// Notes that the transaction has a connection, and is about to lock the row.
        func begin() { queue.state.withLock { $0.machine.begin(shard, at: queue.uptime()) } }

        /// Notes that the transaction has the lock.
        func locked() { if advance(to: .locked) == .waiting { queue.leave(shard, .locked) } }

        /// Ends the turn, unless it has ended.
        /// - Parameter outcome: how the wait for the lock ended if the transaction never had it.
        /// - Returns: whether the transaction never had the lock.
        @discardableResult
        fileprivate func end(_ outcome: ShardQueueMachine.Outcome) -> Bool {
            switch advance(to: .ended) {
            case .waiting:
                queue.leave(shard, outcome)
                return true
            case .locked: queue.release(shard)
            case .ended: break
            }
            return false
        }

        /// Begins a phase.
        /// - Returns: the phase before.
        private func advance(to next: Phase) -> Phase {
            phase.withLock { phase in
                defer { phase = next }
                return phase
            }
        }
    }
}
