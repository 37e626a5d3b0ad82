/// When a client opens a connection.
///
/// The first is opened when it is needed; a further one when requests have waited for too long beside those that there
/// are, one after another and not all at once. The last connection, if it has served, is replaced at once: peers end
/// them now and then, and that is no fault. One that ended before it had served counts as a failure, and the next waits,
/// by exponential backoff with full jitter, since APNs takes connections that come and go for an attack. Nothing is
/// opened that nobody needs.
struct PoolMachine: ~Copyable {
    /// The numbers that the machine goes by.
    struct Limits {
        /// Connections at once, those that drain not counted.
        var maxConnections: Int
        /// How long a request waits before a further connection is opened for it.
        var growAfter: Duration
        /// How far apart further connections are opened, so that the last one can show what it brings.
        var stagger: Duration
        var backoff: Backoff
    }

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
        /// Open the connection of that number.
        case connect(Int)
        /// Call `needed` again then.
        case wait(until: ContinuousClock.Instant)
    }

    private let limits: Limits
    /// Those that take requests, with whether they have served.
    private var open: [Int: Bool] = [:]
    /// At most one comes up at a time.
    private var connecting: Int?
    private var lastID = 0
    private var lastStart: ContinuousClock.Instant?
    /// Set by a failure.
    private var notBefore: ContinuousClock.Instant?
    private var failures = 0
    private var isStopped = false

    init(limits: Limits) {
        self.limits = limits
    }

    /// Requests wait, a wait is over, or the client is told to connect.
    /// - Parameters:
    ///   - now: the time.
    ///   - waitingSince: since when the request that has waited longest does; nil when none waits.
    /// - Returns: what to do now.
    mutating func needed(
        at now: ContinuousClock.Instant,
        waitingSince: ContinuousClock.Instant?
    ) -> Action {
        guard !isStopped, connecting == nil else { return .none }
        var time = notBefore ?? now
        if !open.isEmpty {
            guard let waitingSince, open.count < limits.maxConnections else { return .none }
            time = max(time, waitingSince + limits.growAfter)
            if let lastStart { time = max(time, lastStart + limits.stagger) }
        }
        return time <= now ? connect(at: now) : .wait(until: time)
    }

    /// The connection is up.
    mutating func opened(_ id: Int) {
        guard connecting == id else { return }
        connecting = nil
        open[id] = false
    }

    /// The connection has answered a request.
    mutating func served(_ id: Int) {
        guard open[id] != nil else { return }
        open[id] = true
        failures = 0
        notBefore = nil
    }

    /// The connection takes nothing more: it ended, did not come up, or was told to go.
    mutating func lost(
        _ id: Int,
        at now: ContinuousClock.Instant,
        waitingSince: ContinuousClock.Instant?,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        let hasServed = open.removeValue(forKey: id)
        // It was lost before.
        guard hasServed != nil || connecting == id else { return .none }
        if connecting == id { connecting = nil }
        guard hasServed == true else {
            failures += 1
            let longest = limits.backoff.longestWait(afterFailures: failures)
            notBefore = now + longest * Double.random(in: 0...1, using: &generator)
            return waitingSince == nil ? .none : needed(at: now, waitingSince: waitingSince)
        }
        guard open.isEmpty, !isStopped, connecting == nil else { return .none }
        return connect(at: now)
    }

    /// The client shuts down.
    mutating func stop() {
        isStopped = true
    }

    private mutating func connect(at now: ContinuousClock.Instant) -> Action {
        lastID += 1
        connecting = lastID
        lastStart = now
        return .connect(lastID)
    }
}
