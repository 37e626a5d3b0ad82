public import Encodings

/// The Apple account that a verified identity token is for.
public struct AppleAccount: Hashable, Sendable {
    /// The SHA-256 of issuer and subject, 32 bytes.
    ///
    /// The subject identifies a person for one developer team. With its 128 random bits, the hash needs neither salt nor
    /// stretching.
    public let hash: [UInt8]
    /// When Apple issued the token, to a second.
    public let tokenIssuedAt: Timestamp
}
