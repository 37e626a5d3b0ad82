import NIOCore

/// What a connection is waited for, and until when.
///
/// Requests have deadlines of their own, see ``RequestMachine``: while there is one, a connection has none but for what
/// is to be written. It knows of bytes only that some came, since it stands before TLS.
struct ConnectionMachine {
    private enum State: Equatable {
        /// Nothing was asked yet: the handshake and the first headers are due.
        case opening(until: NIODeadline, hasBytes: Bool)
        /// Every request was answered.
        case idle(until: NIODeadline)
        /// A request has begun to arrive, and its headers are due.
        case arriving(until: NIODeadline)
        /// So many requests are under way.
        case busy(requests: Int)
        /// It was told the last it will hear, and may close by itself.
        case closing(until: NIODeadline)
        /// It is closed, or is just being so.
        case closed
    }

    /// What is to be done at a deadline.
    enum Expiry: Equatable {
        /// There was no deadline, or it has moved.
        case nothing
        /// Headers began and did not end: say so, and close.
        case refuse
        case close
    }

    /// How long a client may take to close what it was told is over, so that it can read what it was told.
    static let closingTime = TimeAmount.seconds(2)
    /// How much longer an idle connection of HTTP/2 may live than it takes until it is told to go.
    static let goAwayTime = TimeAmount.seconds(5)

    private let headerTime: TimeAmount
    private let answerTime: TimeAmount
    private let idleTime: TimeAmount
    private var state: State
    /// Until when the client must take something of what waits for it; nil when nothing waits.
    private var stalledUntil: NIODeadline?
    /// Whether one connection carries many requests: bytes are not the beginning of one then.
    private var isMultiplexed = false
    private var isStopping = false

    /// A connection that has just been accepted.
    init(_ limits: ServingLimits, at now: NIODeadline) {
        headerTime = TimeAmount(limits.headerTimeout)
        answerTime = TimeAmount(limits.answerTimeout)
        idleTime = TimeAmount(limits.idleTimeout)
        state = .opening(until: now + headerTime, hasBytes: false)
    }

    /// When ``expire(at:)`` is to be called; nil for never.
    var deadline: NIODeadline? {
        let due: NIODeadline? =
            switch state {
            case .opening(let until, _), .idle(let until), .arriving(let until), .closing(let until): until
            case .busy, .closed: nil
            }
        guard let stalledUntil, state != .closed else { return due }
        return due.map { min($0, stalledUntil) } ?? stalledUntil
    }

    /// Some bytes came, of whatever.
    mutating func bytesArrived(at now: NIODeadline) {
        switch state {
        case .opening(let until, hasBytes: false):
            state = .opening(until: until, hasBytes: true)
        case .idle where !isMultiplexed:
            state = .arriving(until: now + headerTime)
        case .opening, .idle, .arriving, .busy, .closing, .closed:
            break
        }
    }

    /// The handshake chose HTTP/2.
    mutating func multiplexed(at now: NIODeadline) {
        isMultiplexed = true
        if case .opening = state { idle(at: now) }
    }

    /// The headers of a request are there.
    mutating func requestBegan() {
        switch state {
        case .opening, .idle, .arriving: state = .busy(requests: 1)
        case .busy(let requests): state = .busy(requests: requests + 1)
        case .closing, .closed: break
        }
    }

    /// A request is over: its answer is with the kernel, or it has none.
    mutating func requestEnded(at now: NIODeadline) {
        switch state {
        case .busy(requests: 1): idle(at: now)
        case .busy(let requests): state = .busy(requests: requests - 1)
        case .opening, .idle, .arriving, .closing, .closed: break
        }
    }

    /// Whether what is written goes on to the kernel, or waits for the client.
    mutating func writability(is isWritable: Bool, at now: NIODeadline) {
        stalledUntil = isWritable ? nil : now + answerTime
    }

    /// The server stops: nothing new is expected of the client.
    mutating func stop(at now: NIODeadline) {
        isStopping = true
        switch state {
        case .opening, .idle, .arriving: idle(at: now)
        case .busy, .closing, .closed: break
        }
    }

    /// The client was told the last it will hear.
    mutating func close(at now: NIODeadline) {
        switch state {
        case .opening, .idle, .arriving, .busy: state = .closing(until: now + Self.closingTime)
        case .closing, .closed: break
        }
    }

    /// The deadline is reached.
    mutating func expire(at now: NIODeadline) -> Expiry {
        guard let deadline, deadline <= now else { return .nothing }
        let isStalled = stalledUntil.map { $0 <= now } ?? false
        switch state {
        case .opening(_, hasBytes: true) where !isStalled, .arriving where !isStalled:
            state = .closing(until: now + Self.closingTime)
            return .refuse
        case .opening, .idle, .arriving, .busy, .closing, .closed:
            state = .closed
            return .close
        }
    }

    private mutating func idle(at now: NIODeadline) {
        if isStopping {
            state = .closing(until: now + Self.closingTime)
        } else {
            state = .idle(until: now + (isMultiplexed ? idleTime + Self.goAwayTime : idleTime))
        }
    }
}
