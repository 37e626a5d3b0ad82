import Foundation

/// The statements of recorded requests, to be run again by `pgbench`, each with its own parameters.
///
/// What belongs to one transaction is sent together. The parameters come from a table, which takes a statement more in
/// each transaction of `pgbench`; what that one costs is measured by itself, and taken off.
struct StatementReplay: Sendable {
    static let table = "replayed_requests"

    /// Parameters of one request, and when which client of `pgbench` is to run it.
    struct Row: Sendable {
        let client: Int
        /// From 1.
        let number: Int
        let values: [String]
    }

    let kind: APIRequestKind
    let rows: [Row]
    let clients: Int
    private let requests: [[StatementLog.Entry]]

    /// - Parameters:
    ///   - kind: of the requests.
    ///   - requests: their statements, all alike.
    ///   - shards: what each of them locked; nil for nothing.
    ///   - clients: how many run them; fewer where there are fewer requests.
    init(_ kind: APIRequestKind, _ requests: [[StatementLog.Entry]], shards: [UInt8?], clients: Int) {
        self.kind = kind
        self.requests = requests
        let lists = Self.dealt(shards, to: min(clients, requests.count))
        self.clients = lists.count
        rows = lists.enumerated().flatMap { client, list in
            list.enumerated().map { number, index in
                let values = requests[index].flatMap { $0.parameters.compactMap { $0 } }
                return Row(client: client, number: number + 1, values: values)
            }
        }
    }

    /// How many requests each client has at least.
    var requestsEach: Int {
        Dictionary(grouping: rows, by: \.client).values.map(\.count).min() ?? 0
    }

    /// Deals requests to clients, about as many to each; those of one shard stay together, in their order.
    static func dealt(_ shards: [UInt8?], to clients: Int) -> [[Int]] {
        var lists = [[Int]](repeating: [], count: clients)
        let free = shards.indices.filter { shards[$0] == nil }
        let bound = Dictionary(grouping: shards.indices.filter { shards[$0] != nil }) { shards[$0] }.values
        for indices in bound.sorted(by: { ($1.count, $0[0]) < ($0.count, $1[0]) }) + free.map({ [$0] }) {
            let least = lists.indices.min { (lists[$0].count, $0) < (lists[$1].count, $1) } ?? 0
            lists[least] += indices
        }
        return lists.filter { !$0.isEmpty }.map { $0.sorted() }
    }

    /// What each transaction of `pgbench` begins with: the parameters of the client's next request.
    var selection: String {
        let count = rows.first?.values.count ?? 0
        let columns =
            count == 0 ? "1 AS none" : (1...count).map { "parameters[\($0)] AS p\($0)" }.joined(separator: ", ")
        return """
            \\set number :number % \(requestsEach) + 1
            SELECT \(columns) FROM \(Self.table)
            WHERE kind = '\(kind.rawValue)' AND client = :client_id AND number = :number \\gset

            """
    }

    /// The selection and the statements, those of each transaction in a pipeline.
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

    /// A statement with `pgbench`'s variables in place of its parameters.
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

    /// How many requests a second PostgreSQL can run by itself.
    /// - Parameters:
    ///   - program: `pgbench`.
    ///   - uri: a database as it was before the requests, with the table of parameters.
    ///   - repeats: how often each request is run: once, unless it is a read.
    /// - Returns: the rate, without what the selection of parameters costs.
    /// - Throws: when `pgbench` fails.
    func perSecond(program: String, uri: String, repeats: Int) throws -> Double {
        let each = requestsEach * repeats
        let selecting = try Self.run(selection, program: program, clients: clients, each: each, uri: uri)
        let whole = try Self.run(script, program: program, clients: clients, each: each, uri: uri)
        return Self.rate(of: whole, without: selecting)
    }

    /// The rate of what is done at a rate together with something else, which alone would have another.
    ///
    /// In runs too short to tell them apart it is the rate together, which is less.
    static func rate(of whole: Double, without part: Double) -> Double {
        part > whole ? 1 / (1 / whole - 1 / part) : whole
    }

    private static func run(_ script: String, program: String, clients: Int, each: Int, uri: String) throws -> Double {
        let process = try HelperProcess(
            program: program,
            arguments: [
                "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(min(clients, 2))",
                "--transactions=\(each)", "--define=number=0", "--file=-", uri,
            ]
        )
        try process.send(script)
        let report = String(decoding: try process.finish(), as: UTF8.self)
        guard let rate = Self.rate(from: report, transactions: clients * each) else {
            throw MeasurementFailure("pgbench did not run every transaction:\n\(report)")
        }
        return rate
    }

    /// The rate that `pgbench` reports, if it ran every transaction.
    ///
    /// Its report has the lines `number of transactions actually processed: 100/100` and
    /// `tps = 1234.567890 (without initial connection time)`.
    static func rate(from report: String, transactions: Int) -> Double? {
        guard report.contains("actually processed: \(transactions)/\(transactions)"),
            let match = report.firstMatch(of: /tps = ([0-9.]+) \(without/)
        else { return nil }
        return Double(match.1)
    }
}
