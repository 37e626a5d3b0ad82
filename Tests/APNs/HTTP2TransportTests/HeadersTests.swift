import Testing

@testable import HTTP2Transport

struct HeadersTests {
    private let fields = [
        HTTP2Header(":status", "200"), HTTP2Header("apns-id", "🐉", isIndexed: false), HTTP2Header("a", ""),
        HTTP2Header("a", String(repeating: "x", count: 10_000)),
    ]

    @Test func `fields keep their order and content`() {
        let headers = HTTP2Headers(fields)
        #expect(Array(headers) == fields)
        #expect(headers.count == 4)
        #expect(headers["apns-id"] == "🐉")
        #expect(headers["a"]?.isEmpty == true)
        #expect(headers["b"] == nil)
    }

    @Test func `written fields are those of a list`() {
        let path = HTTP2HeaderWriter.Field(":path", "/3/device/", isIndexed: false)
        let expiration = HTTP2HeaderWriter.Field("apns-expiration")
        var writer = HTTP2HeaderWriter()
        for ends in [("00ff", "🐉"), ("", ""), (String(repeating: "x", count: 10_000), "0")] {
            writer.add(path) { $0.append(contentsOf: ends.0.utf8) }
            writer.add(expiration) { $0.append(contentsOf: ends.1.utf8) }
            let fields = [
                HTTP2Header(":path", "/3/device/\(ends.0)", isIndexed: false), HTTP2Header("apns-expiration", ends.1),
            ]
            #expect(Array(HTTP2Headers(writer.take())) == fields)
        }
    }

    @Test func `a value is read without a string`() {
        let headers = HTTP2Headers(fields)
        #expect(headers.withValue(of: "a") { $0.count } == 0)
        #expect(headers.withValue(of: "apns-id") { $0[0] } == 0xF0)
        #expect(headers.withValue(of: "b") { $0.count } == nil)
    }

    @Test func `an empty list has no fields`() {
        let headers: HTTP2Headers = []
        #expect(headers.isEmpty)
        #expect(headers["a"] == nil)
        #expect(headers.withoutPseudoHeaders().isEmpty)
        #expect(headers.status == nil)
    }

    @Test func `equal fields are equal in any storage`() {
        let headers = HTTP2Headers(fields)
        let others = HTTP2Headers(Array(fields.dropFirst()))
        #expect(headers == HTTP2Headers(fields))
        #expect(headers != others)
        #expect(headers.withoutPseudoHeaders() == others)
        #expect(headers.withoutPseudoHeaders().hashValue == others.hashValue)
        #expect(HTTP2Headers([fields[1]]) != HTTP2Headers([HTTP2Header("apns-id", "🐉")]))
    }

    @Test(arguments: [("200", 200), ("007", 7), ("20", nil), ("2000", nil), ("2x0", nil), ("", nil)])
    func `a status is three digits`(text: String, status: Int?) {
        #expect(HTTP2Headers([HTTP2Header(":status", text)]).status == status)
    }

    @Test func `only the first field can be the status`() {
        #expect(HTTP2Headers([HTTP2Header("a", "200")]).status == nil)
        #expect(HTTP2Headers([HTTP2Header("a", "1"), HTTP2Header(":status", "200")]).status == nil)
    }
}
