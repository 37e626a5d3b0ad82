/// Why a request about channels was not done, or is not known to be.
public enum APNsChannelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// APNs refused it, and said why.
    case rejected(APNsRejection)
    /// It was sent, and may or may not have been done.
    case unknown(APNsFailure)
    /// APNs has not seen it, or has said that it did not process it.
    case neverSent(APNsFailure)
    /// It was done, but the answer does not hold what it should; the text names that.
    case unreadable(missing: String)

    /// One sentence for a log.
    public var description: String {
        switch self {
        case .rejected(let refusal): "APNs refused: \(refusal.reason.text) (status \(refusal.status))"
        case .unknown(let why): "it is not known whether it was done: \(why)"
        case .neverSent(let why): "it was not sent: \(why)"
        case .unreadable(let missing): "the answer lacks \(missing)"
        }
    }
}
