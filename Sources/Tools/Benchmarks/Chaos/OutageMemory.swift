/// What memory nodes took before the database went away, and when it had been away for a while.
struct OutageMemory: Sendable {
    /// By how much a node may grow.
    ///
    /// One that cannot reach PostgreSQL has nothing to keep: requests are refused, and what is to be sent stays in the
    /// database. Some requests that wait, and an allocator that gives nothing back, come to some MiB; what is queued without
    /// a bound comes to more than this.
    static let bytesAllowed = 64 << 20

    /// The one that grew most, from zero; nil where none was seen twice.
    let node: Int?
    /// By how much it grew.
    let bytes: Int

    init(before: [Int: ChaosObserver.Memory], after: [Int: ChaosObserver.Memory]) {
        let most = before.compactMap { number, memory in after[number].map { (number, $0.last - memory.last) } }
            .max { ($0.1, $1.0) < ($1.1, $0.0) }
        node = most?.0
        bytes = most?.1 ?? 0
    }

    /// For people.
    var words: String { "memory of a node grew by \(ChaosReport.megabytes(bytes)) MB at most" }

    /// What is not as it must be.
    var complaint: String? {
        guard let node, bytes > Self.bytesAllowed else { return nil }
        return "node \(node + 1) grew by \(ChaosReport.megabytes(bytes)) MB while PostgreSQL was away, "
            + "\(ChaosReport.megabytes(Self.bytesAllowed)) are allowed"
    }
}
