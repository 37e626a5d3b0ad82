/// Why a provider key cannot be used; never with anything of the key in it.
public enum ProviderKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is not a PEM private key.
    case unreadable
    /// The key is of another kind than Apple's; the name of the curve it is on, if any.
    case wrongKind(String)
    /// libcrypto failed at something that does not fail.
    case libcrypto(String)

    /// What is wrong and how to mend it.
    public var description: String {
        switch self {
        case .unreadable:
            """
            this is not a private key in PEM form (-----BEGIN PRIVATE KEY-----) without a pass phrase; \
            'apns-simulator make-key --out FILE' makes one
            """
        case .wrongKind(let curve):
            "the key is not on the curve P-256 (\(curve)); 'apns-simulator make-key --out FILE' makes one"
        case .libcrypto(let what):
            "libcrypto: \(what)"
        }
    }
}
