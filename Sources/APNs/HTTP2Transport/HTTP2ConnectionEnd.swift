/// The reason why a connection ended or could not be established.
public enum HTTP2ConnectionEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer's name could not be resolved.
    case unresolved(host: String, reason: String)
    /// The TCP connection failed.
    case refused(address: String, reason: String)
    /// TCP, TLS and the peer's first SETTINGS together took longer than the connect timeout.
    case connectTimedOut
    /// The TLS handshake failed; an invalid certificate is the most frequent reason.
    case handshakeFailed(String)
    /// The peer did not choose `h2` by ALPN (RFC 9113, section 3.2).
    ///
    /// There is no fallback.
    case notHTTP2
    /// The peer closed the connection, or it broke.
    case lost(String)
    /// The peer violated HTTP/2, or closed with an error code.
    case protocolError(String)
    /// The peer sent GOAWAY, with up to 1,024 bytes of debug data as text; APNs sends JSON with a reason.
    case goAway(errorCode: UInt32, debugData: String)
    /// The peer did not respond to a PING.
    case unresponsive
    /// This side closed the connection.
    case closedLocally

    /// The reason in a few words, for logs.
    public var description: String {
        switch self {
        case .unresolved(let host, let reason): "\(host) cannot be resolved: \(reason)"
        case .refused(let address, let reason): "no connection to \(address): \(reason)"
        case .connectTimedOut: "the connection was not established in time"
        case .handshakeFailed(let reason): "the TLS handshake failed: \(reason)"
        case .notHTTP2: "the peer does not speak HTTP/2 (no h2 by ALPN)"
        case .lost(let reason): "the connection was lost: \(reason)"
        case .protocolError(let reason): "the peer violated HTTP/2: \(reason)"
        case .goAway(let code, let debugData): "the peer sent GOAWAY (code \(code)) \(debugData)"
        case .unresponsive: "the peer does not respond to a PING"
        case .closedLocally: "this side closed the connection"
        }
    }
}
