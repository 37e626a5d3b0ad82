import Encodings
public import GameCore

/// A difference between the stored audit log and the log as it was written.
public struct AuditFault: Sendable, Hashable {
    /// The kind of difference.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The entry, or the entry before it, was modified.
        case changed
        /// The entry is missing, and a later one exists.
        case missing
        /// The entry and all later ones are missing, although the chain's head counts them.
        case cutOff
        /// The entry exists, although the chain's head does not count it.
        case added
        /// The entry is unmodified, but its hash differs from the chain's head.
        case otherEnd
    }

    /// The broken chain.
    public let shard: Shard
    /// The position of the first affected entry.
    public let position: Int64
    /// The kind of difference.
    public let kind: Kind
}

/// The head of a shard's chain, stored separately from its entries.
struct AuditHead: Sendable, Equatable {
    /// The number of entries.
    var length: Int64
    /// The hash of the last entry.
    var hash: [UInt8]

    static let empty = Self(length: 0, hash: AuditEntry.firstPreviousHash)

    /// Creates the entry for a change at the end of the chain, and moves the head to it.
    mutating func append(_ change: AuditChange, at: Timestamp, in shard: Shard) -> AuditEntry {
        let entry = AuditEntry(change, at: at, in: shard, position: length + 1, after: hash)
        self = Self(length: entry.position, hash: entry.hash)
        return entry
    }
}

/// Verifies the chain of a shard, entry by entry.
struct AuditChainWalk {
    let shard: Shard
    /// The last valid entry.
    private(set) var reached = AuditHead.empty

    /// Creates a walk from the beginning of a chain.
    init(of shard: Shard) { self.shard = shard }

    /// Creates a walk that continues after an entry.
    init(of shard: Shard, behind reached: AuditHead) {
        self.shard = shard
        self.reached = reached
    }

    /// Verifies the next entry.
    /// - Returns: the fault; nil if the entry is valid.
    mutating func step(to entry: AuditEntry) -> AuditFault? {
        guard entry.position == reached.length + 1 else { return fault(.missing) }
        guard entry.hash == entry.hash(after: reached.hash) else { return fault(.changed) }
        reached = AuditHead(length: entry.position, hash: entry.hash)
        return nil
    }

    /// Compares the last entry with the chain's head.
    /// - Parameters:
    ///   - head: the chain's head.
    ///   - newest: the position of the newest entry when the head was read; zero for none.
    /// - Returns: the fault; nil if they match.
    func end(at head: AuditHead, newest: Int64) -> AuditFault? {
        if newest > head.length { return AuditFault(shard: shard, position: head.length + 1, kind: .added) }
        if reached.length < head.length { return fault(.cutOff) }
        if reached.hash != head.hash { return AuditFault(shard: shard, position: head.length, kind: .otherEnd) }
        return nil
    }

    private func fault(_ kind: AuditFault.Kind) -> AuditFault {
        AuditFault(shard: shard, position: reached.length + 1, kind: kind)
    }
}
