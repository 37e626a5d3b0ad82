import NIOCore

/// A state machine for the deadlines of a connection.
///
/// Requests in flight have their own deadlines (see ``RequestTimeoutMachine``); the connection then only checks that
/// the client reads. The machine sees encrypted bytes, so it knows that bytes arrived, but not which.
struct ConnectionTimeoutMachine {
    private enum State: Equatable {
        /// No request yet: the TLS handshake and the first headers must arrive.
        case opening(deadline: NIODeadline, hasBytes: Bool)
        /// No request is in flight.
        case idle(deadline: NIODeadline)
        /// A request has begun to arrive; its headers must be complete by the deadline.
        case readingHeaders(deadline: NIODeadline)
        /// Requests are in flight, at least one.
        case busy(requests: Int)
        /// No further response follows; the client should close.
        case closing(deadline: NIODeadline)
        /// The connection is closed or being closed.
        case closed
    }

    /// The action at a deadline.
    enum Expiry: Equatable {
        /// There is no deadline, or it is not reached yet.
        case nothing
        /// Headers began to arrive and did not end: respond with an error and close.
        case respondAndClose
        /// Close without a response.
        case close
    }

    /// The time in which a client must close after the last response; it covers reading that response.
    static let closeTimeout = TimeAmount.seconds(2)
    /// The time between the GOAWAY of an idle HTTP/2 connection and its closing.
    static let goAwayTimeout = TimeAmount.seconds(5)

    private let headerTimeout: TimeAmount
    private let sendTimeout: TimeAmount
    private let idleTimeout: TimeAmount
    private var state: State
    /// The deadline for the channel to become writable again, because the client reads; nil while it is writable.
    private var stallDeadline: NIODeadline?
    /// The deadline for the end of HTTP/2's preface or headers that have begun to arrive; nil if there are none.
    private var headerDeadline: NIODeadline?
    /// Whether the connection multiplexes requests (HTTP/2), so that arriving bytes need not begin a request.
    private var isMultiplexed = false
    private var isShuttingDown = false

    /// Creates the state of a connection that has just been accepted.
    init(_ limits: ServingLimits, at now: NIODeadline) {
        headerTimeout = TimeAmount(limits.headerTimeout)
        sendTimeout = TimeAmount(limits.sendTimeout)
        idleTimeout = TimeAmount(limits.idleTimeout)
        state = .opening(deadline: now + headerTimeout, hasBytes: false)
    }

    /// The next deadline, at which ``deadlineReached(at:)`` must be called; nil for none.
    var deadline: NIODeadline? {
        guard state != .closed else { return nil }
        let stateDeadline: NIODeadline? =
            switch state {
            case .opening(let deadline, _), .idle(let deadline), .readingHeaders(let deadline), .closing(let deadline):
                deadline
            case .busy, .closed: nil
            }
        return [stateDeadline, stallDeadline, headerDeadline].compactMap(\.self).min()
    }

    /// Handles received bytes.
    mutating func bytesReceived(at now: NIODeadline) {
        switch state {
        case .opening(let deadline, hasBytes: false):
            state = .opening(deadline: deadline, hasBytes: true)
        case .idle where !isMultiplexed:
            state = .readingHeaders(deadline: now + headerTimeout)
        case .opening, .idle, .readingHeaders, .busy, .closing, .closed:
            break
        }
    }

    /// Handles the negotiation of HTTP/2 by the TLS handshake.
    ///
    /// The preface must arrive in the rest of the time for the handshake.
    mutating func http2Negotiated(at now: NIODeadline) {
        isMultiplexed = true
        guard case .opening(let deadline, _) = state else { return }
        headerDeadline = deadline
        becomeIdle(at: now)
    }

    /// Handles received bytes of HTTP/2, whatever other requests are in flight.
    mutating func headersProgressed(_ progress: HTTP2HeaderPhase.Progress, at now: NIODeadline) {
        switch progress {
        case .complete: headerDeadline = nil
        case .began: headerDeadline = now + headerTimeout
        case .pending: break
        }
    }

    /// Handles the complete headers of a request.
    mutating func requestStarted() {
        switch state {
        case .opening, .idle, .readingHeaders: state = .busy(requests: 1)
        case .busy(let requests): state = .busy(requests: requests + 1)
        case .closing, .closed: break
        }
    }

    /// Handles the end of a request: the kernel has taken its response, or it has no response.
    mutating func requestEnded(at now: NIODeadline) {
        switch state {
        case .busy(requests: 1): becomeIdle(at: now)
        case .busy(let requests): state = .busy(requests: requests - 1)
        case .opening, .idle, .readingHeaders, .closing, .closed: break
        }
    }

    /// Handles a change of the channel's writability: it is not writable while too many bytes are buffered for the
    /// client.
    mutating func writabilityChanged(to isWritable: Bool, at now: NIODeadline) {
        stallDeadline = isWritable ? nil : now + sendTimeout
    }

    /// Handles the start of the graceful shutdown: requests in flight are completed, and no new ones are expected.
    mutating func shutdownStarted(at now: NIODeadline) {
        isShuttingDown = true
        switch state {
        case .opening, .idle, .readingHeaders: becomeIdle(at: now)
        case .busy, .closing, .closed: break
        }
    }

    /// Handles the last response on this connection, which was written.
    mutating func lastResponseWritten(at now: NIODeadline) {
        switch state {
        case .opening, .idle, .readingHeaders, .busy: state = .closing(deadline: now + Self.closeTimeout)
        case .closing, .closed: break
        }
    }

    /// Handles a timer event at the deadline.
    /// - Returns: the action for the caller.
    mutating func deadlineReached(at now: NIODeadline) -> Expiry {
        guard let deadline, deadline <= now else { return .nothing }
        let isStalled = stallDeadline.map { $0 <= now } ?? false
        switch state {
        case .opening(_, hasBytes: true) where !isStalled, .readingHeaders where !isStalled:
            state = .closing(deadline: now + Self.closeTimeout)
            return .respondAndClose
        case .opening, .idle, .readingHeaders, .busy, .closing, .closed:
            state = .closed
            return .close
        }
    }

    private mutating func becomeIdle(at now: NIODeadline) {
        if isShuttingDown {
            state = .closing(deadline: now + Self.closeTimeout)
        } else {
            state = .idle(deadline: now + (isMultiplexed ? idleTimeout + Self.goAwayTimeout : idleTimeout))
        }
    }
}
