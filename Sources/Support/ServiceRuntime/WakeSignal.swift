import Synchronization

/// A signal that wakes one waiting task of the same process.
///
/// The signal is a hint that saves waiting for the next poll; correctness never depends on it. Without a waiter, one
/// notification is kept for the next wait.
public final class WakeSignal: Sendable {
    private struct State {
        var isPending = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let others: [WakeSignal]

    /// Creates a signal without a pending notification.
    /// - Parameter others: signals that every notification is forwarded to.
    public init(forwardingTo others: [WakeSignal] = []) {
        self.others = others
    }

    /// Wakes the current waiter, or else the next one.
    public func notify() {
        for other in others { other.notify() }
        let waiter = state.withLock { state in
            state.isPending = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits for a notification, a timeout or cancellation, whichever comes first; only one task may wait at a time.
    /// - Parameters:
    ///   - duration: the timeout.
    ///   - sleep: suspends for the timeout; throws when the task is cancelled.
    public func wait(
        atMost duration: Duration,
        sleeping sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async {
        // Without the two tasks, most of whose cost is switching threads.
        let wasPending = state.withLock { state in
            defer { if state.waiter == nil { state.isPending = false } }
            return state.isPending
        }
        guard !wasPending, duration > .zero else { return await Task.yield() }
        await withTaskGroup { group in
            group.addTask { await self.waitForNotification() }
            // Throws only on cancellation, which ends the wait as well.
            group.addTask { try? await sleep(duration) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForNotification() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isPending = state.withLock { state in
                    precondition(state.waiter == nil, "one task waits at a time")
                    guard !state.isPending, !Task.isCancelled else {
                        state.isPending = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isPending { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiter.take() }
            waiter?.resume()
        }
    }
}
