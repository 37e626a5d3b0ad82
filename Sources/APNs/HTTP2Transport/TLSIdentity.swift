/// Who a server is: its certificate, the chain up to its authority, and its private key.
public struct TLSIdentity: Sendable, CustomStringConvertible {
    /// The server's certificate first, then those that sign it, as PEM.
    public let certificateChainPEM: String
    /// The key of the first certificate, as PEM, not encrypted.
    public let privateKeyPEM: String

    /// The identity made of these two texts; whether they can be used shows when the server is made.
    public init(certificateChainPEM: String, privateKeyPEM: String) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// Never the key.
    public var description: String { "TLSIdentity(key redacted)" }
}
