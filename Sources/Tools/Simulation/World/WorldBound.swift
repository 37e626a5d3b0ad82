import Foundation

/// A `Sendable` box for a value that only its simulated world may use.
///
/// This is the only unchecked conformance of the simulation. It is sound because a run is single-threaded: the thread
/// that creates a ``SimulatedWorld`` also runs every job of its tasks and fires every timer. Each access checks that it
/// happens on the thread that created the box, so a task that leaves the world stops the process instead of racing.
package final class WorldBound<Value>: @unchecked Sendable {
    private let thread = pthread_self()
    private var storage: Value

    /// Creates a box that belongs to the calling thread.
    package init(_ value: Value) { storage = value }

    /// The value; every access must happen on the thread that created the box.
    package var value: Value {
        get {
            checkThread()
            return storage
        }
        _modify {
            checkThread()
            yield &storage
        }
    }

    private func checkThread() {
        precondition(
            pthread_self() == thread,
            "a task has left the simulated world and uses its state on another thread"
        )
    }
}
