import Cryptography
public import Encodings
import Foundation
public import GameCore
import Logging

/// An entry of the audit log: a change, and its position in the chain of its shard.
///
/// An entry's hash covers the entry and the hash of the previous one, so nothing in a chain can be changed, inserted,
/// removed or moved without recomputing all later hashes. The chain therefore reveals changes made outside the program.
/// It is not a signature: a user with write access to the database can recompute the hashes.
public struct AuditEntry: Sendable, Hashable {
    /// The chain of the entry.
    public let shard: Shard
    /// The position in the chain: 1 and up, without gaps.
    public let position: Int64
    /// When the entry was written.
    public let at: Timestamp
    /// The author of the change.
    public let author: AuditAuthor
    /// The action.
    public let action: AuditAction
    /// The object of the change.
    public let target: String
    /// The facts before the change: the stored JSON object of strings.
    public let before: String?
    /// The facts after the change: the stored JSON object of strings.
    public let after: String?
    /// The stored SHA-256 hash, 32 bytes.
    ///
    /// ``hash(after:)`` computes the expected one.
    public let hash: [UInt8]

    /// The previous hash of a chain's first entry.
    static let firstPreviousHash = [UInt8](repeating: 0, count: SHA256.byteCount)

    init(
        shard: Shard,
        position: Int64,
        at: Timestamp,
        author: AuditAuthor,
        action: AuditAction,
        target: String,
        before: String?,
        after: String?,
        hash: [UInt8]
    ) {
        self.shard = shard
        self.position = position
        self.at = at
        self.author = author
        self.action = action
        self.target = target
        self.before = before
        self.after = after
        self.hash = hash
    }

    /// Creates an entry from a change and its position.
    init(_ change: AuditChange, at: Timestamp, in shard: Shard, position: Int64, after previousHash: [UInt8]) {
        let unhashed = Self(
            shard: shard,
            position: position,
            at: at,
            author: change.author,
            action: change.action,
            target: change.target,
            before: change.before.map(Self.text),
            after: change.after.map(Self.text),
            hash: []
        )
        self.init(
            shard: shard,
            position: position,
            at: at,
            author: change.author,
            action: change.action,
            target: change.target,
            before: unhashed.before,
            after: unhashed.after,
            hash: unhashed.hash(after: previousHash)
        )
    }

    /// Returns the expected hash of the entry, given the hash of the previous entry.
    ///
    /// The hash is computed over a canonical encoding: the version of the encoding in one byte; numbers in 8 bytes,
    /// big-endian, the time in microseconds since 1970; strings in UTF-8 preceded by their length, a missing string as
    /// the length -1.
    func hash(after previousHash: [UInt8]) -> [UInt8] {
        var encoding = CanonicalBytes()
        encoding.append(Int64(shard.rawValue))
        encoding.append(position)
        encoding.append(at.microseconds)
        for text in [author.name, action.rawValue, target, before, after, author.requestID] {
            encoding.append(text)
        }
        return SHA256.digest(of: encoding.bytes + previousHash)
    }

    /// Logs the entry with its hash, so that the stored entry can be compared with the log line.
    func log(to logger: Logger) {
        logger.notice(
            "an operator changed something",
            metadata: [
                "shard": "\(shard.rawValue)", "position": "\(position)", "operator": "\(author.name)",
                "action": "\(action.rawValue)", "target": "\(target)", "hash": "\(hashText)",
            ]
        )
    }

    /// The hash in hexadecimal.
    public var hashText: String { hash.hexadecimal }

    /// Encodes facts as JSON with a deterministic byte sequence.
    private static func text(_ facts: [String: String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(facts), as: UTF8.self)
        } catch {
            preconditionFailure("strings always encode: \(error)")
        }
    }
}

/// An encoding in which no two different entries have the same bytes.
private struct CanonicalBytes {
    /// The encoded bytes, which begin with the version of the encoding.
    private(set) var bytes: [UInt8] = [1]

    mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
    }

    mutating func append(_ text: String?) {
        guard let text else {
            append(-1 as Int64)
            return
        }
        append(Int64(text.utf8.count))
        bytes += text.utf8
    }
}

extension AuditEntryHash {
    /// The hash in hexadecimal.
    public var hashText: String { hash.hexadecimal }
}
