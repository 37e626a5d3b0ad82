import CommandLineSupport
import Foundation

/// The result of a benchmark: JSON fields for scripts, tables and sentences for people.
struct Report: Sendable {
    /// One value: a JSON field, a table cell, or both.
    struct Field: Sendable {
        /// The JSON field's name; nil for a value that only the table shows.
        let name: String?
        let value: (any Encodable & Sendable)?
        /// The table column; nil for a value that only JSON has.
        let column: Table.Column?
        let cell: String
    }

    /// One object of a JSON array, and one row of a table.
    struct Row: Sendable, ExpressibleByArrayLiteral {
        let fields: [Field]

        init(_ fields: [Field]) { self.fields = fields }
        init(arrayLiteral fields: Field...) { self.fields = fields }

        /// The value of a JSON field; nil for null and for an unknown field.
        subscript(name: String) -> (any Encodable & Sendable)? { fields.first { $0.name == name }?.value }

        /// The cells of the table's row.
        var cells: [String] { fields.filter { $0.column != nil }.map(\.cell) }
    }

    private enum Section {
        case table(Table)
        case lines([String])
    }

    private var fields: [Field] = []
    private var sections: [Section] = []
    /// The conditions that do not hold; if there are any, the command exits with status 1.
    private(set) var failures: [String] = []

    /// Adds JSON fields.
    mutating func set(_ values: KeyValuePairs<String, (any Encodable & Sendable)?>) {
        for (name, value) in values { set(name, value) }
    }

    /// Adds a JSON field.
    mutating func set(_ name: String, _ value: (any Encodable & Sendable)?) { fields.append(.value(name, value)) }

    /// Adds JSON fields with the values that a row has for them; null without a row.
    mutating func set(_ names: [String], from row: Row?) { for name in names { set(name, row?[name]) } }

    /// Adds a table, and under `name` the rows as a JSON array.
    mutating func add(_ rows: [Row], as name: String? = nil) {
        if let name { set(name, rows) }
        guard let first = rows.first else { return }
        sections.append(.table(Table(first.fields.compactMap(\.column), rows: rows.map(\.cells))))
    }

    /// Adds a paragraph; an empty one is left out.
    mutating func add(_ lines: [String]) { if !lines.isEmpty { sections.append(.lines(lines)) } }

    /// Adds a condition that does not hold.
    mutating func fail(_ reason: String) { failures.append(reason) }

    /// Returns the tables and paragraphs, with an empty line between two of them.
    ///
    /// `width` is the number of the terminal's columns, or nil without a terminal.
    func lines(fitting width: Int?) -> [String] {
        let sections = sections.map { section in
            switch section {
            case .table(let table): table.lines(fitting: width)
            case .lines(let lines): lines
            }
        }
        return Array(sections.joined(separator: [""]))
    }

    /// The report as one JSON object on one line, with sorted keys.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(Row(fields)), as: UTF8.self)
        }
    }

    /// Throws the failures, if there are any.
    func check() throws(BenchmarkFailure) {
        if !failures.isEmpty { throw BenchmarkFailure(failures.joined(separator: " ")) }
    }
}

extension Report.Field {
    /// Creates a field that only JSON has.
    static func value(_ name: String, _ value: (any Encodable & Sendable)?) -> Self {
        Self(name: name, value: value, column: nil, cell: "")
    }

    static func text(_ name: String?, _ title: String, _ value: String) -> Self {
        Self(name: name, value: value, column: .init(title), cell: value)
    }

    /// Creates a field with a whole number, which the table shows in units of `unit`.
    static func count(_ name: String?, _ title: String, _ value: Int?, per unit: Int = 1, digits: Int = 0) -> Self {
        let cell = value.map { (Double($0) / Double(unit)).grouped(digits: digits) } ?? "-"
        return Self(name: name, value: value, column: .init(title, isNumber: true), cell: cell)
    }

    /// Creates a field with a number, which the table shows with `digits` digits after the decimal point, multiplied by
    /// `scale`.
    static func number(_ name: String?, _ title: String, _ value: Double?, digits: Int = 0, scale: Double = 1) -> Self {
        let cell = value.map { ($0 * scale).grouped(digits: digits) } ?? "-"
        return Self(name: name, value: value, column: .init(title, isNumber: true), cell: cell)
    }
}

extension Report.Row: Encodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for field in fields {
            guard let name = field.name else { continue }
            if let value = field.value {
                try container.encode(value, forKey: Key(name))
            } else {
                try container.encodeNil(forKey: Key(name))
            }
        }
    }
}

extension Double {
    /// Returns the number with a fixed count of digits after the decimal point and a comma between thousands,
    /// regardless of the locale.
    func grouped(digits: Int = 0) -> String {
        let scale = (0..<digits).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((self * Double(scale)).rounded())
        let whole = String(abs(scaled) / scale)
        let thousands = stride(from: whole.count, to: 0, by: -3).map { end in String(whole.prefix(end).suffix(3)) }
        let text = (scaled < 0 ? "-" : "") + thousands.reversed().joined(separator: ",")
        guard digits > 0 else { return text }
        let fraction = String(abs(scaled) % scale)
        return text + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }
}

extension Int {
    /// The number with a comma between thousands.
    var grouped: String { Double(self).grouped() }
}

extension Duration {
    /// The duration in seconds with one digit after the decimal point.
    var text: String { (self / .seconds(1)).grouped(digits: 1) + " s" }
}
