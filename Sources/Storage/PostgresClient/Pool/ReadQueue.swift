import DequeModule

/// Decides which reads are sent together: those that arrived while others were in flight.
///
/// A read never waits to be grouped. It is sent at once if no sender is active. Otherwise it is sent together with all
/// other waiting reads when a sender becomes free, or when enough reads wait to justify another sender.
struct ReadQueue<Read> {
    /// The identifier of one caller's reads.
    struct Ticket: Hashable {
        let number: Int
    }

    /// Reads of several callers, in order of arrival.
    typealias Batch = [(ticket: Ticket, read: Read)]

    private let senderLimit: Int
    private let senderThreshold: Int
    private let sizeLimit: Int
    private var senders = 0
    private var waiting: Deque<(ticket: Ticket, read: Read)> = []
    private var tickets = 0

    /// Creates an empty queue.
    /// - Parameters:
    ///   - senderLimit: the maximum number of concurrent senders, at least one.
    ///   - senderThreshold: the number of waiting reads that starts another sender while one is active.
    ///   - sizeLimit: the maximum number of callers in a batch, at least one.
    init(senderLimit: Int, senderThreshold: Int, sizeLimit: Int) {
        precondition(
            senderLimit >= 1 && sizeLimit >= 1,
            "a queue without senders, or with empty batches, serves no reads"
        )
        self.senderLimit = senderLimit
        self.senderThreshold = senderThreshold
        self.sizeLimit = sizeLimit
    }

    /// Queues a read.
    /// - Returns: the read's ticket, and whether the caller must start a sender, which calls ``next()`` until it
    ///   returns nil.
    mutating func add(_ read: Read) -> (Ticket, needsSender: Bool) {
        tickets += 1
        let ticket = Ticket(number: tickets)
        waiting.append((ticket, read))
        guard senders == 0 || (senders < senderLimit && waiting.count >= senderThreshold) else {
            return (ticket, false)
        }
        senders += 1
        return (ticket, true)
    }

    /// Returns the next batch for a sender that is ready.
    ///
    /// The batch is formed only now, so that it contains every read that waits.
    /// - Returns: the batch; nil if no read waits, which ends the sender.
    mutating func next() -> Batch? {
        precondition(senders > 0, "no sender is active")
        guard waiting.isEmpty else { return takeBatch() }
        senders -= 1
        return nil
    }

    /// Withdraws a read.
    ///
    /// A read in flight is not affected.
    mutating func abandon(_ ticket: Ticket) {
        waiting.removeAll { $0.ticket == ticket }
    }

    private mutating func takeBatch() -> Batch {
        let batch = Array(waiting.prefix(sizeLimit))
        waiting.removeFirst(batch.count)
        return batch
    }
}
