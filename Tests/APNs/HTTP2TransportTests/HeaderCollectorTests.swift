import Testing

@testable import HTTP2Transport

struct HeaderCollectorTests {
    @Test func `messages that share a buffer, or exceed one, keep their fields`() {
        // The messages fill several buffers; the longest needs more than one.
        let lengths = [0, 10, 1_000, 3_000, 2_000, 50, 20_000, 4_000, 7]
        let messages = lengths.enumerated().map { index, length in
            [HTTP2Header(":status", "200"), HTTP2Header("n\(index)", String(repeating: "\(index)", count: length))]
        }
        var collector = HTTP2HeaderCollector()
        let taken = messages.map { message in
            for field in message { collect(field, in: &collector) }
            return HTTP2Headers(collector.take())
        }
        #expect(taken.map(Array.init) == messages)
    }

    @Test func `discarded fields are not part of the next message`() {
        var collector = HTTP2HeaderCollector()
        collect(HTTP2Header("old", "1"), in: &collector)
        collector.removeAll()
        collect(HTTP2Header("new", "2"), in: &collector)
        #expect(Array(HTTP2Headers(collector.take())) == [HTTP2Header("new", "2")])
    }

    private func collect(_ field: HTTP2Header, in collector: inout HTTP2HeaderCollector) {
        var (name, value) = (field.name, field.value)
        name.withUTF8 { name in
            value.withUTF8 { value in collector.append(name, value) }
        }
    }
}
