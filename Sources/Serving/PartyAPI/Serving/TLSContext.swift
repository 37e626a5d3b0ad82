import NIOSSL
import Synchronization

/// The identity that new connections get; those that are there keep theirs.
public final class TLSContext: Sendable {
    private let identity: Mutex<ServerIdentity>

    /// Begins with an identity.
    public init(_ identity: ServerIdentity) {
        self.identity = Mutex(identity)
    }

    /// Shows another identity from now on.
    public func use(_ identity: ServerIdentity) {
        self.identity.withLock { $0 = identity }
    }

    var current: NIOSSLContext { identity.withLock(\.context) }
}
