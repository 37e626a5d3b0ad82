import NIOCore

/// Until when a request's body, and the taking of its answer, are waited for.
///
/// One for a connection of HTTP/1.1, whose requests come one after the other, and one for each stream of HTTP/2.
struct RequestMachine {
    /// What is to be done at a deadline.
    enum Expiry: Equatable {
        /// There was no deadline, or it has moved.
        case nothing
        /// The body did not arrive: whoever reads it is to hear so.
        case failBody
        case close
    }

    private let bodyTime: TimeAmount
    private let answerTime: TimeAmount
    private var bodyUntil: NIODeadline?
    /// Until when a whole answer must be with the kernel.
    private var answerUntil: NIODeadline?
    /// Until when the client must take something of what waits for it.
    private var stalledUntil: NIODeadline?

    init(_ limits: ServingLimits) {
        bodyTime = TimeAmount(limits.bodyTimeout)
        answerTime = TimeAmount(limits.answerTimeout)
    }

    /// When ``expire(at:)`` is to be called; nil for never.
    var deadline: NIODeadline? { [bodyUntil, answerUntil, stalledUntil].compactMap(\.self).min() }

    /// Whether a body is arriving.
    var isReading: Bool { bodyUntil != nil }

    /// The headers are there.
    mutating func headArrived(at now: NIODeadline) { bodyUntil = now + bodyTime }

    /// The body is there, or is not wanted any more.
    mutating func bodyEnded() { bodyUntil = nil }

    /// The last of an answer was written.
    mutating func answerWritten(at now: NIODeadline) { answerUntil = now + answerTime }

    /// The answers that were written are with the kernel.
    mutating func answerTaken() { answerUntil = nil }

    /// Whether what is written goes on, or waits for the client.
    mutating func writability(is isWritable: Bool, at now: NIODeadline) {
        stalledUntil = isWritable ? nil : now + answerTime
    }

    /// The deadline is reached.
    mutating func expire(at now: NIODeadline) -> Expiry {
        guard let deadline, deadline <= now else { return .nothing }
        guard bodyUntil == deadline else {
            (bodyUntil, answerUntil, stalledUntil) = (nil, nil, nil)
            return .close
        }
        bodyUntil = nil
        return .failBody
    }
}
