import Synchronization

@testable import APNsSimulator

/// A clock that goes when it is told to.
final class Clock: Sendable {
    private let content = Mutex<Int64>(0)

    /// Since the fixed time of the tests.
    var seconds: Int64 {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    var now: Moment { moment(seconds) }
}
