import Testing

@testable import Benchmarks

@Suite struct FrontendStreamTests {
    /// The messages of libpq.
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

    @Test func `statements, parameters and round trips are parsed`() throws {
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
        let parameters = stream.roundTrips.map { $0.map(\.parameters) }
        #expect(
            parameters == [
                [[0, 0, 0, 3, 1, 2, 3]],
                [[255, 255, 255, 255], [0, 0, 0, 0, 0, 0, 0, 1, 9]],
            ]
        )
    }

    @Test func `the round trips from begin to commit are one transaction`() throws {
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

    @Test func `messages of other protocols and incomplete messages are errors`() throws {
        var script = Messages()
        script.message("Q", [0])
        #expect(throws: BenchmarkFailure.self) { try FrontendStream(script.bytes, beginsConnection: false) }

        var messages = Messages()
        messages.parse("due", "SELECT $1", types: [20])
        messages.run("due", [[1, 2, 3]])
        messages.sync()
        for length in 1..<messages.bytes.count where length != messages.bytes.count {
            let part = Array(messages.bytes[..<length])
            // A prefix that ends with a complete Parse has no round trip.
            guard (try? FrontendStream(part, beginsConnection: false)) != nil else { continue }
            #expect(try FrontendStream(part, beginsConnection: false).roundTrips.isEmpty)
        }
    }
}
