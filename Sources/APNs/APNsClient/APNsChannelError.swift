/// The reason why a request for channel management failed, or has an unknown outcome.
public enum APNsChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// APNs rejected the request.
    case rejected(APNsRejection)
    /// The request was sent; APNs may or may not have processed it.
    case unknown(APNsFailure)
    /// APNs did not receive the request, or reported that it did not process it.
    case neverSent(APNsFailure)
    /// The request succeeded, but the response lacks the named value.
    case unreadable(missing: String)

    /// The reason in a few words, for logs.
    public var description: String {
        switch self {
        case .rejected(let rejection):
            "APNs rejected the request: \(rejection.reason.text) (status \(rejection.status))"
        case .unknown(let reason): "the outcome of the request is unknown: \(reason)"
        case .neverSent(let reason): "the request was not sent: \(reason)"
        case .unreadable(let missing): "the response lacks \(missing)"
        }
    }
}
