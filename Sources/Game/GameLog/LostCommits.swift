public import Encodings

/// What a database has lost of a shard after a reader had read it, for example in a failover: at least this much, since
/// others may have read more.
public struct LostCommits: Sendable, Hashable {
    /// The number of log entries.
    public let entries: Int64
    /// The time of the shard's clock, which games had reached.
    public let time: Duration

    /// Creates a loss.
    public init(entries: Int64, time: Duration) {
        self.entries = entries
        self.time = time
    }

    /// Creates the loss of which the row of a shard tells.
    /// - Parameters:
    ///   - head: the row.
    ///   - position: the position up to which the log was read.
    ///   - digest: the digest of the entries that were read; nil if it is not known.
    ///   - clock: the moment up to which the shard was played.
    public init(telling head: ShardHead, readTo position: Int64, _ digest: LogDigest?, playedTo clock: Timestamp) {
        time = max(.zero, clock - head.clock)
        // Entries that were written since hide how many there were.
        let isOther =
            head.head > position ? time == .zero : head.head == position && digest ?? head.digest != head.digest
        entries = max(position - head.head, isOther ? 1 : 0)
    }
}
