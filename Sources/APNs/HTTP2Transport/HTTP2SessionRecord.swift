import CNGHTTP2

/// What nghttp2's callbacks write down: messages as they arrive, bodies as they leave, events for later.
///
/// nghttp2 is not re-entrant, so nothing is decided inside its callbacks: they only note facts here.
/// The session keeps this in memory of its own, to which nghttp2 has a pointer: as an object it took some twenty checks of
/// exclusive access a push.
struct HTTP2SessionRecord: ~Copyable {
    /// A message with more bytes of fields resets its stream; APNs sends a few hundred.
    private static let maxHeaderBytes = 64 * 1024
    /// Length, type, flags and stream id (RFC 9113, section 4.1).
    private static let frameHeaderBytes = 9

    /// Frames to be written, while the session makes some.
    var output: [UInt8] = []
    /// No more bodies are put into the output when it holds this.
    var outputThreshold = 0
    /// What is not sent yet of all bodies.
    private(set) var unsentBytes = 0

    private let role: HTTP2Session.Role
    private let maxBodyBytes: Int
    /// The fields of the one message whose fields are arriving: no other frame can come between them.
    private var fields = HTTP2HeaderCollector()
    private var events: [HTTP2SessionEvent] = []
    /// Those whose streams are not closed, each in its place.
    private var exchanges: [HTTP2Exchange?] = []
    private var freePlaces: [Int] = []

    /// An empty record; a body of more bytes than these is not taken, its stream is reset.
    init(role: HTTP2Session.Role, maxBodyBytes: Int) {
        self.role = role
        self.maxBodyBytes = maxBodyBytes
    }

    /// What happened since the last call, in order.
    ///
    /// - Parameter events: takes it, instead of what it holds; its capacity is used for what happens next.
    mutating func takeEvents(into events: inout [HTTP2SessionEvent]) {
        events.removeAll(keepingCapacity: true)
        swap(&events, &self.events)
    }

    /// Holds the exchange until the stream is closed: nghttp2 has a pointer to it, and into its fields.
    mutating func streamOpened(_ streamID: Int32, by exchange: HTTP2Exchange) {
        exchange.streamID = streamID
        if let place = freePlaces.popLast() {
            exchange.place = place
            exchanges[place] = exchange
        } else {
            exchange.place = exchanges.count
            exchanges.append(exchange)
        }
    }

    /// The exchange has a message to send.
    mutating func sendingBegan(_ exchange: HTTP2Exchange) {
        unsentBytes += exchange.unsentBytes
    }

    // MARK: What the callbacks call

    mutating func headersBegan() {
        fields.removeAll()
    }

    /// Returns false when there are too many.
    mutating func headerReceived(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe fields.append(name, value)
        return fields.count <= Self.maxHeaderBytes
    }

    mutating func headersEnded(_ exchange: HTTP2Exchange, isLast: Bool) {
        exchange.receive(HTTP2Headers(fields.take()))
        if isLast { messageEnded(exchange) }
    }

    /// Returns false when the body is too long.
    func dataReceived(_ exchange: HTTP2Exchange, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe exchange.receive(bytes)
        return exchange.receivedBodyBytes <= maxBodyBytes
    }

    /// Reported by itself only if the stream goes on; otherwise its end, which comes next, says as much.
    mutating func messageEnded(_ exchange: HTTP2Exchange) {
        exchange.receivedAll()
        switch role {
        case .client: if exchange.unsentBytes == 0 { return }
        case .server: break
        }
        events.append(.messageReceived(exchange))
    }

    mutating func note(_ event: HTTP2SessionEvent) {
        events.append(event)
    }

    mutating func streamClosed(_ exchange: HTTP2Exchange, errorCode: UInt32) {
        unsentBytes -= exchange.unsentBytes
        freePlaces.append(exchange.place)
        guard let exchange = exchanges[exchange.place].take() else { preconditionFailure("a stream closed twice") }
        events.append(.streamClosed(exchange, errorCode: errorCode))
    }

    /// Puts a frame of a body into the output.
    /// - Returns: false when the output has enough; then nghttp2 offers it again.
    mutating func sendBodyPart(_ exchange: HTTP2Exchange, frameHeader: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard output.count < outputThreshold else { return false }
        unsafe output.append(contentsOf: UnsafeBufferPointer(start: frameHeader, count: Self.frameHeaderBytes))
        exchange.sendBody(count, into: &output)
        unsentBytes -= count
        return true
    }
}
