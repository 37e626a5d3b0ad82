import PostgresClient

/// The kind of a database failure, which determines the response to the failed request.
public enum DatabaseFailure: Hashable, Sendable {
    /// The database cannot be reached, refuses work for now, or has not confirmed a commit. The same request may succeed later.
    case unavailable
    /// A statement exceeded its time limit.
    case timedOut
    /// A statement waited too long for a lock.
    case lockTimedOut
    /// A table does not exist: a migration is pending.
    case missingTable

    /// Creates the kind of an error; nil if it is not an error of the database, or if the same request would fail
    /// again.
    public init?(_ error: any Error) {
        guard let error = error as? PostgresError else { return nil }
        switch error {
        case .timedOut: self = .timedOut
        case .connectionLost, .outcomeUnknown, .cannotConnect, .cancelled, .poolExhausted, .closed: self = .unavailable
        case .server(let server) where server.state == .lockNotAvailable: self = .lockTimedOut
        case .server(let server) where server.state == .queryCancelled: self = .timedOut
        case .server(let server) where server.state == .undefinedTable: self = .missingTable
        // Classes 08 (connection), 53 (resources) and 57 (operator intervention, such as a shutdown).
        case .server(let server)
        where error.isRetryable || ["08", "53", "57"].contains(server.state.rawValue.prefix(2)):
            self = .unavailable
        case .server, .decoding: return nil
        }
    }

    /// Whether the database does not respond at all, or not in time.
    public var isOutage: Bool {
        switch self {
        case .unavailable, .timedOut: true
        case .lockTimedOut, .missingTable: false
        }
    }
}

extension Error {
    /// Whether the error only says that a task was cancelled, as at the stop of a node, while it used the database.
    public var isCancellation: Bool {
        if case .cancelled = self as? PostgresError { true } else { self is CancellationError }
    }

    /// Whether the current task stops, or the error says that a part of it does: work that ends with this error has not
    /// failed.
    public var isFromStop: Bool { isCancellation || Task.isCancelled }
}
