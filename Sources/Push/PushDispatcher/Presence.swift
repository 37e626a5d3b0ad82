import Encodings
import Foundation
import GameCore
import GameStore
import ServiceRuntime
import Synchronization

/// The presence of this node among the dispatchers, on which all of its leases depend.
///
/// It is renewed apart from the dispatcher's loop, over a connection of its own, so that a node that is merely busy loses
/// no leases. A renewal that was too late ends the incarnation: the node goes on under another holder, without leases.
///
/// Each renewal also reads the database's clock, which dates the node's decisions and the timestamps of its pushes. So
/// timestamps grow from one holder of a lease to the next, whatever the clocks of their machines say.
final class Presence: Sendable {
    private struct State {
        var holder: UUID
        /// Whether the holder is registered, and not known to have expired.
        var isRegistered = false
        /// Whether the holder may be registered: it is renewed before another one is tried.
        var mayBeRegistered = false
        /// The beginning of the last renewal that succeeded, or of the registration that was tried since.
        var renewedAt: ContinuousClock.Instant
        var sendUntil: ContinuousClock.Instant
        /// The number of renewals that have failed since then.
        var failures = 0
        var knowsAll = true
        var isOver = false
        /// Whether the database has not responded since the last renewal that succeeded.
        var isInterrupted = false
        /// The beginning of the first renewal after the last such interruption; nil before one.
        var recoveredAt: ContinuousClock.Instant?
        /// The database's clock at some time of the node's monotonic clock; nil before the first registration.
        var clock: (now: Timestamp, at: ContinuousClock.Instant)?
        /// What the database's clock said when it was last set back.
        var setBackFrom: Timestamp?
    }

    /// How far the database's clock may be behind what the node expects without counting as set back: the first timestamp
    /// of a lease is further ahead.
    private static let toleratedSetback = Duration.seconds(1)

    private let store: GameStore
    private let environments: Set<PushEnvironment>
    private let duration: Duration
    private let runtime: Runtime
    private let onFailure: @Sendable (_ error: any Error, _ isFirst: Bool) -> Void
    private let state: Mutex<State>

    /// Creates the presence of a node that is not registered yet.
    /// - Parameters:
    ///   - store: the database, over connections with short timeouts.
    ///   - environments: the APNs environments that the node sends to.
    ///   - duration: how long the node counts as present without renewal.
    ///   - runtime: the clock and randomness.
    ///   - onFailure: called when a renewal has failed, with whether the one before succeeded.
    init(
        in store: GameStore,
        sendingTo environments: Set<PushEnvironment>,
        for duration: Duration,
        runtime: Runtime,
        onFailure: @escaping @Sendable (_ error: any Error, _ isFirst: Bool) -> Void
    ) {
        self.store = store
        self.environments = environments
        self.duration = duration
        self.runtime = runtime
        self.onFailure = onFailure
        state = Mutex(State(holder: runtime.newHolder(), renewedAt: runtime.uptime(), sendUntil: runtime.uptime()))
    }

    /// The database's clock, or the node's own before the first registration.
    ///
    /// It goes on by the node's monotonic clock between renewals.
    var now: Timestamp {
        state.withLock { $0.clock }.map { $0.now + (runtime.uptime() - $0.at) } ?? runtime.now()
    }

    /// The newest moment with which the database's clock may have dated a push before it was set back, as after a failover
    /// to a server whose clock is behind; nil if it never was.
    var setBackFrom: Timestamp? { state.withLock { $0.setBackFrom } }

    /// The current incarnation; nil while it is not registered.
    var holder: UUID? { state.withLock { $0.isRegistered ? $0.holder : nil } }

    /// Returns the time from which an incarnation must not send any more, by this node's clock.
    ///
    /// It leaves a fifth of the presence for pushes in flight. It counts from before the request for the renewal, and so
    /// does not depend on how the clocks of node and database differ.
    func sendUntil(of holder: UUID) -> ContinuousClock.Instant {
        state.withLock { $0.holder == holder ? $0.sendUntil : $0.renewedAt }
    }

    /// Returns whether the database was unavailable, or its clock was set back, after a moment: it may have lost commits
    /// since.
    func wasInterrupted(after moment: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.recoveredAt.map { moment < $0 } ?? false }
    }

    /// Whether the next incarnation is registered as one that knows everything in all shards.
    func setKnowsAll(_ knowsAll: Bool) { state.withLock { $0.knowsAll = knowsAll } }

    /// Lets no further renewals follow.
    func stop() { state.withLock { $0.isOver = true } }

    /// Renews the presence, or registers a new incarnation.
    /// - Returns: the time from the beginning of this call to the next: three renewals fit in a presence. After a failure
    ///   it is shorter, so that a broken connection costs no lease, and grows to the usual one.
    func renew() async -> Duration {
        let interval = duration * 3 / 10
        guard !state.withLock({ $0.isOver }) else { return interval }
        do {
            let start = runtime.uptime()
            let tried = state.withLock { $0.mayBeRegistered ? $0.holder : nil }
            if let tried, let now = try await store.renew(dispatcher: tried, for: duration) {
                renewed(at: start, readingClock: now)
            } else {
                try await register()
            }
            return interval
        } catch {
            let failures = failed(error)
            return min(interval, interval / 8 * (1 << min(failures, 3)))
        }
    }

    private func register() async throws {
        let holder = runtime.newHolder()
        let start = runtime.uptime()
        let knowsAll = state.withLock { state in
            state.holder = holder
            state.isRegistered = false
            state.mayBeRegistered = true
            state.renewedAt = start
            state.sendUntil = start
            return state.knowsAll
        }
        let now = try await store.register(
            dispatcher: holder,
            knowsAll: knowsAll,
            sendingTo: environments,
            for: duration
        )
        renewed(at: start, readingClock: now)
        // The node stopped in the meantime, and has ended the incarnation before.
        if state.withLock(\.isOver) { try await store.end(dispatcher: holder) }
    }

    private func renewed(at start: ContinuousClock.Instant, readingClock now: Timestamp) {
        let end = runtime.uptime()
        state.withLock { state in
            // The database's clock was read between start and end. If that confirms the time so far, it is kept, so that
            // the duration of a request does not move it.
            let known = state.clock.map { $0.now + (end - $0.at) } ?? now
            if now + Self.toleratedSetback < known {
                state.setBackFrom = max(known, state.setBackFrom ?? known)
                state.isInterrupted = true
            }
            state.clock = (min(max(known, now), now + (end - start)), end)
            state.isRegistered = true
            state.renewedAt = start
            state.sendUntil = start + duration * 4 / 5
            state.failures = 0
            if state.isInterrupted { state.recoveredAt = start }
            state.isInterrupted = false
        }
    }

    private func failed(_ error: any Error) -> Int {
        let now = runtime.uptime()
        let failures = state.withLock { state in
            state.failures += 1
            // If the server has crashed, it may have lost the last renewals: they are not durable.
            if !GameStore.isRejection(error) {
                state.sendUntil = min(state.sendUntil, state.renewedAt)
                state.isInterrupted = true
            }
            // For example if another session keeps the row locked. A fifth longer, so that the row has expired, too.
            if now >= state.renewedAt + duration * 6 / 5 {
                state.isRegistered = false
                state.mayBeRegistered = false
            }
            return state.failures
        }
        onFailure(error, failures == 1)
        return failures
    }
}

extension Runtime {
    fileprivate func newHolder() -> UUID {
        var generator = generator()
        return UUID(version7At: now(), using: &generator)
    }
}
