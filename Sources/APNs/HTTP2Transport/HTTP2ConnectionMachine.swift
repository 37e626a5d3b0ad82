/// The state machine of one client connection: decides how many requests may start, and when to send a PING or close.
///
/// The machine is pure: its driver, `HTTP2ClientConnection`, handles bytes, timers and requests. It counts streams but
/// does not identify them. No request starts before the peer's SETTINGS: until then nghttp2 would assume 100 streams,
/// while APNs allows one. Until the first response one request is in flight at a time, whatever the SETTINGS allow:
/// APNs closes connections with more streams before it has accepted a provider token.
struct HTTP2ConnectionMachine: ~Copyable {
    /// The configured limits.
    struct Limits {
        /// The maximum number of streams, even if the peer allows more or has no limit.
        var maxConcurrentStreams: Int
        /// The time without any bytes from the peer after which a PING is sent.
        var pingAfter: Duration
        /// The time to wait for a response to a PING before the connection is closed.
        var pingTimeout: Duration
    }

    enum Action: Equatable {
        case none
        case ping
        case close(HTTP2ConnectionEnd)
    }

    private enum State {
        /// TCP, TLS and the peer's SETTINGS must complete before the deadline.
        case connecting(deadline: ContinuousClock.Instant)
        case open
        /// No request starts; the connection closes for this reason after the requests in flight.
        case draining(HTTP2ConnectionEnd)
        case closed
    }

    private let limits: Limits
    private var state: State
    /// The number of streams that the peer allows; 0 unless the state is `open`.
    private var peerLimit = 0
    private var inFlight = 0
    private var hasReceivedResponse = false
    private var lastReceived: ContinuousClock.Instant
    private var pingSent: ContinuousClock.Instant?
    /// Whether a request has timed out, and no bytes have arrived since.
    private var isSuspect = false

    /// Creates a machine for a connection that is being established.
    init(limits: Limits, now: ContinuousClock.Instant, connectTimeout: Duration) {
        self.limits = limits
        self.lastReceived = now
        self.state = .connecting(deadline: now + connectTimeout)
    }

    /// The number of requests that may start now.
    var availableStreams: Int {
        isSuspect ? 0 : max(0, min(peerLimit, hasReceivedResponse ? limits.maxConcurrentStreams : 1) - inFlight)
    }

    /// The reason for draining; nil in other states.
    var drainReason: HTTP2ConnectionEnd? {
        switch state {
        case .draining(let reason): reason
        case .connecting, .open, .closed: nil
        }
    }

    var isClosed: Bool {
        switch state {
        case .closed: true
        case .connecting, .open, .draining: false
        }
    }

    /// The time to call `timerFired`; nil once the connection is closed.
    var nextTimer: ContinuousClock.Instant? {
        switch state {
        case .connecting(let deadline): deadline
        case .open, .draining: pingSent.map { $0 + limits.pingTimeout } ?? lastReceived + limits.pingAfter
        case .closed: nil
        }
    }

    /// Notes that bytes arrived from the peer.
    mutating func bytesReceived(at now: ContinuousClock.Instant) {
        lastReceived = now
        pingSent = nil
        isSuspect = false
    }

    /// Notes that the peer's SETTINGS arrived.
    /// - Returns: whether they open the connection.
    mutating func settingsReceived(maxConcurrentStreams: Int) -> Bool {
        switch state {
        case .connecting:
            state = .open
            peerLimit = maxConcurrentStreams
            return true
        case .open:
            peerLimit = maxConcurrentStreams
            return false
        case .draining, .closed:
            return false
        }
    }

    /// Notes that a request was submitted to the session; a stream must be available.
    mutating func requestStarted() {
        precondition(availableStreams > 0, "a request was started beyond the concurrency limit")
        inFlight += 1
    }

    /// Notes that a response arrived, with any status.
    mutating func responseReceived() {
        hasReceivedResponse = true
    }

    /// Notes that a stream ended, for any reason.
    mutating func streamClosed() -> Action {
        precondition(inFlight > 0, "a stream ended that was never started")
        inFlight -= 1
        return closeIfDrained()
    }

    /// Notes that a response did not arrive in time.
    ///
    /// No request may start until bytes arrive from the peer.
    /// - Returns: a PING, unless one is in flight or the connection is not open.
    mutating func requestTimedOut(at now: ContinuousClock.Instant) -> Action {
        switch state {
        case .open, .draining:
            isSuspect = true
            guard pingSent == nil else { return .none }
            pingSent = now
            return .ping
        case .connecting, .closed:
            return .none
        }
    }

    /// Starts draining, because the peer sent GOAWAY or this side ends the connection.
    mutating func drain(_ reason: HTTP2ConnectionEnd) -> Action {
        switch state {
        case .connecting, .open:
            state = .draining(reason)
            peerLimit = 0
            return closeIfDrained()
        case .draining:
            // Many peers send GOAWAY twice, with the reason only in the second.
            if case .goAway = reason { state = .draining(reason) }
            return .none
        case .closed:
            return .none
        }
    }

    /// Notes that the time `nextTimer` has come.
    mutating func timerFired(at now: ContinuousClock.Instant) -> Action {
        guard let nextTimer, nextTimer <= now else { return .none }
        switch state {
        case .connecting:
            return .close(.connectTimedOut)
        case .open, .draining:
            guard pingSent == nil else { return .close(.unresponsive) }
            pingSent = now
            return .ping
        case .closed:
            return .none
        }
    }

    /// Notes that the connection was closed.
    mutating func closed() {
        state = .closed
        peerLimit = 0
    }

    private func closeIfDrained() -> Action {
        guard inFlight == 0 else { return .none }
        switch state {
        case .draining(let reason): return .close(reason)
        case .connecting, .open, .closed: return .none
        }
    }
}
