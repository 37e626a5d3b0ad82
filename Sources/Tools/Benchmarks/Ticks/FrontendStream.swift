/// The statements that a client has sent to PostgreSQL, parsed from its messages.
///
/// Parse, Bind and Sync messages have all of the data (PostgreSQL's manual, "Message Formats"); a Describe and an
/// Execute belong to each Bind.
struct FrontendStream {
    /// A prepared statement.
    struct Prepared: Hashable, Sendable {
        let name: String
        let sql: String
        /// The OIDs of the parameters.
        let types: [UInt32]
    }

    /// One execution of a prepared statement.
    struct Execution: Hashable, Sendable {
        let name: String
        /// The parameters as in the Bind message: each with its length in front.
        let parameters: [UInt8]
    }

    /// The prepared statements, in order.
    private(set) var prepared: [Prepared] = []
    /// The executions of each round trip, in order.
    private(set) var roundTrips: [[Execution]] = []

    private let bytes: [UInt8]
    private var next = 0
    private var executions: [Execution] = []

    /// Parses messages.
    /// - Parameters:
    ///   - bytes: complete messages.
    ///   - beginsConnection: whether the first one is the startup message, which has no type.
    /// - Throws: ``BenchmarkFailure`` for incomplete messages and for those of other protocols.
    init(_ bytes: [UInt8], beginsConnection: Bool) throws(BenchmarkFailure) {
        self.bytes = bytes
        if beginsConnection { next = try Int(integer(UInt32.self)) }
        while next < bytes.count { try parseMessage() }
        guard executions.isEmpty else { throw Self.malformed("the last round trip has no Sync") }
    }

    /// The round trips of each transaction; a round trip outside a transaction is alone.
    var transactions: [[[Execution]]] {
        var transactions: [[[Execution]]] = []
        var isOpen = false
        for trip in roundTrips {
            if isOpen { transactions[transactions.count - 1].append(trip) } else { transactions.append([trip]) }
            for execution in trip {
                if execution.name == "begin" { isOpen = true }
                if execution.name == "commit" || execution.name == "rollback" { isOpen = false }
            }
        }
        return transactions
    }

    private mutating func parseMessage() throws(BenchmarkFailure) {
        let type = try integer(UInt8.self)
        let start = next
        let end = start + Int(try integer(UInt32.self))
        guard end <= bytes.count, end >= next else { throw Self.malformed("a message is incomplete") }
        switch type {
        case UInt8(ascii: "P"):
            let name = try text()
            let sql = try text()
            var types: [UInt32] = []
            for _ in 0..<(try integer(UInt16.self)) { types.append(try integer(UInt32.self)) }
            prepared.append(Prepared(name: name, sql: sql, types: types))
        case UInt8(ascii: "B"):
            _ = try text()
            let name = try text()
            for _ in 0..<(try integer(UInt16.self)) { _ = try integer(UInt16.self) }
            let count = try integer(UInt16.self)
            let parameters = next
            for _ in 0..<count { next += max(0, Int(Int32(bitPattern: try integer(UInt32.self)))) }
            guard next <= end else { throw Self.malformed("a parameter is incomplete") }
            executions.append(Execution(name: name, parameters: Array(bytes[parameters..<next])))
        case UInt8(ascii: "S"):
            roundTrips.append(executions)
            executions = []
        case UInt8(ascii: "D"), UInt8(ascii: "E"), UInt8(ascii: "X"): break
        default: throw Self.malformed("a message of type \(UnicodeScalar(type)) does not belong to a pipeline")
        }
        next = end
    }

    private mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(BenchmarkFailure) -> Integer
    {
        let end = next + Integer.bitWidth / 8
        guard end <= bytes.count else { throw Self.malformed("a number is incomplete") }
        defer { next = end }
        return bytes[next..<end].reduce(0) { $0 << 8 | Integer($1) }
    }

    private mutating func text() throws(BenchmarkFailure) -> String {
        guard let end = bytes[next...].firstIndex(of: 0) else { throw Self.malformed("a text is incomplete") }
        defer { next = end + 1 }
        return String(decoding: bytes[next..<end], as: UTF8.self)
    }

    private static func malformed(_ reason: String) -> BenchmarkFailure {
        BenchmarkFailure("The recorded messages to PostgreSQL cannot be parsed: \(reason)")
    }
}
