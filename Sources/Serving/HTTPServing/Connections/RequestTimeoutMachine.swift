import NIOCore

/// A state machine for the deadlines of requests: for receiving the body, and for reading the response.
///
/// An HTTP/1.1 connection, whose requests follow one another, has one machine; with HTTP/2 each stream has its own.
struct RequestTimeoutMachine {
    /// The action at a deadline.
    enum Expiry: Equatable {
        /// There is no deadline, or it is not reached yet.
        case nothing
        /// The body did not arrive in time: throw an error to its reader.
        case failBody
        /// The client does not read its response: close the channel.
        case close
    }

    private let bodyTimeout: TimeAmount
    private let sendTimeout: TimeAmount
    private var bodyDeadline: NIODeadline?
    /// The deadline for the kernel to take the whole response.
    private var responseDeadline: NIODeadline?
    /// The deadline for the channel to become writable again, because the client reads; nil while it is writable.
    private var stallDeadline: NIODeadline?

    init(_ limits: ServingLimits) {
        bodyTimeout = TimeAmount(limits.bodyTimeout)
        sendTimeout = TimeAmount(limits.sendTimeout)
    }

    /// The next deadline, at which ``deadlineReached(at:)`` must be called; nil for none.
    var deadline: NIODeadline? { [bodyDeadline, responseDeadline, stallDeadline].compactMap(\.self).min() }

    /// Whether a body is arriving.
    var isReadingBody: Bool { bodyDeadline != nil }

    /// Handles the complete headers of a request.
    mutating func headReceived(at now: NIODeadline) { bodyDeadline = now + bodyTimeout }

    /// Handles the end of the body: it is complete, or no longer read.
    mutating func bodyEnded() { bodyDeadline = nil }

    /// Handles the last part of a response, which was written to the channel.
    mutating func responseWritten(at now: NIODeadline) { responseDeadline = now + sendTimeout }

    /// Handles a flush: the kernel has taken all responses written so far.
    mutating func responsesFlushed() { responseDeadline = nil }

    /// Handles a change of the channel's writability: it is not writable while too many bytes are buffered for the
    /// client.
    mutating func writabilityChanged(to isWritable: Bool, at now: NIODeadline) {
        stallDeadline = isWritable ? nil : now + sendTimeout
    }

    /// Handles a timer event at the deadline.
    /// - Returns: the action for the caller.
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
