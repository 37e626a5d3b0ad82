import DequeModule

/// Decides which reads go to the server together: those that came while others were on their way.
///
/// A read never waits for company. It goes at once when nobody is sending; else with all that came meanwhile, when the sender
/// comes back, or when so many wait that another sender is worth it.
struct ReadQueue<Read> {
    /// Names one caller's read.
    struct Ticket: Hashable {
        let number: Int
    }

    /// Reads of several callers, in the order in which they came.
    typealias Batch = [(ticket: Ticket, read: Read)]

    private let senderLimit: Int
    private let crowd: Int
    private let sizeLimit: Int
    private var senders = 0
    private var waiting: Deque<(ticket: Ticket, read: Read)> = []
    private var tickets = 0

    /// - Parameters:
    ///   - senderLimit: how many send at once, at least one.
    ///   - crowd: how many must wait for one more to send, if anybody sends already.
    ///   - sizeLimit: how many callers a batch serves, at least one.
    init(senderLimit: Int, crowd: Int, sizeLimit: Int) {
        precondition(senderLimit >= 1 && sizeLimit >= 1, "nobody would ever be served")
        self.senderLimit = senderLimit
        self.crowd = crowd
        self.sizeLimit = sizeLimit
    }

    /// Someone wants to read.
    /// - Returns: their ticket, and whether there is to be one more who sends: who then calls ``next()`` until it gives nil.
    mutating func add(_ read: Read) -> (Ticket, needsSender: Bool) {
        tickets += 1
        let ticket = Ticket(number: tickets)
        waiting.append((ticket, read))
        guard senders == 0 || (senders < senderLimit && waiting.count >= crowd) else { return (ticket, false) }
        senders += 1
        return (ticket, true)
    }

    /// A sender is ready to send: only now is it decided what goes together, so that nothing stays behind that could have gone.
    /// - Returns: what is to be sent; nil when nobody waits, and the sender is none any more.
    mutating func next() -> Batch? {
        precondition(senders > 0, "nobody was to send")
        guard waiting.isEmpty else { return takeBatch() }
        senders -= 1
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
