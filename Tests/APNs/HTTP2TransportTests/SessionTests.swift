import Testing

@testable import HTTP2Transport

/// A client's session; the test is the peer.
struct SessionTests {
    private let session = HTTP2Session(role: .client, settings: .init(windowBytes: 65_535, maxBodyBytes: 0))

    init() throws {
        // The preface and SETTINGS.
        _ = try sent()
    }

    private func sent() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try session.nextFrames(into: &bytes, threshold: 100_000)
        return bytes
    }

    private func events() -> [HTTP2SessionEvent] {
        var events: [HTTP2SessionEvent] = []
        session.takeEvents(into: &events)
        return events
    }

    /// Opens a stream for a request with the given fields.
    private func request(_ fields: [HTTP2Header] = []) throws -> HTTP2Exchange {
        let pseudoHeaders: HTTP2Headers = [HTTP2Header(":method", "GET"), HTTP2Header(":path", "/")]
        let exchange = HTTP2Exchange(sending: HTTP2SentMessage(first: pseudoHeaders, second: HTTP2Headers(fields)))
        try #require(session.submitRequest(exchange))
        return exchange
    }

    /// Returns a HEADERS frame (RFC 9113, section 6.2) on the first stream, with a whole block of up to 65,535 bytes.
    private func headers(_ block: [UInt8], isLast: Bool) -> [UInt8] {
        let flags: UInt8 = isLast ? 0x5 : 0x4
        return [0, UInt8(block.count >> 8), UInt8(block.count & 0xff), 1, flags, 0, 0, 0, 1] + block
    }

    private func receive(_ bytes: [UInt8]) throws {
        // An empty SETTINGS frame comes first.
        let all = [0, 0, 0, 4, 0, 0, 0, 0, 0] + bytes
        try all.withUnsafeBytes { try session.receive($0) }
    }

    @Test(arguments: [(true, true), (false, false)])
    func `an indexed field is sent once, and another one each time`(isIndexed: Bool, isShorter: Bool)
        throws
    {
        let field = HTTP2Header("apns-id", String(repeating: "x", count: 100), isIndexed: isIndexed)
        let counts = try (0..<2).map { _ in
            _ = try request([field])
            return try sent().count
        }
        #expect((counts[1] < counts[0]) == isShorter, "\(counts)")
    }

    @Test func `an interim response is not the response`() throws {
        let exchange = try request()
        _ = try sent()
        // `:status` as text for 103 (RFC 7541, section 6.2.2), and from the static table for 200.
        try receive(headers([0x08, 3] + Array("103".utf8), isLast: false) + headers([0x88], isLast: true))
        #expect(exchange.takeMessage()?.headers.status == 200)
    }

    /// Each field has 4,000 bytes; from the second on, an index of HPACK's table encodes it in one byte (RFC 7541).
    @Test(arguments: [(16, true), (17, false)])
    func `a response with more than 64 KiB of fields is rejected, even if it is compressed`(count: Int, isTaken: Bool)
        throws
    {
        let exchange = try request()
        _ = try sent()
        // The first field is added to the table; its name has one byte, and the length of its value is 127 + 3,873.
        let first = [0x40, 1, UInt8(ascii: "a"), 0x7f, 0xa1, 0x1e] + [UInt8](repeating: UInt8(ascii: "x"), count: 4000)
        let others = [UInt8](repeating: 0xbe, count: count - 1)
        try receive(headers([0x88] + first + others, isLast: true))
        _ = try sent()
        let ends = events().compactMap { event -> UInt32? in
            guard case .streamClosed(_, let errorCode) = event else { return nil }
            return errorCode
        }
        #expect(ends == [isTaken ? HTTP2ErrorCode.noError : HTTP2ErrorCode.internalError])
        #expect(exchange.takeMessage()?.headers.count == (isTaken ? count + 1 : nil))
    }
}
