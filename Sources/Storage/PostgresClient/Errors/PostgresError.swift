/// An error of a request to PostgreSQL.
///
/// No message contains the value of a parameter or the password of the configured URI.
public enum PostgresError: Error, Hashable, Sendable {
    /// The server rejected a statement. Inside a transaction it then rejects everything except the end of the
    /// transaction.
    case server(PostgresServerError)
    /// The connection was lost; `statement` is nil if the connection was idle.
    ///
    /// If the statement, or the COMMIT, had been sent, it is unknown whether it took effect.
    case connectionLost(statement: String?, reason: String)
    /// The server has committed, or may have, and has not confirmed it: a synchronous standby is away, or the connection to
    /// it was given up while the server committed. A failover may lose the changes.
    case outcomeUnknown(statement: String, reason: String)
    /// The connection could not be established. Nothing was executed.
    case cannotConnect(reason: String)
    /// The exchange exceeded its time limit. The statement was cancelled on the server, or its connection was closed.
    case timedOut(statement: String, after: Duration)
    /// The task was cancelled, and with it the statement on the server; `statement` is nil if none had been sent.
    case cancelled(statement: String?)
    /// All connections stayed in use for the whole wait limit.
    case poolExhausted(waited: Duration)
    /// The pool is closed, or the connection was used after its closure had returned.
    case closed
    /// A row cannot be decoded as the requested types.
    case decoding(PostgresDecodingError)

    /// Whether the same work, repeated from its beginning, may succeed.
    ///
    /// True for serialization failures and deadlocks (the server rolled everything back), for connections that could
    /// not be established (nothing was executed), and for lost connections and unknown outcomes. After these the work may
    /// have taken effect already: repeat it only if it is idempotent. The pool itself repeats only reads, and only after
    /// the rejection of another caller's statement (``PostgresPool/read(_:)``).
    public var isRetryable: Bool {
        switch self {
        case .server(let error): error.state == .serializationFailure || error.state == .deadlockDetected
        case .connectionLost, .outcomeUnknown, .cannotConnect: true
        case .timedOut, .cancelled, .poolExhausted, .closed, .decoding: false
        }
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// A description in one line, for logs.
    public var description: String {
        switch self {
        case .server(let error): error.description
        case .connectionLost(let statement?, let reason): "connection lost during statement \(statement): \(reason)"
        case .connectionLost(nil, let reason): "connection lost: \(reason)"
        case .outcomeUnknown(let statement, let reason): "the outcome of statement \(statement) is unknown: \(reason)"
        case .cannotConnect(let reason): "cannot connect to PostgreSQL: \(reason)"
        case .timedOut(let statement, let duration): "statement \(statement) was cancelled after \(duration)"
        case .cancelled(let statement?): "statement \(statement) was cancelled with its task"
        case .cancelled(nil): "cancelled before a statement was sent to PostgreSQL"
        case .poolExhausted(let duration): "no connection to PostgreSQL became free within \(duration)"
        case .closed: "the connection to PostgreSQL is closed"
        case .decoding(let error): error.description
        }
    }

    /// The description.
    ///
    /// Debug output ends up in logs too.
    public var debugDescription: String { description }
}
