import Cryptography
import Encodings
import GameCore
import GameLog

/// The secret in the link with which anyone may watch a party.
///
/// It has the shard of the party and 128 random bits in base64url after a prefix, by which people and secret scanners
/// recognize it. Only its SHA-256 is stored; with that many bits, the hash needs neither salt nor stretching.
struct SpectatorToken: Sendable {
    private static let prefix = "ers_"
    private static let randomBytes = 16

    /// The shard of the party.
    let shard: Shard
    /// The token itself.
    ///
    /// Never log it.
    let text: String

    /// Creates a token from at least 16 random bytes.
    init(in shard: Shard, bytes: [UInt8]) {
        precondition(
            bytes.count >= Self.randomBytes,
            "a token has \(Self.randomBytes) random bytes, not \(bytes.count)"
        )
        self.shard = shard
        text = Self.prefix + ([shard.rawValue] + bytes.prefix(Self.randomBytes)).base64URL
    }

    /// Parses a token; nil if the text does not have the form of a token.
    init?(_ text: String) {
        guard text.utf8.count < 64, text.hasPrefix(Self.prefix),
            let bytes = [UInt8](base64URL: text.dropFirst(Self.prefix.count)), bytes.count == 1 + Self.randomBytes
        else {
            return nil
        }
        self.init(in: Shard(rawValue: bytes[0]), bytes: Array(bytes.dropFirst()))
    }

    /// What the database keeps of it.
    var link: SpectatorLink { SpectatorLink(in: shard, hash: SHA256.digest(of: text)) }
}

extension SpectatorToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The prefix only, since descriptions end up in logs.
    var description: String { Self.prefix + "…" }

    /// The prefix only.
    var debugDescription: String { description }
}
