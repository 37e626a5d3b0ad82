import Encodings
import Synchronization

@testable import APNsSimulator

/// A clock that a test sets.
final class Clock: Sendable {
    private let content = Mutex<Int64>(0)

    /// Seconds since the tests' fixed time.
    var seconds: Int64 {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    var now: Timestamp { moment(seconds) }
}
