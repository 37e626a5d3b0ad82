/// The decisions of one client connection: how many requests may start, when it is pinged, when it is closed.
///
/// Pure: bytes, timers and requests are its driver's (`HTTP2ClientConnection`). It counts streams and does not
/// know them. No request starts before the peer's SETTINGS: nghttp2 would assume 100 streams until then,
/// and APNs allows one. Until the first answer there is one at a time, whatever the SETTINGS allow: APNs ends connections
/// that have more before a provider token was found good.
struct HTTP2ConnectionMachine: ~Copyable {
    /// The numbers that the machine goes by.
    struct Limits {
        /// Streams at once, whatever the peer allows; a peer may allow them without end.
        var maxConcurrentStreams: Int
        /// A peer that has been silent for so long is asked for a sign of life.
        var pingAfter: Duration
        /// A peer that has not answered a PING after this is gone.
        var pingTimeout: Duration
    }

    enum Action: Equatable {
        case none
        case ping
        case close(HTTP2ConnectionEnd)
    }

    private enum State {
        /// TCP, TLS and the peer's SETTINGS are to come, all before the deadline.
        case connecting(deadline: ContinuousClock.Instant)
        case open
        /// Nothing new starts; what is in flight may end, and then the connection ends for this reason.
        case draining(HTTP2ConnectionEnd)
        case closed
    }

    private let limits: Limits
    private var state: State
    /// How many streams the peer allows; none but in the state `open`.
    private var peerLimit = 0
    private var inFlight = 0
    private var wasAnswered = false
    private var lastHeard: ContinuousClock.Instant
    private var pingSent: ContinuousClock.Instant?
    /// A request has timed out, and nothing was heard since.
    private var isSuspect = false

    /// A machine for a connection that is being brought up.
    init(limits: Limits, now: ContinuousClock.Instant, connectTimeout: Duration) {
        self.limits = limits
        self.lastHeard = now
        self.state = .connecting(deadline: now + connectTimeout)
    }

    /// How many requests may start now.
    var room: Int {
        isSuspect ? 0 : max(0, min(peerLimit, wasAnswered ? limits.maxConcurrentStreams : 1) - inFlight)
    }

    /// Why nothing starts any more while what is in flight may end; nil when that is not so.
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

    /// When `timerFired` is to be called; nil once the connection is closed.
    var nextTimer: ContinuousClock.Instant? {
        switch state {
        case .connecting(let deadline): deadline
        case .open, .draining: pingSent.map { $0 + limits.pingTimeout } ?? lastHeard + limits.pingAfter
        case .closed: nil
        }
    }

    /// Anything at all came from the peer.
    mutating func heard(at now: ContinuousClock.Instant) {
        lastHeard = now
        pingSent = nil
        isSuspect = false
    }

    /// The peer says how many streams it allows.
    /// - Returns: whether the connection is open by that.
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

    /// A request was handed to the session.
    ///
    /// There must be room.
    mutating func requestStarted() {
        precondition(room > 0, "a request was started where there is no room")
        inFlight += 1
    }

    /// A request was answered, with whatever status.
    mutating func answered() {
        wasAnswered = true
    }

    /// A stream ended, in whatever way.
    mutating func streamClosed() -> Action {
        precondition(inFlight > 0, "a stream ended that was never started")
        inFlight -= 1
        return closeIfDrained()
    }

    /// No answer came in time: perhaps the peer is gone, so it is asked, and gets no more requests until it is heard.
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

    /// The peer said GOAWAY, or this side wants the connection to end.
    mutating func drain(_ reason: HTTP2ConnectionEnd) -> Action {
        switch state {
        case .connecting, .open:
            state = .draining(reason)
            peerLimit = 0
            return closeIfDrained()
        case .draining:
            // Many peers say GOAWAY twice, and why only the second time.
            if case .goAway = reason { state = .draining(reason) }
            return .none
        case .closed:
            return .none
        }
    }

    /// `nextTimer` has come.
    mutating func timerFired(at now: ContinuousClock.Instant) -> Action {
        guard let nextTimer, nextTimer <= now else { return .none }
        switch state {
        case .connecting:
            return .close(.connectTimedOut)
        case .open, .draining:
            guard pingSent == nil else { return .close(.silent) }
            pingSent = now
            return .ping
        case .closed:
            return .none
        }
    }

    /// The connection is gone.
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
