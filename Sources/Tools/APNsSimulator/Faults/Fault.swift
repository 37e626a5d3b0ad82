/// A fault that the simulator injects into otherwise valid requests.
struct Fault: Sendable {
    /// An effect of a fault on a request.
    enum Effect: Equatable, Sendable {
        /// The push is accepted, and its response is delayed.
        case latency(Latency)
        /// The push is rejected, regardless of its token.
        case rejection(RejectionReason)
        /// The connection gets a GOAWAY with a reason; this push is not processed.
        case goAway(RejectionReason)
        /// The push's stream is reset; this push is not processed.
        case reset(ResetCode)
        /// The push is accepted, and the connection closes before the response is sent.
        case lostResponse
        /// The push is accepted, and its connection is limited to one stream.
        case oneStream
        /// The connection closes, and the push is not processed.
        case connectionDrop
        /// The push is neither processed nor answered.
        case stall
    }

    /// The error code of a stream reset.
    enum ResetCode: String, CaseIterable, Sendable {
        /// `INTERNAL_ERROR`, which does not say whether the push was processed; it was not.
        case internalError
        /// `REFUSED_STREAM`, which says that the push was not processed.
        case refusedStream
    }

    /// The effect of the fault on a request.
    let effect: Effect
    /// The endpoint where the fault applies.
    ///
    /// At `channels`, the fields below that mention pushes apply to management requests.
    var endpoint = Endpoint.pushes
    /// Limits the fault to pushes to this token; nil for any token.
    var token: PushToken?
    /// Limits the fault to pushes with this topic; nil for any topic.
    var topic: String?
    /// The share of matching pushes that the fault hits: above 0, at most 1.
    var probability = 1.0
    /// The maximum number of pushes that the fault hits; nil for no limit.
    var pushes: Int?
    /// The duration of the fault from its addition, in seconds; nil for no limit.
    var seconds: Int64?
}
