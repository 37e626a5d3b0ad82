import Synchronization

/// Collects outcomes that arrive in parts and in any order, for one waiting task.
package final class OrderedOutcomes<Outcome: Sendable>: Sendable {
    private struct State {
        var outcomes: [Outcome?]
        var missing: Int
        var waiter: CheckedContinuation<[Outcome], Never>?
    }

    private let state: Mutex<State>

    package init(count: Int) {
        state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
    }

    /// Adds outcomes; called exactly once for each index.
    package func add(_ part: [(index: Int, outcome: Outcome)]) {
        resume { state in
            for (index, outcome) in part {
                precondition(state.outcomes[index] == nil, "each index has one outcome")
                state.outcomes[index] = outcome
            }
            state.missing -= part.count
        }
    }

    /// Returns all outcomes in the order of their indices, as soon as all have arrived, regardless of cancellation.
    package func all() async -> [Outcome] {
        await withCheckedContinuation { continuation in
            resume { $0.waiter = continuation }
        }
    }

    private func resume(after change: (inout State) -> Void) {
        let (waiter, outcomes) = state.withLock { state in
            change(&state)
            return state.missing == 0 ? (state.waiter.take(), state.outcomes) : (nil, [])
        }
        waiter?.resume(returning: outcomes.compactMap(\.self))
    }
}
