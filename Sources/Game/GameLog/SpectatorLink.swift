public import GameCore

/// What the database keeps of a link with which anyone may watch a party: its shard, and a hash.
public struct SpectatorLink: Hashable, Sendable {
    /// The shard of the party.
    public let shard: Shard
    /// The SHA-256 of the link.
    public let hash: [UInt8]

    /// Creates a link.
    public init(in shard: Shard, hash: [UInt8]) {
        self.shard = shard
        self.hash = hash
    }
}
