/// The reason why a private key cannot be read, generated or used.
///
/// No case contains any part of the key.
public enum PrivateKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not an unencrypted private key in PEM; the reason is libcrypto's.
    case unreadable(reason: String)
    /// The key is not an EC key on P-256; `found` is the name of its curve or of its type.
    case notP256(found: String)
    /// libcrypto cannot generate a key or sign, for lack of memory or of entropy.
    case operationFailed(reason: String)

    /// The reason in one sentence, without a full stop.
    public var description: String {
        switch self {
        case .unreadable(let reason): "No private key can be read from the PEM text: \(reason)"
        case .notP256(let found): "The key is not an EC key on P-256 (\(found))"
        case .operationFailed(let reason): "libcrypto failed: \(reason)"
        }
    }
}
