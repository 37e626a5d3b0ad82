import DequeModule
import Synchronization

/// Lets in no more than there is room for; who comes when it is full waits, in the order of coming.
final class AdmissionGate: Sendable {
    private struct State {
        var room: Int
        var waiting: Deque<(places: Int, continuation: CheckedContinuation<Void, Never>)> = []

        mutating func take(_ places: Int) -> Bool {
            guard places <= room else { return false }
            room -= places
            return true
        }
    }

    /// How many places there are.
    private let size: Int
    private let state: Mutex<State>

    init(size: Int) {
        precondition(size > 0, "nobody would ever be let in")
        self.size = size
        self.state = Mutex(State(room: size))
    }

    /// How many callers wait.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Enters if that needs no waiting; the same as `enter` then.
    func entersAtOnce(_ count: Int) -> Bool {
        state.withLock { $0.waiting.isEmpty && $0.take(min(count, size)) }
    }

    /// Returns when that many are in; who wants more places than there are gets all of them.
    ///
    /// Each call is followed by one of `leave` with the same number.
    func enter(_ count: Int) async {
        let places = min(count, size)
        await withCheckedContinuation { continuation in
            let isIn = state.withLock { state in
                if state.waiting.isEmpty, state.take(places) { return true }
                state.waiting.append((places, continuation))
                return false
            }
            if isIn { continuation.resume() }
        }
    }

    /// Makes room for those who wait.
    func leave(_ count: Int) {
        var entering: [CheckedContinuation<Void, Never>] = []
        state.withLock { state in
            state.room += min(count, size)
            while let next = state.waiting.first, state.take(next.places) {
                entering.append(next.continuation)
                state.waiting.removeFirst()
            }
        }
        for continuation in entering { continuation.resume() }
    }
}
