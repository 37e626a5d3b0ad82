/// What one stream carries: the message that goes out, how far it is sent, and the message that comes in.
///
/// nghttp2 has a pointer to it with the stream (as user data), so that a callback has it at hand; the session's record
/// holds it from the stream's beginning to its end. It stays on the loop's thread.
class HTTP2Exchange {
    /// Set when the stream is opened.
    final var streamID: Int32 = 0
    /// Where the session's record holds it.
    final var place = 0

    /// The fields that nghttp2 has pointers into while the stream lives.
    private(set) final var sentHeaders: HTTP2HeaderParts
    private final var body: [UInt8]
    private final var sentBytes = 0

    /// Nil until the request, or the final response, has begun.
    private final var receivedHeaders: HTTP2Headers?
    private final var receivedBody: [UInt8] = []
    /// Whether the message that comes in is here to its end.
    private(set) final var isWhole = false

    init(sending headers: HTTP2HeaderParts = HTTP2HeaderParts(), body: [UInt8] = []) {
        self.sentHeaders = headers
        self.body = body
    }

    // MARK: Out

    /// Whether there is a message that goes out, or went.
    final var hasHeadersToSend: Bool { !sentHeaders.first.isEmpty }

    /// Sets the message that goes out.
    final func send(_ headers: HTTP2HeaderParts, body: [UInt8]) {
        sentHeaders = headers
        self.body = body
    }

    /// Forgets what an earlier stream has sent and received.
    final func forget() {
        sentBytes = 0
        receivedHeaders = nil
        receivedBody = []
        isWhole = false
    }

    final var hasBody: Bool { !body.isEmpty }
    final var unsentBytes: Int { body.count - sentBytes }
    /// Whether nothing of the body is sent: then the peer cannot have the message.
    final var isUnsent: Bool { sentBytes == 0 && !body.isEmpty }

    /// Appends that much of the rest of the body.
    final func sendBody(_ count: Int, into output: inout [UInt8]) {
        output.append(contentsOf: body[sentBytes..<sentBytes + count])
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
        var body: [UInt8] = []
        swap(&body, &receivedBody)
        return HTTP2Message(headers: headers, body: body)
    }
}
