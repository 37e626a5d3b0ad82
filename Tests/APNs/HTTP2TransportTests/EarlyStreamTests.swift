import Testing

@testable import HTTP2Transport

/// A client that does not wait for the server's SETTINGS, like h2load; the test transfers the bytes.
struct EarlyStreamTests {
    private let client = HTTP2Session(role: .client, settings: .init(windowBytes: 65_535, maxBodyBytes: 0))
    private let server = HTTP2Session(
        role: .server,
        settings: .init(maxConcurrentStreams: 1, windowBytes: 65_535, maxBodyBytes: 0)
    )

    private func carry(from sender: HTTP2Session, to receiver: HTTP2Session) throws -> [HTTP2SessionEvent] {
        var bytes: [UInt8] = []
        try sender.nextFrames(into: &bytes, threshold: 1_000_000)
        try bytes.withUnsafeBytes { try receiver.receive($0) }
        var events: [HTTP2SessionEvent] = []
        receiver.takeEvents(into: &events)
        return events
    }

    /// nghttp2 opens 100 streams before it knows the limit (RFC 9113, section 6.5.2).
    @Test func `streams beyond a limit that the client does not know yet are refused, and the connection continues`()
        throws
    {
        let headers: HTTP2Headers = [
            HTTP2Header(":method", "GET"), HTTP2Header(":scheme", "https"), HTTP2Header(":path", "/"),
            HTTP2Header(":authority", "localhost"),
        ]
        for _ in 0..<500 {
            try #require(client.submitRequest(HTTP2Exchange(sending: HTTP2SentMessage(first: headers))))
        }
        var completed = 0
        var refused = 0
        while completed < 401 {
            let requests = try carry(from: client, to: server).compactMap { event -> HTTP2Exchange? in
                guard case .messageReceived(let exchange) = event else { return nil }
                return exchange
            }
            try #require(requests.count == 1)
            server.submitResponse(HTTP2Response(status: 200), on: requests[0].streamID)
            for case .streamClosed(_, let errorCode) in try carry(from: server, to: client) {
                switch errorCode {
                case HTTP2ErrorCode.noError: completed += 1
                case HTTP2ErrorCode.refusedStream: refused += 1
                default: Issue.record("a stream ends with \(errorCode)")
                }
            }
        }
        #expect(refused == 99)
    }
}
