/// The messages of one stream: the outgoing message and its progress, and the incoming message.
///
/// nghttp2 stores a pointer to the exchange as the stream's user data, for the callbacks. The session's record retains
/// it while the stream is open. Only the loop's thread uses it.
class HTTP2Exchange {
    /// The stream's identifier, set when the stream is opened.
    final var streamID: Int32 = 0
    /// The exchange's slot in the session's record.
    final var slot = 0

    /// The outgoing message; nil before it is known.
    ///
    /// nghttp2 holds pointers to its fields while the stream is open.
    private(set) final var sent: HTTP2SentMessage?
    private final var sentBytes = 0

    /// The fields of the incoming message; nil until those of the request, or of the final response, have arrived.
    private final var receivedHeaders: HTTP2Headers?
    private final var receivedBody: [UInt8] = []
    /// Whether the incoming message is complete.
    private(set) final var isComplete = false

    init(sending message: HTTP2SentMessage? = nil) {
        self.sent = message
    }

    // MARK: Outgoing

    /// Sets the outgoing message.
    final func send(_ message: HTTP2SentMessage) {
        sent = message
    }

    /// Discards the progress on an earlier stream.
    final func reset() {
        sentBytes = 0
        receivedHeaders = nil
        receivedBody = []
        isComplete = false
    }

    final var hasBody: Bool { bodyBytes > 0 }
    final var unsentBytes: Int { bodyBytes - sentBytes }
    /// Whether no byte of the body was sent, so that the peer cannot have processed the message.
    final var isUnsent: Bool { sentBytes == 0 && hasBody }
    private final var bodyBytes: Int { sent?.body.count ?? 0 }

    /// Appends the next bytes of the body to the output.
    final func sendBody(_ count: Int, into output: inout [UInt8]) {
        // A slice of the array would cost one more retain.
        unsafe sent?.body.withUnsafeBufferPointer { body in
            unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: body[sentBytes..<sentBytes + count]))
        }
        sentBytes += count
    }

    // MARK: Incoming

    /// Receives the fields of a message; trailers are ignored.
    final func receive(_ headers: HTTP2Headers) {
        guard receivedHeaders == nil else { return }
        // The final response follows an interim response (1xx).
        if let status = headers.status, status < 200 { return }
        receivedHeaders = headers
    }

    final func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe receivedBody.append(contentsOf: bytes)
    }

    final var receivedBodyBytes: Int { receivedBody.count }

    final func receivedAll() {
        isComplete = true
    }

    /// Takes the received message; nil before its fields have arrived and after the first call.
    final func takeMessage() -> HTTP2Message? {
        guard let headers = receivedHeaders.take() else { return nil }
        return HTTP2Message(headers: headers, body: takeBody())
    }

    /// Takes the received response; nil before its fields have arrived and after the first call.
    final func takeResponse() -> HTTP2Response? {
        // nghttp2 rejects responses without `:status`.
        guard let headers = receivedHeaders.take(), let status = headers.status else { return nil }
        return HTTP2Response(status: status, headers: headers.withoutPseudoHeaders(), body: takeBody())
    }

    private final func takeBody() -> [UInt8] {
        var body: [UInt8] = []
        swap(&body, &receivedBody)
        return body
    }
}
