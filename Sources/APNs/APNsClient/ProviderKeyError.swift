/// What is wrong with a provider key, and how to mend it.
///
/// No case holds anything of the key.
public enum ProviderKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key id is not ten capital letters and digits.
    case malformedKeyID(String)
    /// The team id is not ten capital letters and digits.
    case malformedTeamID(String)
    /// The text is not the PEM of a private key; the reason is libcrypto's.
    case unreadable(reason: String)
    /// It is a private key, but not an EC key on P-256; the text names what it is.
    case notP256(found: String)

    /// What is wrong and how to mend it.
    public var description: String {
        switch self {
        case .malformedKeyID(let text):
            """
            The key id \"\(text)\" is not ten capital letters and digits; \
            it is in the name of the file (AuthKey_KEYID.p8) and beside the key on developer.apple.com.
            """
        case .malformedTeamID(let text):
            """
            The team id \"\(text)\" is not ten capital letters and digits; \
            it is under Membership details on developer.apple.com.
            """
        case .unreadable(let reason):
            """
            The provider key is not a private key in PEM (\(reason)); it must be the .p8 file as Apple gave it, \
            beginning with -----BEGIN PRIVATE KEY-----. It can be downloaded once only: if it is lost, make another key.
            """
        case .notP256(let found):
            """
            The provider key is of another kind (\(found)); APNs takes EC keys on P-256 only, \
            as developer.apple.com makes them under Keys with Apple Push Notifications service enabled.
            """
        }
    }
}
