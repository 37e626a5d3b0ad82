import GameCore
import GameLog
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import GameStore

@Suite struct ShardQueueTests {
    private static let start = ContinuousClock.now
    private let shard = Shard(rawValue: 42)

    private static func moment(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func `two transactions wait for the database, and the next ones as the lock moves on`() {
        var machine = ShardQueueMachine(stallLimit: .seconds(1))
        for _ in 1...2 {
            #expect(machine.enter(shard, isUrgent: false, at: Self.moment(0)) == .proceed)
            machine.begin(shard, at: Self.moment(0))
        }
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(1)) == .wait(1))
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(1)) == .wait(2))
        #expect(machine.enter(Shard(rawValue: 43), isUrgent: false, at: Self.moment(1)) == .proceed)
        #expect(machine.leave(shard, .locked, at: Self.moment(900)) == [1])
        machine.begin(shard, at: Self.moment(900))
        machine.release(shard, at: Self.moment(910))
        // The lock moves on, so all transactions go on waiting.
        #expect(machine.remainingWait(of: 2, for: shard, at: Self.moment(1_510)) == .milliseconds(400))
        #expect(machine.heldShards(at: Self.moment(1_510)) == [])
        #expect(machine.leave(shard, .failed, at: Self.moment(1_600)) == [2])
        #expect(machine.remainingWait(of: 2, for: shard, at: Self.moment(1_700)) == nil)
        #expect(machine.abandon(2, for: shard) == false)
        for time in [1_700, 1_800] {
            #expect(machine.leave(shard, .locked, at: Self.moment(time)) == [])
            machine.release(shard, at: Self.moment(time))
        }
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(9_000)) == .proceed)
    }

    @Test func `a slow transaction of the node refuses others only when it has had the lock for four seconds`() {
        var machine = ShardQueueMachine(stallLimit: .seconds(1))
        for _ in 1...2 {
            #expect(machine.enter(shard, isUrgent: false, at: Self.moment(0)) == .proceed)
            machine.begin(shard, at: Self.moment(0))
        }
        #expect(machine.leave(shard, .locked, at: Self.moment(10)) == [])
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(20)) == .proceed)
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(30)) == .wait(1))
        // It may end at any time, so the queued one looks again after a second.
        #expect(machine.remainingWait(of: 1, for: shard, at: Self.moment(2_500)) == .seconds(1))
        var other = machine
        #expect(other.remainingWait(of: 1, for: shard, at: Self.moment(4_010)) == .zero)
        #expect(other.heldShards(at: Self.moment(4_010)) == [shard])
        machine.release(shard, at: Self.moment(3_000))
        #expect(machine.heldShards(at: Self.moment(3_900)) == [])
        #expect(machine.remainingWait(of: 1, for: shard, at: Self.moment(4_000)) == .zero)
        #expect(machine.heldShards(at: Self.moment(4_000)) == [shard])
    }

    @Test func `while another session holds the row, the others are refused until a transaction has the lock`() {
        var machine = ShardQueueMachine(stallLimit: .seconds(1))
        for _ in 1...2 {
            #expect(machine.enter(shard, isUrgent: false, at: Self.moment(0)) == .proceed)
            machine.begin(shard, at: Self.moment(0))
        }
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(10)) == .wait(1))
        #expect(machine.remainingWait(of: 1, for: shard, at: Self.moment(1_000)) == .zero)
        #expect(machine.heldShards(at: Self.moment(1_000)) == [shard])
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(1_000)) == .refuse)
        // The engine is never refused.
        #expect(machine.enter(shard, isUrgent: true, at: Self.moment(1_000)) == .proceed)
        for _ in 1...3 { #expect(machine.leave(shard, .timedOut, at: Self.moment(4_000)) == []) }
        #expect(machine.heldShards(at: Self.moment(5_000)) == [shard])
        // Two more find out whether the row is still held; the rest is refused at once.
        for _ in 1...2 { #expect(machine.enter(shard, isUrgent: false, at: Self.moment(5_000)) == .proceed) }
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(5_000)) == .refuse)
        #expect(machine.leave(shard, .locked, at: Self.moment(6_000)) == [])
        machine.release(shard, at: Self.moment(6_000))
        #expect(machine.heldShards(at: Self.moment(6_000)) == [])
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(6_000)) == .proceed)
    }

    @Test func `a shard that no transaction needs any more is not reported for ever`() {
        var machine = ShardQueueMachine(stallLimit: .seconds(1))
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(0)) == .proceed)
        machine.begin(shard, at: Self.moment(0))
        #expect(machine.leave(shard, .timedOut, at: Self.moment(4_000)) == [])
        #expect(machine.heldShards(at: Self.moment(63_000)) == [shard])
        #expect(machine.heldShards(at: Self.moment(65_000)) == [])
        var other = machine
        machine.noteProgress(in: shard, at: Self.moment(5_000))
        #expect(machine.heldShards(at: Self.moment(6_000)) == [])
        for _ in 1...2 { #expect(other.enter(shard, isUrgent: false, at: Self.moment(70_000)) == .proceed) }
        #expect(other.enter(shard, isUrgent: false, at: Self.moment(70_000)) == .wait(1))
    }

    @Test
    func `transactions without a connection do not make a shard count as held, but are queued for a limited time`() {
        var machine = ShardQueueMachine(stallLimit: .seconds(1))
        for _ in 1...2 { #expect(machine.enter(shard, isUrgent: false, at: Self.moment(0)) == .proceed) }
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(0)) == .wait(1))
        #expect(machine.remainingWait(of: 1, for: shard, at: Self.moment(4_500)) == .milliseconds(500))
        #expect(machine.heldShards(at: Self.moment(4_500)) == [])
        #expect(machine.remainingWait(of: 1, for: shard, at: Self.moment(5_000)) == .zero)
        for number in 2...ShardQueueMachine.maxQueued + 1 {
            #expect(machine.enter(shard, isUrgent: false, at: Self.moment(5_000)) == .wait(number))
        }
        #expect(machine.enter(shard, isUrgent: false, at: Self.moment(5_000)) == .refuse)
    }

    @Test func `a queued transaction that is cancelled leaves the queue`() async throws {
        try await withStore { store, pool in
            try await pool.withTransaction { holder in
                _ = try await holder.query(PostgresQuery(ShardStatements.lock, shard.column))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...5 { group.addTask { try await store.withShard(shard) { _ in } } }
                    try await waitForLockWait(in: pool)
                    group.cancelAll()
                    while let result = await group.nextResult() {
                        #expect(throws: (any Error).self) { try result.get() }
                    }
                }
            }
            try await store.withShard(shard) { _ in }
            #expect(store.queue.heldShards == [])
        }
    }

    @Test func `a transaction that is called after its cancellation leaves its place to others`() async throws {
        let bodies = Door()
        let sleepers = Door()
        let queue = ShardQueue(sleep: { _ in await sleepers.pass() })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...2 {
                group.addTask {
                    try await queue.withTurn(in: shard) { turn in
                        turn.begin()
                        await bodies.pass()
                    }
                }
            }
            try await eventually("two transactions have their turn") { bodies.count == 2 }
            let cancelled = Task { try await queue.withTurn(in: shard) { _ in } }
            try await eventually("a transaction is queued") { sleepers.count == 1 }
            cancelled.cancel()
            // The sleep goes on, so the transaction is called before it can abandon its ticket.
            bodies.open()
            try await group.waitForAll()
            sleepers.open()
            _ = await cancelled.result
        }
        try await queue.withTurn(in: shard) { turn in
            turn.begin()
            try await queue.withTurn(in: shard) { _ in }
        }
    }
}

/// Lets tasks pass once it is open, also those that are cancelled.
private final class Door: Sendable {
    private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

    /// The number of waiting tasks.
    var count: Int { state.withLock(\.waiting.count) }

    func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
