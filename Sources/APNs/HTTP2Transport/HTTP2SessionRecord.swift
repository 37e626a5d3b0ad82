import CNGHTTP2
import Encodings

/// The state that nghttp2's callbacks update: messages that arrive, bodies that are sent, events.
///
/// nghttp2 is not re-entrant, so its callbacks only record events here, without acting on them. The record is in
/// manually allocated memory, to which nghttp2 has a pointer: an object would cost some twenty checks of exclusive
/// access for each push.
struct HTTP2SessionRecord: ~Copyable {
    /// The size limit of the fields of a response; a larger one resets its stream.
    ///
    /// APNs sends a few hundred bytes.
    private static let maxResponseHeaderBytes = 64 * 1024
    /// The size limit of the fields of a request; a larger one ends the session.
    ///
    /// A push has less than 1 KiB. HPACK lets a client send many times that in a few bytes.
    private static let maxRequestHeaderBytes = 16 * 1024
    /// The size of a frame header: length, type, flags and stream id (RFC 9113, section 4.1).
    private static let frameHeaderBytes = 9

    /// The frames to write, while the session produces them.
    var output: [UInt8] = []
    /// The size of the output after which no further body frames are added.
    var outputThreshold = 0
    /// The frames without contents from the peer, since a message advanced in either direction.
    var emptyFrames = EmptyFrameLimit()
    /// Whether the fields of a request exceed their limit.
    private(set) var hasOversizedRequest = false
    /// The number of unsent bytes of all bodies.
    private(set) var unsentBytes = 0

    private let role: HTTP2Session.Role
    private let maxBodyBytes: Int
    /// The fields of the message that is arriving; no other frame can interrupt them.
    private var fields = HTTP2HeaderCollector()
    private var events: [HTTP2SessionEvent] = []
    /// The exchanges of open streams, each in its slot.
    private var exchanges: [HTTP2Exchange?] = []
    private var freeSlots: [Int] = []

    /// Creates an empty record; a body larger than `maxBodyBytes` resets its stream.
    init(role: HTTP2Session.Role, maxBodyBytes: Int) {
        self.role = role
        self.maxBodyBytes = maxBodyBytes
    }

    /// Moves all events since the last call into an array, in order.
    ///
    /// - Parameter events: the array, whose elements are replaced and whose storage is reused.
    mutating func takeEvents(into events: inout [HTTP2SessionEvent]) {
        events.removeAll(keepingCapacity: true)
        swap(&events, &self.events)
    }

    /// Retains the exchange until the stream is closed, since nghttp2 holds pointers to it and to its fields.
    mutating func streamOpened(_ streamID: Int32, by exchange: HTTP2Exchange) {
        exchange.streamID = streamID
        if let slot = freeSlots.popLast() {
            exchange.slot = slot
            exchanges[slot] = exchange
        } else {
            exchange.slot = exchanges.count
            exchanges.append(exchange)
        }
    }

    /// Notes that the exchange starts to send a message.
    mutating func sendingBegan(_ exchange: HTTP2Exchange) {
        unsentBytes += exchange.unsentBytes
        emptyFrames.advanced()
    }

    // MARK: Callbacks

    mutating func headersBegan() {
        fields.removeAll()
    }

    /// Adds a field.
    ///
    /// - Returns: false if the fields exceed the size limit.
    mutating func headerReceived(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe fields.append(name, value)
        switch role {
        case .client: return fields.count <= Self.maxResponseHeaderBytes
        case .server:
            if fields.count > Self.maxRequestHeaderBytes { hasOversizedRequest = true }
            return !hasOversizedRequest
        }
    }

    mutating func headersEnded(_ exchange: HTTP2Exchange, isLast: Bool) {
        exchange.receive(HTTP2Headers(fields.take()))
        if isLast { messageEnded(exchange) }
    }

    /// Adds bytes to a body.
    ///
    /// - Returns: false if the body exceeds the size limit.
    func dataReceived(_ exchange: HTTP2Exchange, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe exchange.receive(bytes)
        return exchange.receivedBodyBytes <= maxBodyBytes
    }

    /// Completes a message, and reports it unless `streamClosed` follows immediately.
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
        freeSlots.append(exchange.slot)
        guard let exchange = exchanges[exchange.slot].take() else { preconditionFailure("a stream closed twice") }
        events.append(.streamClosed(exchange, errorCode: errorCode))
    }

    /// Adds a frame of a body to the output.
    /// - Returns: false if the output has reached its threshold; nghttp2 offers the frame again.
    mutating func sendBodyPart(_ exchange: HTTP2Exchange, frameHeader: UnsafePointer<UInt8>, count: Int) -> Bool {
        guard output.count < outputThreshold else { return false }
        unsafe output.append(contentsOf: UnsafeBufferPointer(start: frameHeader, count: Self.frameHeaderBytes))
        exchange.sendBody(count, into: &output)
        unsentBytes -= count
        emptyFrames.advanced()
        return true
    }
}
