import Testing

@testable import Benchmarks

@Suite struct FrontendStreamTests {
    /// Messages as libpq sends them.
    private struct Messages {
        var bytes: [UInt8] = []

        mutating func startup() {
            let body = number(UInt32(0x0003_0000)) + text("user") + text("postgres") + [0]
            bytes += number(UInt32(body.count + 4)) + body
        }

        mutating func parse(_ name: String, _ sql: String, types: [UInt32]) {
            message("P", text(name) + text(sql) + number(UInt16(types.count)) + types.flatMap { number($0) })
        }

        mutating func run(_ name: String, _ parameters: [[UInt8]?]) {
            var body = text("") + text(name) + number(UInt16(parameters.count))
            body += parameters.flatMap { _ in number(UInt16(1)) } + number(UInt16(parameters.count))
            for parameter in parameters {
                body += number(UInt32(bitPattern: Int32(parameter?.count ?? -1))) + (parameter ?? [])
            }
            message("B", body + number(UInt16(1)) + number(UInt16(1)))
            message("D", [UInt8(ascii: "P")] + text(""))
            message("E", text("") + number(UInt32(0)))
        }

        mutating func sync() { message("S", []) }

        mutating func message(_ type: Unicode.Scalar, _ body: [UInt8]) {
            bytes += [UInt8(type.value)] + number(UInt32(body.count + 4)) + body
        }

        private func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

        private func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.bigEndian) { Array($0) }
        }
    }

    @Test func `statements, their parameters and round trips are found`() throws {
        var messages = Messages()
        messages.startup()
        messages.parse("due", "SELECT $1", types: [20])
        messages.run("due", [[1, 2, 3]])
        messages.sync()
        messages.run("due", [nil])
        messages.run("due", [[], [9]])
        messages.sync()
        messages.message("X", [])
        let stream = try FrontendStream(messages.bytes, beginsConnection: true)
        #expect(stream.prepared == [.init(name: "due", sql: "SELECT $1", types: [20])])
        let values = stream.roundTrips.map { trip in
            trip.map { run in run.parameters.map { range in range.map { Array(messages.bytes[$0]) } } }
        }
        #expect(values == [[[[1, 2, 3]]], [[nil], [[], [9]]]])
    }

    @Test func `what comes between begin and commit belongs together`() throws {
        var messages = Messages()
        for trip in [["due"], ["begin", "lock"], ["read"], ["commit"], ["begin", "lock", "commit"], ["due"]] {
            for name in trip { messages.run(name, []) }
            messages.sync()
        }
        let stream = try FrontendStream(messages.bytes, beginsConnection: false)
        let names = stream.transactions.map { $0.map { $0.map(\.name) } }
        #expect(
            names == [
                [["due"]], [["begin", "lock"], ["read"], ["commit"]], [["begin", "lock", "commit"]], [["due"]],
            ]
        )
    }

    @Test func `what is no pipeline is refused, wherever it ends`() throws {
        var script = Messages()
        script.message("Q", [0])
        #expect(throws: MeasurementFailure.self) { try FrontendStream(script.bytes, beginsConnection: false) }

        var messages = Messages()
        messages.parse("due", "SELECT $1", types: [20])
        messages.run("due", [[1, 2, 3]])
        messages.sync()
        for length in 1..<messages.bytes.count where length != messages.bytes.count {
            let part = Array(messages.bytes[..<length])
            // A part that ends with a whole statement lacks nothing but the end of its round trip.
            guard (try? FrontendStream(part, beginsConnection: false)) != nil else { continue }
            #expect(try FrontendStream(part, beginsConnection: false).roundTrips.isEmpty)
        }
    }
}
