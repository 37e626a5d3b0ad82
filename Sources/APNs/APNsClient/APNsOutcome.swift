public import Foundation

/// What is known of a push in the end.
///
/// Each push has exactly one.
public enum APNsOutcome: Hashable, Sendable {
    /// APNs took it (status 200), which does not mean that it was shown.
    ///
    /// The `apns-unique-id` comes in the development environment only; Apple's console finds a push by it.
    case accepted(apnsID: UUID, uniqueID: String?)
    /// APNs refused it, and said why.
    case rejected(APNsRejection)
    /// It was sent, and may or may not have been taken.
    case unknown(APNsFailure)
    /// APNs has not seen it, or has said that it did not process it.
    case neverSent(APNsFailure)
}

/// Why a push has no answer.
public enum APNsFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// No answer before the deadline.
    case timedOut
    /// APNs ended the stream, with this HTTP/2 error code.
    case streamEnded(errorCode: UInt32)
    /// APNs ended the connection by GOAWAY, for this reason, which is empty when it gave none.
    case goAway(APNsReason, errorCode: UInt32)
    /// There was no connection, or it broke; the text says why.
    case connection(String)
    /// The time by which it was to be sent passed before it could be.
    case tooLate
    /// The client is shutting down.
    case shuttingDown
    /// No provider token could be signed; the text says why.
    case providerToken(String)

    /// One sentence for a log.
    public var description: String {
        switch self {
        case .timedOut: "no answer before the deadline"
        case .streamEnded(let errorCode): "APNs ended the stream (HTTP/2 error code \(errorCode))"
        case .goAway(let reason, let errorCode):
            "APNs ended the connection (HTTP/2 error code \(errorCode)): \(reason.text.isEmpty ? "no reason" : reason.text)"
        case .connection(let reason): reason
        case .tooLate: "it could not be sent in time"
        case .shuttingDown: "the client is shutting down"
        case .providerToken(let reason): "no provider token: \(reason)"
        }
    }
}
