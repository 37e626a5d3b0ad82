/// Why a connection ended, or why there was none.
public enum HTTP2ConnectionEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the peer could not be resolved.
    case unresolved(host: String, reason: String)
    /// TCP did not come up.
    case refused(address: String, reason: String)
    /// TCP, TLS and the peer's first SETTINGS took longer than the connect deadline.
    case connectTimedOut
    /// The TLS handshake failed; a certificate that does not verify is the commonest reason.
    case handshakeFailed(String)
    /// TLS is up, but the peer did not choose `h2` by ALPN (RFC 9113, section 3.2). There is no fallback.
    case notHTTP2
    /// The peer closed the connection, or it broke.
    case lost(String)
    /// The peer broke the rules of HTTP/2, or closed with an error code.
    case protocolError(String)
    /// The peer said GOAWAY, with its debug data as text, of up to 1,024 bytes; APNs puts JSON with a reason there.
    case goAway(errorCode: UInt32, debugData: String)
    /// Nothing was heard from the peer, not even the answer to a PING.
    case silent
    /// This side closed it.
    case closedHere

    /// One sentence for a log.
    public var description: String {
        switch self {
        case .unresolved(let host, let reason): "\(host) cannot be resolved: \(reason)"
        case .refused(let address, let reason): "no connection to \(address): \(reason)"
        case .connectTimedOut: "the connection did not come up in time"
        case .handshakeFailed(let reason): "the TLS handshake failed: \(reason)"
        case .notHTTP2: "the peer does not speak HTTP/2 (no h2 by ALPN)"
        case .lost(let reason): "the connection was lost: \(reason)"
        case .protocolError(let reason): "the peer broke HTTP/2: \(reason)"
        case .goAway(let code, let debugData): "the peer said GOAWAY (code \(code)) \(debugData)"
        case .silent: "the peer fell silent"
        case .closedHere: "the connection was closed on this side"
        }
    }
}
