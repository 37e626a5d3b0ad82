import DequeModule

/// Decides which reads go to the server together: those that came while others were on their way.
///
/// A read never waits for company. It goes at once as long as fewer than a few batches are under way; only when that many
/// are does it wait, and then it goes with all that waited with it.
struct ReadQueue<Read> {
    /// Names one caller's read.
    struct Ticket: Hashable {
        let number: Int
    }

    /// Reads of several callers, in the order in which they came.
    typealias Batch = [(ticket: Ticket, read: Read)]

    private let batchLimit: Int
    private let sizeLimit: Int
    private var underWay = 0
    private var waiting: Deque<(ticket: Ticket, read: Read)> = []
    private var tickets = 0

    /// - Parameters:
    ///   - batchLimit: how many batches are under way at once, at least one.
    ///   - sizeLimit: how many callers a batch serves, at least one.
    init(batchLimit: Int, sizeLimit: Int) {
        precondition(batchLimit >= 1 && sizeLimit >= 1, "nobody would ever be served")
        self.batchLimit = batchLimit
        self.sizeLimit = sizeLimit
    }

    /// Someone wants to read.
    /// - Returns: their ticket, and a batch that is to be sent now, if there may be one more.
    mutating func add(_ read: Read) -> (Ticket, Batch?) {
        tickets += 1
        let ticket = Ticket(number: tickets)
        waiting.append((ticket, read))
        guard underWay < batchLimit else { return (ticket, nil) }
        underWay += 1
        return (ticket, takeBatch())
    }

    /// A batch has been answered.
    /// - Returns: what is to be sent in its place; nil when nobody waits.
    mutating func answered() -> Batch? {
        precondition(underWay > 0, "a batch was answered that was never sent")
        guard waiting.isEmpty else { return takeBatch() }
        underWay -= 1
        return nil
    }

    /// Someone does not want to wait any longer; what is under way already stays so.
    mutating func abandon(_ ticket: Ticket) {
        waiting.removeAll { $0.ticket == ticket }
    }

    private mutating func takeBatch() -> Batch {
        let batch = Array(waiting.prefix(sizeLimit))
        waiting.removeFirst(batch.count)
        return batch
    }
}
