public import GameCore

/// A dispatcher's exclusive right to send a shard's pushes while the dispatcher is present, on the database's clock.
public struct ShardLease: Sendable {
    /// The leased shard.
    public let shard: Shard
    /// The fencing token, incremented with each acquisition: writes with an older epoch are rejected.
    public let epoch: Int64
    /// The position of the log up to which no entry needs to be read again.
    public let checkpoint: Int64
    /// The lowest timestamp of the holder's pushes, in seconds since 1970.
    ///
    /// It is later than the timestamps of all earlier holders, which need not be stored: of these, the first to an
    /// activity was at most as late as the lowest one of that lease, and the others were at most a second ahead.
    public let firstTimestamp: Int64
    /// Whether the last holder released it, after it had stored everything that it had sent; true without an earlier holder.
    public let wasReleased: Bool

    /// Creates a lease, as the database granted it.
    package init(shard: Shard, epoch: Int64, checkpoint: Int64, firstTimestamp: Int64 = 0, wasReleased: Bool = false) {
        self.shard = shard
        self.epoch = epoch
        self.checkpoint = checkpoint
        self.firstTimestamp = firstTimestamp
        self.wasReleased = wasReleased
    }
}
