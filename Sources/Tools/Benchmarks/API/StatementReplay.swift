import Foundation
import PostgresClient

/// The statements of recorded requests, which `pgbench` runs again with their parameters.
///
/// The statements of one transaction are sent in one pipeline. The parameters come from a table, which costs an
/// additional statement in each transaction of `pgbench`; its cost is measured separately and subtracted.
struct StatementReplay: Sendable {
    private static let table = "replayed_requests"
    private static let insert = Statement(
        "replay.insert",
        "INSERT INTO \(table) (kind, client, number, parameters) VALUES ($1, $2, $3, $4)"
    )

    let kind: APIRequestKind
    /// The parameters of each client's requests, in their order.
    let parameters: [[[String]]]
    private let requests: [[StatementLog.Entry]]

    /// Creates a replay of recorded requests.
    /// - Parameters:
    ///   - kind: the kind of the requests.
    ///   - requests: their statements, all alike.
    ///   - shards: the shard that each request locks; nil for none.
    ///   - clients: the maximum number of clients.
    init(_ kind: APIRequestKind, _ requests: [[StatementLog.Entry]], shards: [UInt8?], clients: Int) {
        self.kind = kind
        self.requests = requests
        parameters = Self.dealt(shards, to: min(clients, requests.count)).map { list in
            list.map { requests[$0].flatMap { $0.parameters.compactMap(\.self) } }
        }
    }

    /// Stores the parameters in the table that `pgbench` reads.
    static func store(_ replays: [StatementReplay], in uri: String) async throws {
        try await BenchmarkPostgres.pool(uri).withTransaction { connection in
            try await connection.script(
                """
                CREATE TABLE \(table) (
                    kind text, client integer, number integer, parameters text[],
                    PRIMARY KEY (kind, client, number)
                )
                """
            )
            for replay in replays {
                let kind = replay.kind.rawValue
                for (client, requests) in replay.parameters.enumerated() {
                    try await connection.pipeline(
                        requests.enumerated().map { PostgresQuery(insert, kind, Int32(client), Int32($0 + 1), $1) }
                    )
                }
            }
        }
    }

    /// The minimum number of requests per client.
    var requestsEach: Int { parameters.map(\.count).min() ?? 0 }

    /// Distributes requests evenly over clients; requests of one shard stay together, in their order.
    static func dealt(_ shards: [UInt8?], to clients: Int) -> [[Int]] {
        var lists = [[Int]](repeating: [], count: clients)
        let free = shards.indices.filter { shards[$0] == nil }
        let bound = Dictionary(grouping: shards.indices.filter { shards[$0] != nil }) { shards[$0] }.values
        for indices in bound.sorted(by: { ($1.count, $0[0]) < ($0.count, $1[0]) }) + free.map({ [$0] }) {
            let shortest = lists.indices.min { (lists[$0].count, $0) < (lists[$1].count, $1) } ?? 0
            lists[shortest] += indices
        }
        return lists.filter { !$0.isEmpty }.map { $0.sorted() }
    }

    /// The beginning of each transaction of `pgbench`: the parameters of the client's next request.
    var selection: String {
        let count = parameters.first?.first?.count ?? 0
        let columns =
            count == 0 ? "1 AS none" : (1...count).map { "parameters[\($0)] AS p\($0)" }.joined(separator: ", ")
        return """
            \\set number :number % \(requestsEach) + 1
            SELECT \(columns) FROM \(Self.table)
            WHERE kind = '\(kind.rawValue)' AND client = :client_id AND number = :number \\gset

            """
    }

    /// The selection and the statements, with a pipeline for each transaction.
    var script: String {
        var script = selection
        var used = 0
        var rest = requests[0][...]
        while let first = rest.first {
            let transaction = rest.prefix { $0.transaction == first.transaction }
            rest = rest.dropFirst(transaction.count)
            script += "\\startpipeline\n"
            for entry in transaction { script += Self.statement(entry, used: &used) + ";\n" }
            script += "\\endpipeline\n"
        }
        return script
    }

    /// Returns a statement with variables of `pgbench` in place of its parameters.
    private static func statement(_ entry: StatementLog.Entry, used: inout Int) -> String {
        var names: [String] = []
        for value in entry.parameters {
            if value != nil { used += 1 }
            names.append(value == nil ? "NULL" : ":p\(used)")
        }
        return entry.sql.replacing(/\$([0-9]+)/) { match in
            Int(match.1).flatMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil } ?? String(match.0)
        }
    }

    /// Measures the requests per second that PostgreSQL alone allows.
    /// - Parameters:
    ///   - program: `pgbench`.
    ///   - uri: a database in the state before the requests, with the table of parameters.
    ///   - repeats: the number of executions of each request: 1, except for reads.
    ///   - folder: the folder for the scripts.
    /// - Returns: the rate, without the cost of selecting parameters.
    /// - Throws: ``BenchmarkFailure`` when `pgbench` fails.
    func perSecond(program: String, uri: String, repeats: Int, in folder: TemporaryFolder) async throws -> Double {
        func run(_ script: String) async throws -> Double {
            let file = folder.path("script.sql")
            try script.write(toFile: file, atomically: true, encoding: .utf8)
            let (clients, each) = (parameters.count, requestsEach * repeats)
            let arguments = [
                "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(min(clients, 2))",
                "--transactions=\(each)", "--define=number=0", "--file=\(file)", uri,
            ]
            let report = try await ChildProgram(program, arguments, in: folder).finish(within: .seconds(600))
            guard let rate = Self.rate(from: report, transactions: clients * each) else {
                throw BenchmarkFailure("pgbench did not run every transaction:\n\(report)")
            }
            return rate
        }
        let selecting = try await run(selection)
        return Self.rate(of: try await run(script), without: selecting)
    }

    /// Returns the rate at which requests would run without a part of their work.
    ///
    /// If the runs are too short to distinguish the two rates, the result is that of the whole work.
    /// - Parameters:
    ///   - whole: the measured rate of the whole work.
    ///   - part: the measured rate of the part alone.
    /// - Returns: the rate of the rest.
    static func rate(of whole: Double, without part: Double) -> Double {
        part > whole ? 1 / (1 / whole - 1 / part) : whole
    }

    /// Returns the rate in a report of `pgbench`; nil when it did not run every transaction.
    ///
    /// The report has the lines `number of transactions actually processed: 100/100` and
    /// `tps = 1234.567890 (without initial connection time)`.
    static func rate(from report: String, transactions: Int) -> Double? {
        guard report.contains("actually processed: \(transactions)/\(transactions)"),
            let match = report.firstMatch(of: /tps = ([0-9.]+) \(without/)
        else { return nil }
        return Double(match.1)
    }
}
