import Cryptography
import Encodings

/// A bearer token: the secret that authenticates a player or an operator (`Authorization: Bearer`).
///
/// It has 256 random bits in base64url after a prefix, by which people and secret scanners recognize it. Only its
/// SHA-256 is stored; with that many bits, the hash needs neither salt nor stretching.
public struct BearerToken: Sendable {
    /// The kind of holder, with the prefix of its tokens.
    public enum Holder: String, Sendable, CaseIterable {
        /// A player, for the routes under `/v1`.
        case player = "erp_"
        /// An operator, for the routes under `/admin/v1`.
        case `operator` = "ero_"
    }

    private static let wordCount = 4
    /// The length of 32 bytes in base64 without padding.
    private static let encodedCount = 43

    /// The kind of holder.
    public let holder: Holder
    /// The token itself.
    ///
    /// Show it once, and never log it.
    public let text: String

    /// Generates a token.
    /// - Parameters:
    ///   - holder: the kind of holder.
    ///   - generator: a cryptographically secure generator.
    public init(for holder: Holder, using generator: inout some RandomNumberGenerator) {
        let bytes = (0..<Self.wordCount).flatMap { _ in
            withUnsafeBytes(of: generator.next() as UInt64, Array.init)
        }
        self.init(for: holder, bytes: bytes)
    }

    /// Creates a token from its 32 random bytes.
    init(for holder: Holder, bytes: [UInt8]) {
        precondition(bytes.count == 32, "a token has 32 bytes, not \(bytes.count)")
        self.holder = holder
        text = holder.rawValue + bytes.base64URL
    }

    /// Parses a token; nil if the text does not have the form of a token.
    init?(_ text: String) {
        guard
            let holder = Holder.allCases.first(where: { text.hasPrefix($0.rawValue) }),
            text.utf8.count == holder.rawValue.utf8.count + Self.encodedCount
        else {
            return nil
        }
        self.holder = holder
        self.text = text
    }

    /// The SHA-256 of the token, 32 bytes, which is stored instead of the token.
    public var hash: [UInt8] { SHA256.digest(of: text) }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The prefix only, since descriptions end up in logs.
    public var description: String { holder.rawValue + "…" }

    /// The prefix only.
    public var debugDescription: String { description }
}
