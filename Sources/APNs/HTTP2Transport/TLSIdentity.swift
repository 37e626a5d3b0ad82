/// The identity of a server: its certificate chain and its private key.
public struct TLSIdentity: Sendable, CustomStringConvertible {
    /// The server's certificate and the intermediate certificates, in this order, in PEM.
    public let certificateChainPEM: String
    /// The key of the first certificate in PEM, not encrypted.
    public let privateKeyPEM: String

    /// Creates an identity; a server checks it when it starts.
    public init(certificateChainPEM: String, privateKeyPEM: String) {
        self.certificateChainPEM = certificateChainPEM
        self.privateKeyPEM = privateKeyPEM
    }

    /// A text without the key.
    public var description: String { "TLSIdentity(key redacted)" }
}
