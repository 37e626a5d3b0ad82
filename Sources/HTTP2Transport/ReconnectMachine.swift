/// When a client opens its next connection.
///
/// A connection that has served is replaced at once: peers end them now and then, and that is no fault. One that
/// ended before it had served counts as a failure, and the next waits, by exponential backoff with full jitter, since
/// APNs takes connections that come and go for an attack. Nothing is opened that nobody needs.
struct ReconnectMachine: ~Copyable {
    /// How long failures keep a client waiting: a random part of `first`, doubled with each failure up to `longest`.
    struct Backoff {
        var first: Duration
        var longest: Duration

        func longestWait(afterFailures failures: Int) -> Duration {
            // More doublings than these are beyond any `longest` that makes sense, and could overflow.
            min(longest, first * (1 << min(failures - 1, 20)))
        }
    }

    enum Action: Equatable {
        case none
        case connect
        /// Call `needed` again then.
        case wait(until: ContinuousClock.Instant)
    }

    private enum State {
        case idle(notBefore: ContinuousClock.Instant?)
        case waiting(until: ContinuousClock.Instant)
        case connecting
        case open(hasServed: Bool)
        /// Nothing is opened any more.
        case stopped
    }

    private let backoff: Backoff
    private var state = State.idle(notBefore: nil)
    private var failures = 0

    init(backoff: Backoff) {
        self.backoff = backoff
    }

    /// There are requests without a connection, or a wait is over.
    mutating func needed(at now: ContinuousClock.Instant) -> Action {
        switch state {
        case .idle(nil):
            state = .connecting
            return .connect
        case .idle(.some(let time)), .waiting(let time):
            state = time <= now ? .connecting : .waiting(until: time)
            return time <= now ? .connect : .wait(until: time)
        case .connecting, .open, .stopped:
            return .none
        }
    }

    /// The connection is up.
    mutating func opened() {
        guard case .connecting = state else { return }
        state = .open(hasServed: false)
    }

    /// The connection has answered a request.
    mutating func served() {
        guard case .open = state else { return }
        state = .open(hasServed: true)
        failures = 0
    }

    /// The connection takes nothing more: it ended, did not come up, or was told to go.
    mutating func lost(
        at now: ContinuousClock.Instant,
        isNeeded: Bool,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        switch state {
        case .open(hasServed: true):
            state = .connecting
            return .connect
        case .open(hasServed: false), .connecting:
            failures += 1
            let longest = backoff.longestWait(afterFailures: failures)
            state = .idle(notBefore: now + longest * Double.random(in: 0...1, using: &generator))
            return isNeeded ? needed(at: now) : .none
        case .idle, .waiting, .stopped:
            return .none
        }
    }

    /// The client shuts down.
    mutating func stop() {
        state = .stopped
    }
}
