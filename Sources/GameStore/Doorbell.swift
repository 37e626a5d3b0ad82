import Synchronization

/// Tells one waiting task, in the same process, that there is something to look at.
///
/// Only a hint that saves waiting for the next poll: correctness never needs it. A ring while nobody waits is
/// remembered, once.
public final class Doorbell: Sendable {
    private struct State {
        var isRung = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let others: [Doorbell]

    /// A bell that has not been rung.
    /// - Parameter others: bells of other tasks that are to ring with this one.
    public init(ringingToo others: [Doorbell] = []) {
        self.others = others
    }

    /// Wakes whoever waits, or whoever waits next.
    public func ring() {
        for other in others { other.ring() }
        let waiter = state.withLock { state in
            state.isRung = state.waiter == nil
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Waits for a ring, for at most a while, or until the task is cancelled; one task at a time.
    /// - Parameters:
    ///   - duration: for how long.
    ///   - sleep: what waits so long; throws when the task is cancelled.
    public func wait(
        atMost duration: Duration,
        sleeping sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async {
        await withTaskGroup { group in
            group.addTask { await self.waitForRing() }
            // Ends early only by cancellation, which ends the wait as well.
            group.addTask { try? await sleep(duration) }
            await group.next()
            group.cancelAll()
        }
    }

    private func waitForRing() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isRung = state.withLock { state in
                    precondition(state.waiter == nil, "one task waits at a time")
                    guard !state.isRung, !Task.isCancelled else {
                        state.isRung = false
                        return true
                    }
                    state.waiter = continuation
                    return false
                }
                if isRung { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiter.take() }
            waiter?.resume()
        }
    }
}
