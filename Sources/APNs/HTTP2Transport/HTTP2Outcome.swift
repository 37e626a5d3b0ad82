/// What is known of a request in the end.
///
/// Each request has exactly one.
public enum HTTP2Outcome: Hashable, Sendable {
    /// The peer answered.
    case response(HTTP2Response)
    /// The peer has not processed the request, so that sending it again cannot do it twice.
    case neverProcessed(HTTP2Failure)
    /// The peer may or may not have processed the request.
    case unknown(HTTP2Failure)
}

/// Why a request has no answer.
public enum HTTP2Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request's deadline passed.
    case timedOut
    /// The peer ended the stream with an error code, or its answer broke the rules.
    case reset(errorCode: UInt32)
    /// The connection ended, or none came up.
    case connection(HTTP2ConnectionEnd)
    /// The time by which it was to be sent passed before all of it was.
    case tooLate
    /// The client is shutting down.
    case shutDown

    /// One sentence for a log.
    public var description: String {
        switch self {
        case .timedOut: "no answer before the deadline"
        case .reset(let errorCode): "the peer ended the stream (error code \(errorCode))"
        case .connection(let end): end.description
        case .tooLate: "it could not be sent in time"
        case .shutDown: "the client is shutting down"
        }
    }
}
