import NIOSSL
import Synchronization

/// The TLS identity that new connections present.
///
/// Replacing it does not affect open connections.
public final class ServerTLSContext: Sendable {
    private let identity: Mutex<ServerIdentity>

    /// Creates a context with an initial identity.
    public init(_ identity: ServerIdentity) {
        self.identity = Mutex(identity)
    }

    /// Presents another identity on connections accepted from now on.
    public func use(_ identity: ServerIdentity) {
        self.identity.withLock { $0 = identity }
    }

    var current: NIOSSLContext { identity.withLock(\.context) }
}
