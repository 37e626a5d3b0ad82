/// Why a server or client could not be set up.
///
/// What goes wrong later, on a connection, is a `HTTP2ConnectionEnd`.
public enum TransportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A certificate, a key or a file of certificates cannot be used; the text says which and why.
    case unusableCertificate(String)
    /// The address to listen on cannot be had.
    case cannotListen(host: String, port: Int, reason: String)
    /// The system refuses a thread, a descriptor or memory.
    case systemResource(String)

    /// One sentence for a log or a terminal.
    public var description: String {
        switch self {
        case .unusableCertificate(let reason): reason
        case .cannotListen(let host, let port, let reason): "Cannot listen on \(host):\(port): \(reason)"
        case .systemResource(let reason): reason
        }
    }
}
