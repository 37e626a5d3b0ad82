/// The outcome of a request.
///
/// Each request has exactly one outcome.
public enum HTTP2Outcome: Hashable, Sendable {
    /// The peer responded.
    case response(HTTP2Response)
    /// The peer has not processed the request, so that it is safe to send it again.
    case neverProcessed(HTTP2Failure)
    /// The peer may or may not have processed the request.
    case unknown(HTTP2Failure)
}

/// The reason why a request has no response.
public enum HTTP2Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The request's deadline passed.
    case timedOut
    /// The peer ended the stream with an error code, or its response was malformed.
    case reset(errorCode: UInt32)
    /// The connection ended, or none could be established.
    case connection(HTTP2ConnectionEnd)
    /// The request's `sendBy` passed before the whole request was sent.
    case tooLate
    /// The client is shutting down.
    case shutDown

    /// The reason in a few words, for logs.
    public var description: String {
        switch self {
        case .timedOut: "no response before the deadline"
        case .reset(let errorCode): "the peer ended the stream (error code \(errorCode))"
        case .connection(let end): end.description
        case .tooLate: "the request could not be sent in time"
        case .shutDown: "the client is shutting down"
        }
    }
}
