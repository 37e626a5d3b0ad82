import Synchronization

/// A cached value of an expensive read, with at most one read at a time.
///
/// Concurrent callers share the result of one read, and wait for it until a time limit. A read that reaches the limit
/// is cancelled, and the next one starts only after it has ended, so an unresponsive source never has two reads.
public final class SharedReading<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value?, Never>

    /// The identity of a read, so that a late timeout does not end the next read.
    private final class ReadID: Sendable {}

    private enum Action {
        case immediate(Value?)
        case startRead(ReadID)
        case wait
    }

    private enum State {
        /// No read is in progress.
        case known(Value?, at: ContinuousClock.Instant?)
        /// A read is in progress, within its time limit.
        case reading([Waiter], ReadID)
        /// A read has reached its time limit, and has not ended yet.
        case timedOut
    }

    private let interval: Duration
    private let limit: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let read: @Sendable () async -> Value?
    private let state = Mutex(State.known(nil, at: nil))

    /// Creates a reading without a value.
    /// - Parameters:
    ///   - interval: the time for which a value is cached.
    ///   - limit: the time limit of a read.
    ///   - now: the function that returns the monotonic time.
    ///   - sleep: the function that suspends the task, or throws if it is cancelled.
    ///   - read: the function that returns the value; nil if it is not available.
    public init(
        interval: Duration,
        limit: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        read: @escaping @Sendable () async -> Value?
    ) {
        self.interval = interval
        self.limit = limit
        self.now = now
        self.sleep = sleep
        self.read = read
    }

    /// The value, at most an interval old.
    ///
    /// Nil if it is not available within the time limit, or while a read that has reached its limit has not ended.
    public var value: Value? {
        get async {
            await withCheckedContinuation { waiter in
                let action: Action = state.withLock { state in
                    switch state {
                    case .known(let value, let time?) where now() - time < interval:
                        return .immediate(value)
                    case .known:
                        let id = ReadID()
                        state = .reading([waiter], id)
                        return .startRead(id)
                    case .reading(let waiters, let id):
                        state = .reading(waiters + [waiter], id)
                        return .wait
                    case .timedOut:
                        return .immediate(nil)
                    }
                }
                switch action {
                case .immediate(let value): waiter.resume(returning: value)
                case .startRead(let id): startRead(id)
                case .wait: break
                }
            }
        }
    }

    /// Starts a read in a separate task, since the cancellation of one caller must not affect the others.
    private func startRead(_ id: ReadID) {
        let reading = Task {
            let value = await read()
            finish(with: value)
        }
        let timer = Task {
            // The timer is cancelled when the read has ended.
            guard (try? await sleep(limit)) != nil, timeOut(id) else { return }
            reading.cancel()
        }
        Task {
            await reading.value
            timer.cancel()
        }
    }

    private func finish(with value: Value?) {
        let waiters: [Waiter] = state.withLock { state in
            defer { state = .known(value, at: now()) }
            guard case .reading(let waiters, _) = state else { return [] }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// Ends the wait for a read at its time limit.
    ///
    /// - Returns: whether the read was still in progress.
    private func timeOut(_ id: ReadID) -> Bool {
        let waiters: [Waiter]? = state.withLock { state in
            guard case .reading(let waiters, let current) = state, current === id else { return nil }
            state = .timedOut
            return waiters
        }
        for waiter in waiters ?? [] { waiter.resume(returning: nil) }
        return waiters != nil
    }
}
