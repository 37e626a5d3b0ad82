import Cryptography
import Foundation

/// The secret with which a player or an operator proves to be one: `Authorization: Bearer` and this.
///
/// 256 random bits in base64url behind a prefix, by which people and secret scanners recognise what they look at. Only
/// the SHA-256 is stored: with that many bits, guessing is hopeless without salt or stretching too.
public struct BearerToken: Sendable {
    /// Whose token it is; the prefix that tells.
    public enum Holder: String, Sendable, CaseIterable {
        /// A player: the routes under `/v1`.
        case player = "erp_"
        /// An operator: the routes under `/admin/v1`.
        case `operator` = "ero_"
    }

    private static let wordCount = 4
    /// 32 bytes in base64 without padding.
    private static let encodedCount = 43

    /// Whose token it is.
    public let holder: Holder
    /// The token itself: to be shown once, and never to be logged.
    public let text: String

    /// A new token.
    /// - Parameters:
    ///   - holder: whose it is to be.
    ///   - generator: a source that cannot be guessed.
    public init(for holder: Holder, using generator: inout some RandomNumberGenerator) {
        let bytes = (0..<Self.wordCount).flatMap { _ in
            withUnsafeBytes(of: generator.next() as UInt64, Array.init)
        }
        let base64 = Data(bytes).base64EncodedString()
        self.holder = holder
        text = holder.rawValue + base64.prefix(Self.encodedCount).replacing("+", with: "-").replacing("/", with: "_")
    }

    /// A token as a request carries it, nil when no token can look like that.
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

    /// What is stored: the token's SHA-256, 32 bytes.
    public var hash: [UInt8] { SHA256.digest(of: text) }
}

extension BearerToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The prefix alone, since descriptions end up in logs.
    public var description: String { holder.rawValue + "…" }

    /// The same.
    public var debugDescription: String { description }
}
