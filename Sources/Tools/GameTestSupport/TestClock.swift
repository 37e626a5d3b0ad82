public import Encodings
import ServiceRuntime
import Synchronization

/// The wall clock of a test.
public final class TestClock: Sendable {
    /// The default time of a test's clock: 2026-09-21T14:13:20Z.
    public static let start = Timestamp(epochSeconds: 1_790_000_000)

    private let base: @Sendable () -> Timestamp
    private let step: Duration
    private let offset = Mutex(Duration.zero)

    /// Creates a clock that advances only by ``advance(by:)`` and, with each reading, by `step`.
    /// - Parameters:
    ///   - start: the initial time.
    ///   - step: the time by which each reading advances the clock, so that successive events have different times.
    public init(at start: Timestamp = start, step: Duration = .zero) {
        base = { start }
        self.step = step
    }

    private init(following base: @escaping @Sendable () -> Timestamp) {
        self.base = base
        step = .zero
    }

    /// Returns a clock that follows the machine's clock and can be set ahead.
    public static func running() -> TestClock { TestClock(following: Runtime.system.now) }

    /// The current time.
    public var now: Timestamp {
        base()
            + offset.withLock { offset in
                offset += step
                return offset
            }
    }

    /// Advances the clock.
    public func advance(by duration: Duration) {
        offset.withLock { $0 += duration }
    }
}
