import Foundation

/// The statements that one application ran, from PostgreSQL's log.
///
/// PostgreSQL logs each statement with its parameters (`log_statement`) as one JSON object per line
/// (`log_destination`), so no second copy of any statement is needed here.
struct StatementLog {
    /// One execution of a statement.
    struct Entry: Hashable, Sendable {
        /// The virtual transaction identifier; statements outside a transaction block share one when they were sent in
        /// one pipeline.
        let transaction: String
        let sql: String
        /// The parameters as text; nil is NULL.
        let parameters: [String?]
    }

    private struct Line: Decodable {
        let applicationName: String?
        let vxid: String?
        let message: String?
        let detail: String?
    }

    /// The executions, in the order of the log.
    private(set) var entries: [Entry] = []

    /// Extracts the prepared statements of an application.
    /// - Throws: `DecodingError` for a line that is not JSON; ``BenchmarkFailure`` for malformed parameters.
    init(_ text: Data, of application: String) throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = try decoder.decode(Line.self, from: line)
            guard line.applicationName == application, let sql = line.message?.firstMatch(of: #/^execute [^:]+: /#)
            else {
                continue
            }
            entries.append(
                Entry(
                    transaction: line.vxid ?? "",
                    sql: String(sql.base[sql.range.upperBound...]),
                    parameters: try Self.parameters(of: line.detail ?? "")
                )
            )
        }
    }

    /// Parses `parameters: $1 = 'it''s', $2 = NULL`.
    static func parameters(of detail: String) throws(BenchmarkFailure) -> [String?] {
        guard let colon = detail.firstIndex(of: ":") else { return [] }
        var rest = detail[detail.index(after: colon)...]
        var values: [String?] = []
        while let equals = rest.firstRange(of: " = ") {
            rest = rest[equals.upperBound...]
            if rest.hasPrefix("NULL") {
                values.append(nil)
            } else if rest.first == "'" {
                values.append(quoted(&rest))
            } else {
                throw BenchmarkFailure("Malformed parameters in PostgreSQL's log: \(detail)")
            }
        }
        return values
    }

    /// Removes and returns a quoted value at the front; quotes within it are doubled.
    private static func quoted(_ rest: inout Substring) -> String {
        var bytes: [UInt8] = []
        let quote = UInt8(ascii: "'")
        var utf8 = rest.utf8.dropFirst()
        while let byte = utf8.popFirst() {
            if byte == quote {
                guard utf8.first == quote else { break }
                utf8 = utf8.dropFirst()
            }
            bytes.append(byte)
        }
        rest = Substring(utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Divides the statements into those of each request, for requests that ran one after another.
    /// - Throws: ``BenchmarkFailure`` when the requests did not run the same statements.
    func requests(_ count: Int) throws(BenchmarkFailure) -> [[Entry]] {
        var requests: [[Entry]] = []
        for entry in entries {
            if entry.sql == entries[0].sql { requests.append([]) }
            requests[requests.count - 1].append(entry)
        }
        // Two statements are the same when they have the same text and the same NULLs.
        let shapes = Set(requests.map { $0.map { [$0.sql] + $0.parameters.map { $0 == nil ? "NULL" : "" } } })
        guard requests.count == count, shapes.count == 1 else {
            throw BenchmarkFailure("\(count) requests of one kind ran \(shapes.count) different lists of statements")
        }
        return requests
    }
}
