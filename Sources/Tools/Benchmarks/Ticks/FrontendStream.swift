/// What a client has sent to PostgreSQL, taken apart into statements.
///
/// As far as the extended protocol needs it (PostgreSQL's manual, "Message Formats"): Parse, Bind and Sync tell it all; a
/// Describe and an Execute belong to each Bind.
struct FrontendStream {
    /// A statement with a name, as a connection prepares it once.
    struct Prepared: Hashable, Sendable {
        let name: String
        let sql: String
        let types: [UInt32]
    }

    /// One run of a prepared statement.
    struct Run: Hashable, Sendable {
        let name: String
        /// In the binary format, where in the stream each is; nil is NULL.
        let parameters: [Range<Int>?]
    }

    /// Every statement that was prepared, in order.
    private(set) var prepared: [Prepared] = []
    /// The runs of each round trip, in order.
    private(set) var roundTrips: [[Run]] = []

    private let bytes: [UInt8]
    private var next = 0
    private var runs: [Run] = []

    /// Takes messages apart.
    /// - Parameters:
    ///   - bytes: whole messages.
    ///   - beginsConnection: whether the first is the startup message, which has no type.
    /// - Throws: ``MeasurementFailure`` when they are of another kind, or not whole.
    init(_ bytes: [UInt8], beginsConnection: Bool) throws(MeasurementFailure) {
        self.bytes = bytes
        if beginsConnection { next = try Int(integer(UInt32.self)) }
        while next < bytes.count { try takeMessage() }
        guard runs.isEmpty else { throw Self.strange("the last round trip has no end") }
    }

    /// The runs of each transaction together; what belongs to none is by itself.
    var transactions: [[[Run]]] {
        var transactions: [[[Run]]] = []
        var isOpen = false
        for trip in roundTrips {
            if isOpen { transactions[transactions.count - 1].append(trip) } else { transactions.append([trip]) }
            for run in trip {
                if run.name == "begin" { isOpen = true }
                if run.name == "commit" || run.name == "rollback" { isOpen = false }
            }
        }
        return transactions
    }

    private mutating func takeMessage() throws(MeasurementFailure) {
        let type = try integer(UInt8.self)
        let start = next
        let end = start + Int(try integer(UInt32.self))
        guard end <= bytes.count, end >= next else { throw Self.strange("a message is cut short") }
        switch type {
        case UInt8(ascii: "P"):
            let name = try text()
            let sql = try text()
            let types = try list { stream throws(MeasurementFailure) in try stream.integer(UInt32.self) }
            prepared.append(Prepared(name: name, sql: sql, types: types))
        case UInt8(ascii: "B"):
            _ = try text()
            let name = try text()
            _ = try list { stream throws(MeasurementFailure) in try stream.integer(UInt16.self) }
            let parameters = try list { stream throws(MeasurementFailure) -> Range<Int>? in
                let length = Int32(bitPattern: try stream.integer(UInt32.self))
                guard length >= 0 else { return nil }
                defer { stream.next += Int(length) }
                return stream.next..<stream.next + Int(length)
            }
            runs.append(Run(name: name, parameters: parameters))
        case UInt8(ascii: "S"):
            roundTrips.append(runs)
            runs = []
        case UInt8(ascii: "D"), UInt8(ascii: "E"), UInt8(ascii: "X"):
            break
        default:
            throw Self.strange("a message of type \(UnicodeScalar(type)) is none of a pipeline")
        }
        next = end
    }

    private mutating func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type
    ) throws(MeasurementFailure) -> Integer {
        let end = next + Integer.bitWidth / 8
        guard end <= bytes.count else { throw Self.strange("a number is cut short") }
        defer { next = end }
        return bytes[next..<end].reduce(0) { $0 << 8 | Integer($1) }
    }

    private mutating func text() throws(MeasurementFailure) -> String {
        guard let end = bytes[next...].firstIndex(of: 0) else { throw Self.strange("a text is cut short") }
        defer { next = end + 1 }
        return String(decoding: bytes[next..<end], as: UTF8.self)
    }

    private mutating func list<Element>(
        _ element: (inout Self) throws(MeasurementFailure) -> Element
    ) throws(MeasurementFailure) -> [Element] {
        var elements: [Element] = []
        for _ in 0..<(try integer(UInt16.self)) { elements.append(try element(&self)) }
        return elements
    }

    private static func strange(_ reason: String) -> MeasurementFailure {
        MeasurementFailure("What was sent to PostgreSQL is not understood: \(reason)")
    }
}
