/// The reason why a server or client could not be created.
///
/// An `HTTP2ConnectionEnd` describes later failures of connections.
public enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A certificate, a key or a file of certificates is invalid; the text says which and why.
    case unusableCertificate(String)
    /// The address to listen on is not available.
    case cannotListen(host: String, port: Int, reason: String)
    /// The system has no thread, descriptor or memory left.
    case systemResource(String)

    /// The reason in one sentence, for logs and terminals.
    public var description: String {
        switch self {
        case .unusableCertificate(let reason): reason
        case .cannotListen(let host, let port, let reason): "Cannot listen on \(host):\(port): \(reason)"
        case .systemResource(let reason): reason
        }
    }
}
