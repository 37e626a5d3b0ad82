import Cryptography

/// The reason why a provider key cannot be used, with the remedy.
///
/// No case contains any part of the key.
public enum ProviderKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key id is not ten capital letters and digits.
    case malformedKeyID(String)
    /// The team id is not ten capital letters and digits.
    case malformedTeamID(String)
    /// The text is not a private key in PEM, for the reason that libcrypto reports.
    case unreadable(reason: String)
    /// The private key is not an EC key on P-256; `found` is the name of its curve or of its type.
    case notP256(found: String)
    /// libcrypto cannot sign, for lack of memory or of entropy.
    case signingFailed(reason: String)

    init(_ error: PrivateKeyError) {
        self =
            switch error {
            case .unreadable(let reason): .unreadable(reason: reason)
            case .notP256(let found): .notP256(found: found)
            case .operationFailed(let reason): .signingFailed(reason: reason)
            }
    }

    /// The reason and the remedy.
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
            The provider key is not a private key in PEM (\(reason)); use the .p8 file unchanged, as downloaded from \
            Apple. It begins with -----BEGIN PRIVATE KEY-----. Apple offers it for download only once: \
            if the file is lost, create another key.
            """
        case .notP256(let found):
            """
            The provider key is of another kind (\(found)); APNs accepts only EC keys on P-256, \
            which developer.apple.com creates under Keys with Apple Push Notifications service enabled.
            """
        case .signingFailed(let reason):
            "No provider token can be signed: \(reason)."
        }
    }
}
