import Foundation

/// What a server of PostgreSQL has logged of the statements that one application ran.
///
/// So the statements of a request are known without a second copy of any: PostgreSQL logs each with its parameters
/// (`log_statement`), as JSON, one object on a line (`log_destination`).
struct StatementLog {
    /// One statement, as it was run.
    struct Entry: Hashable, Sendable {
        /// Statements outside a transaction block have the same one where they were sent in one pipeline.
        let transaction: String
        let sql: String
        /// As text; nil is NULL.
        let parameters: [String?]
    }

    /// A line of the log, as far as it counts here.
    private struct Line: Decodable {
        let application: String?
        let transaction: String?
        let message: String?
        let detail: String?

        private enum CodingKeys: String, CodingKey {
            case application = "application_name"
            case transaction = "vxid"
            case message
            case detail
        }
    }

    /// In the order of the log.
    private(set) var entries: [Entry] = []

    /// Takes out the prepared statements of an application.
    /// - Throws: when a line is no JSON.
    init(_ text: Data, of application: String) throws {
        let decoder = JSONDecoder()
        for line in text.split(separator: UInt8(ascii: "\n")) {
            let line = try decoder.decode(Line.self, from: line)
            guard line.application == application, let sql = line.message?.firstMatch(of: #/^execute [^:]+: /#) else {
                continue
            }
            entries.append(
                Entry(
                    transaction: line.transaction ?? "",
                    sql: String(sql.base[sql.range.upperBound...]),
                    parameters: try Self.parameters(of: line.detail ?? "")
                )
            )
        }
    }

    /// The values in `parameters: $1 = 'it''s', $2 = NULL`.
    static func parameters(of detail: String) throws(MeasurementFailure) -> [String?] {
        guard let colon = detail.firstIndex(of: ":") else { return [] }
        var rest = detail[detail.index(after: colon)...]
        var values: [String?] = []
        while let equals = rest.firstRange(of: " = ") {
            rest = rest[equals.upperBound...]
            if rest.hasPrefix("NULL") {
                values.append(nil)
                continue
            }
            guard rest.first == "'" else {
                throw MeasurementFailure("PostgreSQL's log has other parameters: \(detail)")
            }
            values.append(quoted(&rest))
        }
        return values
    }

    /// Takes a quoted value off the front; a quote in it is doubled.
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

    /// The statements request by request, where requests came one after another and were alike.
    /// - Throws: ``MeasurementFailure`` when they were not.
    func requests(_ count: Int) throws(MeasurementFailure) -> [[Entry]] {
        var requests: [[Entry]] = []
        for entry in entries {
            if entry.sql == entries[0].sql { requests.append([]) }
            requests[requests.count - 1].append(entry)
        }
        let shapes = Set(requests.map { $0.map(Shape.init) })
        guard requests.count == count, shapes.count == 1 else {
            throw MeasurementFailure("\(count) requests of a kind ran \(shapes.count) kinds of statements")
        }
        return requests
    }

    /// What makes statements of two requests the same.
    private struct Shape: Hashable {
        let sql: String
        let nulls: [Bool]

        init(_ entry: Entry) {
            sql = entry.sql
            nulls = entry.parameters.map { $0 == nil }
        }
    }
}
