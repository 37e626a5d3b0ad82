import DequeModule
import Synchronization

/// A counting semaphore for tasks, which serves waiting tasks in order.
package final class ConcurrencyLimiter: Sendable {
    private struct State {
        var available: Int
        var waiting: Deque<(permits: Int, continuation: CheckedContinuation<Void, Never>)> = []

        mutating func tryAcquire(_ permits: Int) -> Bool {
            guard permits <= available else { return false }
            available -= permits
            return true
        }
    }

    /// The total number of permits.
    private let limit: Int
    private let state: Mutex<State>

    package init(limit: Int) {
        precondition(limit > 0, "a limit of 0 would block all tasks")
        self.limit = limit
        self.state = Mutex(State(available: limit))
    }

    /// The number of waiting tasks.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Acquires permits if they are available and no task waits.
    package func tryAcquire(_ count: Int) -> Bool {
        state.withLock { $0.waiting.isEmpty && $0.tryAcquire(min(count, limit)) }
    }

    /// Acquires permits, and waits until they are available.
    ///
    /// A call for more permits than the limit acquires all permits. Each call must be followed by a call of
    /// ``release(_:)`` with the same number.
    package func acquire(_ count: Int) async {
        let permits = min(count, limit)
        await withCheckedContinuation { continuation in
            let isAcquired = state.withLock { state in
                if state.waiting.isEmpty, state.tryAcquire(permits) { return true }
                state.waiting.append((permits, continuation))
                return false
            }
            if isAcquired { continuation.resume() }
        }
    }

    /// Releases permits, and resumes waiting tasks.
    package func release(_ count: Int) {
        var resumed: [CheckedContinuation<Void, Never>] = []
        state.withLock { state in
            state.available += min(count, limit)
            while let next = state.waiting.first, state.tryAcquire(next.permits) {
                resumed.append(next.continuation)
                state.waiting.removeFirst()
            }
        }
        for continuation in resumed { continuation.resume() }
    }
}
