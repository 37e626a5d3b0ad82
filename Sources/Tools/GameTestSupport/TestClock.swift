public import Encodings
import ServiceRuntime
import Synchronization

/// The wall clock of a test.
public final class TestClock: Sendable {
    /// The moment at which the clock of a test stands unless the test says otherwise: 2026-09-21T14:13:20Z.
    public static let start = Timestamp(epochSeconds: 1_790_000_000)

    private let base: @Sendable () -> Timestamp
    private let step: Duration
    private let offset = Mutex(Duration.zero)

    /// A clock that stands still between calls of ``advance(by:)``.
    /// - Parameters:
    ///   - start: its first time.
    ///   - step: how far each reading moves it, so that successive events have successive times.
    public init(at start: Timestamp = start, step: Duration = .zero) {
        base = { start }
        self.step = step
    }

    private init(following base: @escaping @Sendable () -> Timestamp) {
        self.base = base
        step = .zero
    }

    /// Returns a clock that runs with the machine's and can be set ahead.
    public static func running() -> TestClock { TestClock(following: Runtime.system.now) }

    /// The time.
    public var now: Timestamp {
        base()
            + offset.withLock { offset in
                offset += step
                return offset
            }
    }

    /// Sets the clock ahead.
    public func advance(by duration: Duration) {
        offset.withLock { $0 += duration }
    }
}
