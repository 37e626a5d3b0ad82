import DequeModule

/// Decides who gets a connection: a bound, and a queue that is served in order.
///
/// What it hands out is the right to hold one of a fixed number of places. A place comes with an idle connection or
/// empty; the borrower of an empty one connects by itself, so that a server that is down is every borrower's own
/// error and nobody has to connect in the background.
struct PoolMachine<Connection> {
    /// Names one request that has to wait.
    struct Ticket: Hashable {
        let number: Int
    }

    /// A place, with the connection that is kept in it.
    enum Place {
        case idle(Connection)
        case empty
    }

    /// The answer to a request.
    enum RequestAction {
        /// Go ahead.
        case take(Place)
        /// Wait until the ticket is called.
        case wait(Ticket)
        /// The pool is closed.
        case refuse
    }

    /// What a returned place leads to.
    enum ReturnAction {
        /// Nothing: the connection, if any, is kept for the next request, or closed with the pool.
        case nothing
        /// The longest waiting request gets the place.
        case call(Ticket, Place)
        /// The pool is closed, and this was the last place in use.
        case drained
    }

    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    private let limit: Int
    private var isClosed = false
    /// The most recently used is last, and used first: rarely used ones stay long enough to be checked.
    private var idle: Deque<Idle> = []
    private var taken = 0
    private var waiting: Deque<Ticket> = []
    private var tickets = 0

    /// - Parameter limit: how many places there are, at least one.
    init(limit: Int) {
        precondition(limit >= 1, "a pool of \(limit) connections serves nobody")
        self.limit = limit
    }

    /// How many connections there are, and how many requests wait for one.
    var statistics: PostgresPoolStatistics {
        PostgresPoolStatistics(limit: limit, lent: taken, idle: idle.count, waiting: waiting.count)
    }

    /// Someone wants a connection.
    mutating func request() -> RequestAction {
        guard !isClosed else { return .refuse }
        guard waiting.isEmpty, taken < limit else {
            tickets += 1
            let ticket = Ticket(number: tickets)
            waiting.append(ticket)
            return .wait(ticket)
        }
        taken += 1
        return .take(idle.popLast().map { .idle($0.connection) } ?? .empty)
    }

    /// Someone does not want to wait any longer.
    /// - Returns: false when the ticket has been called already.
    mutating func abandon(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(of: ticket) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// A place is returned.
    /// - Parameters:
    ///   - connection: nil when it is not usable any more, or was never made.
    ///   - now: the time, from which it counts as idle.
    /// - Returns: what follows.
    mutating func giveBack(_ connection: Connection?, at now: ContinuousClock.Instant) -> ReturnAction {
        precondition(taken > 0, "more is returned than was taken")
        if let ticket = waiting.popFirst() {
            return .call(ticket, connection.map(Place.idle) ?? .empty)
        }
        taken -= 1
        guard !isClosed else { return taken == 0 ? .drained : .nothing }
        if let connection { idle.append(Idle(connection: connection, since: now)) }
        return .nothing
    }

    /// Takes the connections that nobody has used since a moment, to be checked and returned.
    mutating func takeIdle(since moment: ContinuousClock.Instant) -> [Connection] {
        // The longest unused come first; every one taken frees no place, so the bound holds.
        let count = idle.prefix { $0.since <= moment }.count
        let connections = idle.prefix(count).map(\.connection)
        idle.removeFirst(count)
        taken += count
        return connections
    }

    /// Closes the pool: idle connections are let go, the others as they are returned.
    /// - Returns: the requests to refuse, and whether no place is in use.
    mutating func close() -> (refused: [Ticket], isDrained: Bool) {
        defer {
            isClosed = true
            waiting = []
            idle = []
        }
        return (Array(waiting), taken == 0)
    }
}

extension PoolMachine.Place: Sendable where Connection: Sendable {}
