import NIOCore

/// A state machine for the deadlines of requests: when a body must have arrived, and when its response must have been read.
///
/// An HTTP/1.1 connection, whose requests follow one another, has one machine; with HTTP/2 each stream has its own.
struct RequestMachine {
    /// What to do when a deadline is reached.
    enum Expiry: Equatable {
        /// There was no deadline, or it has moved.
        case nothing
        /// The body did not arrive in time: fail the reading of it.
        case failBody
        /// The client does not read its response: close the channel.
        case close
    }

    private let bodyTimeout: TimeAmount
    private let sendTimeout: TimeAmount
    private var bodyDeadline: NIODeadline?
    /// When the kernel must have taken the whole response.
    private var responseDeadline: NIODeadline?
    /// When the client must have read some of the bytes that wait for it.
    private var stallDeadline: NIODeadline?

    init(_ limits: ServingLimits) {
        bodyTimeout = TimeAmount(limits.bodyTimeout)
        sendTimeout = TimeAmount(limits.sendTimeout)
    }

    /// When ``deadlineReached(at:)`` must be called; nil for never.
    var deadline: NIODeadline? { [bodyDeadline, responseDeadline, stallDeadline].compactMap(\.self).min() }

    /// Whether a body is arriving.
    var isReadingBody: Bool { bodyDeadline != nil }

    /// The headers of a request have arrived.
    mutating func headReceived(at now: NIODeadline) { bodyDeadline = now + bodyTimeout }

    /// The body has arrived, or is no longer read.
    mutating func bodyEnded() { bodyDeadline = nil }

    /// The last part of a response was written to the channel.
    mutating func responseWritten(at now: NIODeadline) { responseDeadline = now + sendTimeout }

    /// The kernel has taken all responses written so far.
    mutating func responsesFlushed() { responseDeadline = nil }

    /// The channel became writable, or stopped being so because bytes wait for the client.
    mutating func writabilityChanged(to isWritable: Bool, at now: NIODeadline) {
        stallDeadline = isWritable ? nil : now + sendTimeout
    }

    /// The deadline is reached.
    mutating func deadlineReached(at now: NIODeadline) -> Expiry {
        guard let deadline, deadline <= now else { return .nothing }
        guard bodyDeadline == deadline else {
            (bodyDeadline, responseDeadline, stallDeadline) = (nil, nil, nil)
            return .close
        }
        bodyDeadline = nil
        return .failBody
    }
}
