import Synchronization

/// Something that costs a question to somebody else, asked at most once in a while however many want to know it.
///
/// Who asks while the question is under way waits for the same answer, but not beyond the limit. A question that has
/// reached its limit is cancelled, and until it has ended no other one is begun: whoever hangs is asked once.
public final class SharedReading<Value: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<Value?, Never>

    /// Names the limit of one question: an alarm that comes late must not end the next one.
    private final class Alarm: Sendable {}

    private enum Reply {
        case now(Value?)
        case ask(Alarm)
        case later
    }

    private enum State {
        /// Nobody asks: what follows is a question, when the answer is too old.
        case known(Value?, at: ContinuousClock.Instant?)
        /// A question is under way, and may still be in time: what follows is its answer or its alarm.
        case asking([Waiter], Alarm)
        /// A question is under way that has reached its limit: what follows is its end.
        case late
    }

    private let interval: Duration
    private let limit: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let sleep: @Sendable (Duration) async throws -> Void
    private let read: @Sendable () async -> Value?
    private let state = Mutex(State.known(nil, at: nil))

    /// A reading that nobody has asked for yet.
    /// - Parameters:
    ///   - interval: for how long an answer is good.
    ///   - limit: how long anybody waits for one.
    ///   - now: the time.
    ///   - sleep: waits for that long, or throws when its task is cancelled.
    ///   - read: asks; nil when there is no answer.
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

    /// The answer, at most an interval old; nil when there is none within the limit.
    public var value: Value? {
        get async {
            await withCheckedContinuation { waiter in
                let reply: Reply = state.withLock { state in
                    switch state {
                    case .known(let value, let moment?) where now() - moment < interval:
                        return .now(value)
                    case .known:
                        let alarm = Alarm()
                        state = .asking([waiter], alarm)
                        return .ask(alarm)
                    case .asking(let waiters, let alarm):
                        state = .asking(waiters + [waiter], alarm)
                        return .later
                    case .late:
                        return .now(nil)
                    }
                }
                switch reply {
                case .now(let value): waiter.resume(returning: value)
                case .ask(let alarm): ask(before: alarm)
                case .later: break
                }
            }
        }
    }

    /// Begins a question, which nobody's cancellation ends, since it is everybody's; it ends by itself, or at its limit.
    private func ask(before alarm: Alarm) {
        let question = Task {
            let value = await read()
            answer(value)
        }
        let timer = Task {
            // Cancelled when the question has ended.
            guard (try? await sleep(limit)) != nil, giveUp(at: alarm) else { return }
            question.cancel()
        }
        Task {
            await question.value
            timer.cancel()
        }
    }

    private func answer(_ value: Value?) {
        let waiters: [Waiter] = state.withLock { state in
            defer { state = .known(value, at: now()) }
            guard case .asking(let waiters, _) = state else { return [] }
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// - Returns: whether the alarm's question is still under way.
    private func giveUp(at alarm: Alarm) -> Bool {
        let waiters: [Waiter]? = state.withLock { state in
            guard case .asking(let waiters, let current) = state, current === alarm else { return nil }
            state = .late
            return waiters
        }
        for waiter in waiters ?? [] { waiter.resume(returning: nil) }
        return waiters != nil
    }
}
