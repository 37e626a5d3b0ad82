import Foundation
import Testing

@testable import RangersClient

@Suite struct EventStreamParserTests {
    private static let stream =
        "retry: 1500\n\n: hello\n\nid: 7\ndata: {\"a\":\ndata: 1}\n\nevent: end\ndata:x\n\nid: 8\n\ndata\n\n"
    private static let messages: [EventStreamParser.Message] = [
        .init(data: "{\"a\":\n1}", id: "7"), .init(event: "end", data: "x"), .init(),
    ]

    @Test(arguments: ["\n", "\r\n", "\r"])
    func `messages do not depend on the chunks and the line endings`(end: String) throws {
        let bytes = Data(Self.stream.replacing("\n", with: end).utf8)
        for size in 1...bytes.count {
            var parser = EventStreamParser()
            var messages: [EventStreamParser.Message] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                messages += try parser.parse(bytes[start..<min(start + size, bytes.count)])
            }
            #expect(messages == Self.messages)
            #expect(parser.retryAfter == .milliseconds(1_500))
        }
    }

    @Test func `an incomplete message is not returned`() throws {
        var parser = EventStreamParser()
        #expect(try parser.parse(Data("data: 1\n".utf8)) == [])
        #expect(try parser.parse(Data("\n".utf8)) == [.init(data: "1")])
    }

    @Test func `a message above the size limit is an error`() throws {
        var parser = EventStreamParser()
        #expect(throws: EventStreamParser.TooLong.self) {
            for _ in 0...1024 { _ = try parser.parse(Data("data: \(String(repeating: "x", count: 1_024))\n".utf8)) }
        }
    }
}
