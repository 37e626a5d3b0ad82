/// What one stream carries: the message that goes out, how far it is sent, and the message that comes in.
///
/// nghttp2 has a pointer to it with the stream (as user data), so that a callback has it at hand; the session's record
/// holds it from the stream's beginning to its end. It stays on the loop's thread.
class HTTP2Exchange {
    /// Set when the stream is opened.
    final var streamID: Int32 = 0
    /// Where the session's record holds it.
    final var place = 0

    /// The message that goes out, or went, into whose fields nghttp2 has pointers while the stream lives; nil before it is known.
    private(set) final var sent: HTTP2SentMessage?
    private final var sentBytes = 0

    /// Nil until the request, or the final response, has begun.
    private final var receivedHeaders: HTTP2Headers?
    private final var receivedBody: [UInt8] = []
    /// Whether the message that comes in is here to its end.
    private(set) final var isWhole = false

    init(sending message: HTTP2SentMessage? = nil) {
        self.sent = message
    }

    // MARK: Out

    /// Sets the message that goes out.
    final func send(_ message: HTTP2SentMessage) {
        sent = message
    }

    /// Forgets what an earlier stream has sent and received.
    final func forget() {
        sentBytes = 0
        receivedHeaders = nil
        receivedBody = []
        isWhole = false
    }

    final var hasBody: Bool { bodyBytes > 0 }
    final var unsentBytes: Int { bodyBytes - sentBytes }
    /// Whether nothing of the body is sent: then the peer cannot have the message.
    final var isUnsent: Bool { sentBytes == 0 && hasBody }
    private final var bodyBytes: Int { sent?.body.count ?? 0 }

    /// Appends that much of the rest of the body.
    final func sendBody(_ count: Int, into output: inout [UInt8]) {
        // A slice of an array would count one reference more.
        unsafe sent?.body.withUnsafeBufferPointer { body in
            unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: body[sentBytes..<sentBytes + count]))
        }
        sentBytes += count
    }

    // MARK: In

    /// Takes the fields of a message; those after a body (trailers) are not looked at.
    final func receive(_ headers: HTTP2Headers) {
        guard receivedHeaders == nil else { return }
        // An interim response (1xx) says that the final one is still to come.
        if let status = headers.status, status < 200 { return }
        receivedHeaders = headers
    }

    final func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe receivedBody.append(contentsOf: bytes)
    }

    final var receivedBodyBytes: Int { receivedBody.count }

    final func receivedAll() {
        isWhole = true
    }

    /// What was received; nil before its fields are there, and when it was taken already.
    final func takeMessage() -> HTTP2Message? {
        guard let headers = receivedHeaders.take() else { return nil }
        return HTTP2Message(headers: headers, body: takeBody())
    }

    /// The response that was received; nil before its fields are there, and when it was taken already.
    final func takeResponse() -> HTTP2Response? {
        // nghttp2 lets no peer leave out `:status`.
        guard let headers = receivedHeaders.take(), let status = headers.status else { return nil }
        return HTTP2Response(status: status, headers: headers.withoutPseudoHeaders(), body: takeBody())
    }

    private final func takeBody() -> [UInt8] {
        var body: [UInt8] = []
        swap(&body, &receivedBody)
        return body
    }
}
