/// What can go wrong between a caller and PostgreSQL.
///
/// No text in it holds a parameter's value or the password of the configured URI.
public enum PostgresError: Error, Hashable, Sendable {
    /// The server refused a statement. Inside a transaction everything but its end is refused from then on.
    case server(PostgresServerError)
    /// The connection broke; nil stands for a connection that was idle.
    ///
    /// When the statement, or the COMMIT, had been sent, nobody can tell whether it took effect.
    case connectionLost(statement: String?, reason: String)
    /// No connection could be made; nothing was done.
    case cannotConnect(reason: String)
    /// The time for one exchange was over; the statement was cancelled on the server, or its connection closed.
    case timedOut(statement: String, after: Duration)
    /// The task was cancelled, and so was the statement on the server; nil when none had been sent.
    case cancelled(statement: String?)
    /// Every connection stayed in use for the whole wait limit.
    case poolExhausted(waited: Duration)
    /// The pool has been closed, or the connection was used after its closure had returned.
    case closed
    /// A row is not what the caller takes it for.
    case decoding(PostgresDecodingError)

    /// Whether the same work, run again from its beginning, may succeed.
    ///
    /// True for serialization failures and deadlocks (the server undid everything), for connections that could not be
    /// made (nothing was done), and for connections that were lost. After a loss the work may have taken effect
    /// already: run it again only if doing it twice equals doing it once. Nothing here ever does so by itself.
    public var isRetryable: Bool {
        switch self {
        case .server(let error): error.state == .serializationFailure || error.state == .deadlockDetected
        case .connectionLost, .cannotConnect: true
        case .timedOut, .cancelled, .poolExhausted, .closed, .decoding: false
        }
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line for a log.
    public var description: String {
        switch self {
        case .server(let error): error.description
        case .connectionLost(let statement?, let reason): "connection lost during statement \(statement): \(reason)"
        case .connectionLost(nil, let reason): "connection lost: \(reason)"
        case .cannotConnect(let reason): "cannot connect to PostgreSQL: \(reason)"
        case .timedOut(let statement, let duration): "statement \(statement) was cancelled after \(duration)"
        case .cancelled(let statement?): "statement \(statement) was cancelled with its task"
        case .cancelled(nil): "cancelled before anything was sent to PostgreSQL"
        case .poolExhausted(let duration): "no connection to PostgreSQL became free within \(duration)"
        case .closed: "the connection to PostgreSQL is closed"
        case .decoding(let error): error.description
        }
    }

    /// The same: debugging output ends up in logs too.
    public var debugDescription: String { description }
}
