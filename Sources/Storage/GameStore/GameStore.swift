public import GameCore
public import Logging
public import PostgresClient

/// All SQL of the domain: nothing else speaks it.
///
/// One file per aggregate holds its statements and the methods that run them. What changes a party, an adventure or
/// an activity does so in a ``ShardTransaction``; what only reads, or keeps a look-up table or a lease, is a method
/// here. Methods throw `PostgresError`, or ``StoreError`` where a row cannot be understood.
public struct GameStore: Sendable {
    let pool: PostgresPool
    let metrics: StoreMetrics
    let logger: Logger

    /// A store over a pool of connections to a migrated database.
    /// - Parameters:
    ///   - pool: where the database is.
    ///   - metrics: what is counted; several stores of a process may share them.
    ///   - logger: gets what operators have changed, as a copy of the audit log that is not in the database.
    public init(
        pool: PostgresPool,
        metrics: StoreMetrics = StoreMetrics(),
        logger: Logger = Logger(label: "nobody", factory: { _ in SwiftLogNoOpLogHandler() })
    ) {
        self.pool = pool
        self.metrics = metrics
        self.logger = logger
    }

    /// Whether an error is the server's refusal of one statement, which says nothing about the next one; else there was no
    /// answer.
    public static func isRefusal(_ error: any Error) -> Bool {
        if case .server? = error as? PostgresError { true } else { false }
    }
}

/// What a store can find wrong besides what PostgreSQL reports.
public enum StoreError: Error, Sendable, CustomStringConvertible {
    /// A row holds what this version of the program cannot decode.
    case undecodable(table: String, id: String, reason: String)
    /// Not every row that was to change was there.
    case lostRows(statement: String, expected: Int, changed: Int)
    /// The shard's row is missing: the database was restored in part, or tampered with.
    case missingShard(Shard)

    /// One sentence for a log.
    public var description: String {
        switch self {
        case .undecodable(let table, let id, let reason):
            "row \(id) of \(table) cannot be decoded: \(reason); was it written by a newer version?"
        case .lostRows(let statement, let expected, let changed):
            "\(statement) was to change \(expected) rows and found \(changed)"
        case .missingShard(let shard):
            "table shards has no row \(shard.rawValue); the migrations make all 256"
        }
    }
}
