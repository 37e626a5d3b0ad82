import DequeModule

/// Decides which request gets a connection: a fixed number of slots, and a first-in, first-out queue.
///
/// The machine grants slots, each with an idle connection or empty. The borrower of an empty slot opens the connection.
/// So if the server is unreachable, each borrower gets the error, and no background task has to connect.
struct ConnectionPoolMachine<Connection> {
    /// The identifier of a waiting request.
    struct Ticket: Hashable {
        let number: Int
    }

    /// A slot, with its idle connection if it has one.
    enum Slot {
        case idle(Connection)
        case empty
    }

    /// The response to a request.
    enum RequestAction {
        /// The request gets a slot.
        case take(Slot)
        /// The request waits until its ticket is called.
        case wait(Ticket)
        /// The pool is closed.
        case refuse
    }

    /// The action after a slot was returned.
    enum ReturnAction {
        /// Nothing. The connection, if any, is kept for the next request, or closed with the pool.
        case nothing
        /// The longest-waiting request gets the slot.
        case call(Ticket, Slot)
        /// The pool is closed, and this was the last slot in use.
        case drained
    }

    private struct Idle {
        let connection: Connection
        let since: ContinuousClock.Instant
    }

    private let limit: Int
    private var isClosed = false
    /// The idle connections.
    ///
    /// The most recently used connection is last and is lent first, so that rarely used connections become old enough
    /// to be checked.
    private var idle: Deque<Idle> = []
    private var inUse = 0
    private var waiting: Deque<Ticket> = []
    private var ticketCount = 0

    /// Creates the state of a pool without connections.
    /// - Parameter limit: the number of slots, at least one.
    init(limit: Int) {
        precondition(limit >= 1, "a pool needs at least one connection, not \(limit)")
        self.limit = limit
    }

    /// The current use of connections, and the number of waiting requests.
    var statistics: PostgresPoolStatistics {
        PostgresPoolStatistics(limit: limit, inUse: inUse, idle: idle.count, waiting: waiting.count)
    }

    /// Requests a slot.
    mutating func request() -> RequestAction {
        guard !isClosed else { return .refuse }
        guard waiting.isEmpty, inUse < limit else {
            ticketCount += 1
            let ticket = Ticket(number: ticketCount)
            waiting.append(ticket)
            return .wait(ticket)
        }
        inUse += 1
        return .take(idle.popLast().map { .idle($0.connection) } ?? .empty)
    }

    /// Withdraws a waiting request.
    /// - Returns: whether the request was withdrawn; false if its ticket was called already.
    mutating func abandon(_ ticket: Ticket) -> Bool {
        guard let index = waiting.firstIndex(of: ticket) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Returns a slot to the pool.
    /// - Parameters:
    ///   - connection: the slot's connection; nil if it is unusable or was never established.
    ///   - now: the current time, from which the connection counts as idle.
    /// - Returns: the action that follows.
    mutating func release(_ connection: Connection?, at now: ContinuousClock.Instant) -> ReturnAction {
        precondition(inUse > 0, "a slot was returned that was not in use")
        if let ticket = waiting.popFirst() {
            return .call(ticket, connection.map(Slot.idle) ?? .empty)
        }
        inUse -= 1
        guard !isClosed else { return inUse == 0 ? .drained : .nothing }
        if let connection { idle.append(Idle(connection: connection, since: now)) }
        return .nothing
    }

    /// Takes the connections that have been idle since a moment or longer, to be checked and returned.
    mutating func takeIdle(since moment: ContinuousClock.Instant) -> [Connection] {
        // The longest idle come first. Each keeps its slot, so the limit still holds.
        let count = idle.prefix { $0.since <= moment }.count
        let connections = idle.prefix(count).map(\.connection)
        idle.removeFirst(count)
        inUse += count
        return connections
    }

    /// Closes the pool.
    ///
    /// Idle connections are released now, the others when they are returned.
    /// - Returns: the requests to refuse, and whether no slot is in use.
    mutating func close() -> (refused: [Ticket], isDrained: Bool) {
        defer {
            isClosed = true
            waiting = []
            idle = []
        }
        return (Array(waiting), inUse == 0)
    }
}

extension ConnectionPoolMachine.Slot: Sendable where Connection: Sendable {}
