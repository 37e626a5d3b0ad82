public import Foundation

/// The outcome of a push.
///
/// Each push has exactly one outcome.
public enum APNsOutcome: Hashable, Sendable {
    /// APNs accepted the push (status 200), which does not mean that a device showed it.
    ///
    /// APNs sends `apns-unique-id`, the push's identifier in Apple's console, only in the development environment.
    case accepted(apnsID: UUID, uniqueID: String?)
    /// APNs rejected the push.
    case rejected(APNsRejection)
    /// The push was sent; APNs may or may not have accepted it.
    case unknown(APNsFailure)
    /// APNs did not receive the push, or reported that it did not process it.
    case neverSent(APNsFailure)
}

/// The reason why a push has no response.
public enum APNsFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The deadline passed.
    case timedOut
    /// APNs reset the stream.
    case streamEnded(errorCode: UInt32)
    /// APNs ended the connection by GOAWAY; the reason is empty if APNs gave none.
    case goAway(APNsReason, errorCode: UInt32)
    /// The connection could not be established, or broke, for the given reason.
    case connection(String)
    /// The push's `sendBy` passed before it was sent.
    case tooLate
    /// The client is shutting down.
    case shuttingDown
    /// No provider token could be signed, for the given reason.
    case providerToken(String)

    /// The reason in a few words, for logs.
    public var description: String {
        switch self {
        case .timedOut: "no response before the deadline"
        case .streamEnded(let errorCode): "APNs ended the stream (HTTP/2 error code \(errorCode))"
        case .goAway(let reason, let errorCode):
            "APNs ended the connection (HTTP/2 error code \(errorCode)): \(reason.text.isEmpty ? "no reason" : reason.text)"
        case .connection(let reason): reason
        case .tooLate: "the push could not be sent in time"
        case .shuttingDown: "the client is shutting down"
        case .providerToken(let reason): "no provider token: \(reason)"
        }
    }
}
