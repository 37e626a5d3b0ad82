/// When a client opens a connection.
///
/// The first is opened when it is needed; a further one when requests have waited for too long beside those that there
/// are, one after another and not all at once. The last connection, if it has proved good, is replaced at once: peers end
/// them now and then, and that is no fault. One that ended before counts as a failure, and the next waits, by exponential
/// backoff with full jitter, since APNs takes connections that come and go for an attack. Nothing else is opened that
/// nobody needs.
struct PoolMachine: ~Copyable {
    /// The numbers that the machine goes by.
    struct Limits {
        /// Connections at once, those that drain not counted.
        var maxConnections: Int
        /// How long a request waits before a further connection is opened for it.
        var growAfter: Duration
        /// How far apart connections are opened, so that the last one can show what it brings: one is good that has
        /// served and lived for so long.
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

    private struct Connection {
        let start: ContinuousClock.Instant
        var hasServed = false
    }

    private let limits: Limits
    /// Those that take requests.
    private var open: [Int: Connection] = [:]
    /// At most one comes up at a time.
    private var connecting: (id: Int, connection: Connection)?
    private var lastID = 0
    private var lastStart: ContinuousClock.Instant?
    /// Set by a failure.
    private var notBefore: ContinuousClock.Instant?
    private var lastFailure: ContinuousClock.Instant?
    /// Those since a good connection was started.
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
            time = max(time, waitingSince + limits.growAfter, staggered(now))
        }
        return time <= now ? connect(at: now) : .wait(until: time)
    }

    /// The connection is up.
    mutating func opened(_ id: Int) {
        guard let connecting, connecting.id == id else { return }
        open[id] = connecting.connection
        self.connecting = nil
    }

    /// The connection has answered a request.
    mutating func served(_ id: Int) {
        open[id]?.hasServed = true
    }

    /// The connection takes nothing more: it ended, did not come up, or was told to go.
    mutating func lost(
        _ id: Int,
        at now: ContinuousClock.Instant,
        waitingSince: ContinuousClock.Instant?,
        using generator: inout some RandomNumberGenerator
    ) -> Action {
        forgetFailures(at: now)
        // The last good one is replaced before it is needed.
        var isWanted = waitingSince != nil
        if let connection = open.removeValue(forKey: id) {
            if !isGood(connection, at: now) {
                noteFailure(at: now, using: &generator)
            } else if open.isEmpty {
                isWanted = true
            }
            // A peer that sends everyone away sees them come no faster than this.
            notBefore = max(notBefore ?? now, staggered(now))
        } else if connecting?.id == id {
            connecting = nil
            noteFailure(at: now, using: &generator)
        } else {
            // It was lost before.
            return .none
        }
        return isWanted ? needed(at: now, waitingSince: waitingSince) : .none
    }

    /// The client shuts down.
    mutating func stop() {
        isStopped = true
    }

    private mutating func connect(at now: ContinuousClock.Instant) -> Action {
        lastID += 1
        connecting = (lastID, Connection(start: now))
        lastStart = now
        return .connect(lastID)
    }

    /// The first time that is far enough from the last start; now when there was none.
    private func staggered(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant {
        lastStart.map { max(now, $0 + limits.stagger) } ?? now
    }

    private func isGood(_ connection: Connection, at now: ContinuousClock.Instant) -> Bool {
        connection.hasServed && connection.start + limits.stagger <= now
    }

    private mutating func noteFailure(
        at now: ContinuousClock.Instant,
        using generator: inout some RandomNumberGenerator
    ) {
        failures += 1
        lastFailure = now
        let longest = limits.backoff.longestWait(afterFailures: failures)
        notBefore = now + longest * Double.random(in: 0...1, using: &generator)
    }

    /// A good connection that was there before the failures says nothing of those that follow it.
    private mutating func forgetFailures(at now: ContinuousClock.Instant) {
        guard let lastFailure else { return }
        guard open.values.contains(where: { $0.start >= lastFailure && isGood($0, at: now) }) else { return }
        failures = 0
        self.lastFailure = nil
        notBefore = nil
    }
}
