import Encodings
public import GameCore

/// Where the audit log is not as it was written.
public struct AuditFault: Sendable, Hashable {
    /// What is wrong at the place.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The entry, or the one before it, is not as it was written.
        case changed
        /// There is no such entry, and one behind it.
        case missing
        /// There is no such entry, and none behind it, and the chain's end says that there was.
        case cutOff
        /// The chain's end says that there is no such entry.
        case added
        /// The entry is as it was written, and the chain's end says that another one was.
        case otherEnd
    }

    /// Whose chain is broken.
    public let shard: Shard
    /// The first entry at which it is.
    public let position: Int64
    /// How.
    public let kind: Kind
}

/// The end of a shard's chain, as it is stored beside it.
struct AuditHead: Sendable, Equatable {
    /// How many entries there are.
    var length: Int64
    /// The hash of the last of them.
    var hash: [UInt8]

    static let empty = Self(length: 0, hash: AuditEntry.firstPreviousHash)

    /// The entry that a change becomes behind this end, which it moves.
    mutating func append(_ change: AuditChange, at: Timestamp, in shard: Shard) -> AuditEntry {
        let entry = AuditEntry(change, at: at, in: shard, position: length + 1, after: hash)
        self = Self(length: entry.position, hash: entry.hash)
        return entry
    }
}

/// Walks the chain of a shard, entry by entry.
struct AuditChainWalk {
    let shard: Shard
    /// The last entry that was found good.
    private(set) var reached = AuditHead.empty

    /// A walk from the beginning of a chain.
    init(of shard: Shard) { self.shard = shard }

    /// A walk that goes on behind an entry.
    init(of shard: Shard, behind reached: AuditHead) {
        self.shard = shard
        self.reached = reached
    }

    /// Looks at the next entry.
    /// - Returns: what is wrong, nil when the entry is as it was written.
    mutating func step(to entry: AuditEntry) -> AuditFault? {
        guard entry.position == reached.length + 1 else { return fault(.missing) }
        guard entry.hash == entry.hash(after: reached.hash) else { return fault(.changed) }
        reached = AuditHead(length: entry.position, hash: entry.hash)
        return nil
    }

    /// Compares where the entries ended with what is stored of the end.
    /// - Parameters:
    ///   - head: the chain's end.
    ///   - newest: the position of the newest entry when the end was read, zero for none.
    /// - Returns: what is wrong, nil when nothing is.
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
