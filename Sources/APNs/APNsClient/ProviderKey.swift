import Cryptography

/// The key that signs provider tokens, with the identifiers of the key and of the team.
public struct ProviderKey: Hashable, Sendable {
    /// Apple's identifier of the key: ten capital letters and digits.
    public let keyID: String
    /// Apple's identifier of the team: ten capital letters and digits.
    public let teamID: String

    private let privateKey: P256PrivateKey

    /// Reads the key of a `.p8` file.
    /// - Parameters:
    ///   - pem: the content of the file.
    ///   - keyID: ten capital letters and digits.
    ///   - teamID: ten capital letters and digits.
    /// - Throws: `ProviderKeyError` if an identifier is malformed, or if the text is not a private EC key on P-256.
    public init(pem: String, keyID: String, teamID: String) throws(ProviderKeyError) {
        guard Self.isIdentifier(keyID) else { throw .malformedKeyID(keyID) }
        guard Self.isIdentifier(teamID) else { throw .malformedTeamID(teamID) }
        self.keyID = keyID
        self.teamID = teamID
        do throws(PrivateKeyError) {
            privateKey = try P256PrivateKey(pem: pem)
        } catch {
            throw ProviderKeyError(error)
        }
    }

    /// Signs a text with ES256 (RFC 7518, section 3.4).
    ///
    /// - Returns: r and s, 32 bytes each.
    func sign(_ text: String) throws(ProviderKeyError) -> [UInt8] {
        do throws(PrivateKeyError) {
            return try privateKey.signature(for: Array(text.utf8))
        } catch {
            throw ProviderKeyError(error)
        }
    }

    private static func isIdentifier(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}

extension ProviderKey: CustomStringConvertible, CustomReflectable {
    /// The identifiers, without the key.
    public var description: String { "ProviderKey(\(keyID) of team \(teamID), key redacted)" }

    /// A mirror of the identifiers, without the key, for dumps.
    public var customMirror: Mirror { Mirror(reflecting: description) }
}
