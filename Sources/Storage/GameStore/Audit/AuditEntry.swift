import Cryptography
public import Encodings
import Foundation
public import GameCore
import Logging

/// One entry of the audit log: what was changed, and its place in the chain of its shard.
///
/// The hash of an entry covers the entry and the hash of the one before it, so that nothing in a chain can be changed,
/// inserted, removed or moved without every hash behind it being made anew. Whoever can write to the database could do
/// even that: the chain shows changes behind the program's back, and is no signature.
public struct AuditEntry: Sendable, Hashable {
    /// Whose chain it is in.
    public let shard: Shard
    /// Its place in the chain: 1 and up, without gaps.
    public let position: Int64
    /// When it was written.
    public let at: Timestamp
    /// Who did it.
    public let author: AuditAuthor
    /// What was done.
    public let action: AuditAction
    /// To what.
    public let target: String
    /// What was so before: a JSON object of texts, as it is stored.
    public let before: String?
    /// What is so since: a JSON object of texts, as it is stored.
    public let after: String?
    /// SHA-256, 32 bytes, as it is stored: what it should be is ``hash(after:)``.
    public let hash: [UInt8]

    /// What stands for the hash before the first entry.
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

    /// A change at its place.
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

    /// The hash that belongs to the entry's content when the entry before has this one.
    ///
    /// Over a canonical encoding: the version of this encoding in a byte; numbers in 8 bytes, big-endian, the time in
    /// microseconds since 1970; texts in UTF-8 behind their length, what is missing as the length -1.
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

    /// Tells a log of the entry: what was done, and the hash, by which the database's entry can be held against the line.
    func note(in logger: Logger) {
        logger.notice(
            "an operator has changed something",
            metadata: [
                "shard": "\(shard.rawValue)", "position": "\(position)", "operator": "\(author.name)",
                "action": "\(action.rawValue)", "target": "\(target)", "hash": "\(hashText)",
            ]
        )
    }

    /// The hash in hexadecimal.
    public var hashText: String { hash.hexadecimal }

    /// The one JSON text of these facts: the same facts give the same bytes.
    private static func text(_ facts: [String: String]) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(facts), as: UTF8.self)
        } catch {
            preconditionFailure("texts always encode: \(error)")
        }
    }
}

/// Bytes that say their own structure, so that two different entries never give the same.
private struct CanonicalBytes {
    /// The version of the encoding comes first.
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
