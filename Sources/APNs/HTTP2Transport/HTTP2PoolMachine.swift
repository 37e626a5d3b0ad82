/// The state machine of a client's connection pool: decides when to open connections.
///
/// The first connection opens on demand. Further connections open one after another while requests wait too long for a
/// stream. If the last connection ends and was good, it is replaced immediately, since peers close connections
/// routinely. A connection that ends before it was good counts as a failure, and the next one waits for an exponential
/// backoff with full jitter, since APNs treats rapidly repeated connections as an attack.
///
/// A peer that cannot be reached is probed by one connection attempt at a time, at a fixed interval, so that its return is
/// noticed soon, however long it was away. The requests that wait start when an attempt succeeds.
struct HTTP2PoolMachine: ~Copyable {
    /// The configured limits.
    struct Limits {
        /// The maximum number of connections, without draining ones.
        var maxConnections: Int
        /// The time that a request waits before a further connection opens.
        var growAfter: Duration
        /// The minimum time between the starts of two connections.
        ///
        /// A connection is good if it has lived for this time and received a good response.
        var stagger: Duration
        /// The time between the starts of two attempts to connect to a peer that cannot be reached; an attempt that takes
        /// longer is followed by the next one at once.
        var probeInterval: Duration
        var backoff: Backoff
    }

    /// The limits of the backoff: a random part of a maximum that doubles with each failure.
    struct Backoff {
        /// The maximum wait after the first failure.
        var initial: Duration
        /// The maximum wait after any number of failures.
        var max: Duration

        func maxWait(afterFailures failures: Int) -> Duration {
            // Further doublings exceed any sensible `max` and could overflow.
            min(max, initial * (1 << min(failures - 1, 20)))
        }
    }

    enum Action: Equatable {
        case none
        /// Open a connection with this number.
        case connect(Int)
        /// Call `needed` again at this time.
        case wait(until: ContinuousClock.Instant)
    }

    private struct Connection {
        let start: ContinuousClock.Instant
        var hasReceivedResponse = false
    }

    private let limits: Limits
    /// The connections that accept requests.
    private var open: [Int: Connection] = [:]
    /// The connection that is being opened; at most one at a time.
    private var connecting: (id: Int, connection: Connection)?
    private var lastID = 0
    private var lastStart: ContinuousClock.Instant?
    /// The earliest time of the next start, after a failure.
    private var notBefore: ContinuousClock.Instant?
    private var lastFailure: ContinuousClock.Instant?
    /// The failures since the start of the last good connection.
    private var failures = 0
    private var isStopped = false

    init(limits: Limits) {
        self.limits = limits
    }

    /// Decides whether to open a connection; called when requests wait, after a wait, and to connect in advance.
    /// - Parameters:
    ///   - now: the time.
    ///   - waitingSince: the time at which the next waiting request was submitted; nil if no request waits.
    /// - Returns: the next action.
    mutating func needed(
        at now: ContinuousClock.Instant,
        waitingSince: ContinuousClock.Instant?
    ) -> Action {
        guard !isStopped, connecting == nil else { return .none }
        var time = notBefore ?? now
        if !open.isEmpty {
            guard let waitingSince, open.count < limits.maxConnections else { return .none }
            time = max(time, waitingSince + limits.growAfter, staggered(now))
        }
        return time <= now ? connect(at: now) : .wait(until: time)
    }

    /// Notes that a connection was established.
    mutating func opened(_ id: Int) {
        guard let connecting, connecting.id == id else { return }
        open[id] = connecting.connection
        self.connecting = nil
    }

    /// Notes that a connection has received a good response.
    mutating func responseReceived(on id: Int) {
        open[id]?.hasReceivedResponse = true
    }

    /// Notes that a connection accepts no more requests: it ended, was not established, or received GOAWAY.
    /// - Returns: the next action.
    mutating func lost(
        _ id: Int,
        at now: ContinuousClock.Instant,
        waitingSince: ContinuousClock.Instant?,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        resetFailuresIfGood(at: now)
        // A good last connection is replaced even if no request waits.
        var isWanted = waitingSince != nil
        if let connection = open.removeValue(forKey: id) {
            if !isGood(connection, at: now) {
                recordFailure(at: now, using: &generator)
            } else if open.isEmpty {
                isWanted = true
            }
            // Limits the rate of connections to a peer that closes every one.
            notBefore = max(notBefore ?? now, staggered(now))
        } else if let attempt = connecting, attempt.id == id {
            connecting = nil
            if open.isEmpty {
                notBefore = attempt.connection.start + limits.probeInterval
            } else {
                // Nothing is urgent: the other connections work.
                recordFailure(at: now, using: &generator)
            }
        } else {
            // The loss was reported before.
            return .none
        }
        return isWanted ? needed(at: now, waitingSince: waitingSince) : .none
    }

    /// Stops opening connections.
    mutating func stop() {
        isStopped = true
    }

    private mutating func connect(at now: ContinuousClock.Instant) -> Action {
        lastID += 1
        connecting = (lastID, Connection(start: now))
        lastStart = now
        return .connect(lastID)
    }

    /// Returns the earliest time that respects `stagger`; now if no connection was started.
    private func staggered(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        lastStart.map { max(now, $0 + limits.stagger) } ?? now
    }

    private func isGood(_ connection: Connection, at now: ContinuousClock.Instant) -> Bool {
        connection.hasReceivedResponse && connection.start + limits.stagger <= now
    }

    private mutating func recordFailure(
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        failures += 1
        lastFailure = now
        let maxWait = limits.backoff.maxWait(afterFailures: failures)
        notBefore = now + maxWait * Double.random(in: 0...1, using: &generator)
    }

    /// Resets the failures if a connection that started after the last failure is good.
    ///
    /// A good connection from before the failures says nothing about later connections.
    private mutating func resetFailuresIfGood(at now: ContinuousClock.Instant) {
        guard let lastFailure else { return }
        guard open.values.contains(where: { $0.start >= lastFailure && isGood($0, at: now) }) else { return }
        failures = 0
        self.lastFailure = nil
        notBefore = nil
    }
}
