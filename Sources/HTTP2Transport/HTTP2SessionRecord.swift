import CNGHTTP2

/// What nghttp2's callbacks write down: messages as they arrive, bodies as they leave, events for later.
///
/// nghttp2 is not re-entrant, so nothing is decided inside its callbacks: they only note facts here.
/// The session keeps this object alive as long as nghttp2 may call back.
final class HTTP2SessionRecord {
    private struct OutgoingBody {
        let bytes: [UInt8]
        var sent = 0
    }

    /// A message with more bytes of fields resets its stream; APNs sends a few hundred.
    private static let maxHeaderBytes = 64 * 1024

    private let maxBodyBytes: Int
    private var incoming: [Int32: HTTP2Message] = [:]
    private var outgoing: [Int32: OutgoingBody] = [:]
    private var headerBytes: [Int32: Int] = [:]
    private var events: [HTTP2SessionEvent] = []

    /// An empty record; a body of more bytes than these is not taken, its stream is reset.
    init(maxBodyBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
    }

    /// What happened since the last call, in order.
    func takeEvents() -> [HTTP2SessionEvent] {
        defer { events = [] }
        return events
    }

    /// Remembers the body that the stream is going to send, until the stream is closed.
    func send(_ body: [UInt8], on streamID: Int32) {
        outgoing[streamID] = OutgoingBody(bytes: body)
    }

    // MARK: What the callbacks call

    func headersBegan(_ streamID: Int32) {
        incoming[streamID, default: HTTP2Message()].headers.reserveCapacity(8)
    }

    /// Returns false when there are too many.
    func headerReceived(_ streamID: Int32, name: String, value: String) -> Bool {
        headerBytes[streamID, default: 0] += name.utf8.count + value.utf8.count
        guard headerBytes[streamID, default: 0] <= Self.maxHeaderBytes else { return false }
        // A status begins a response; what was collected before it was an interim one (1xx).
        if name == ":status" { incoming[streamID]?.headers = [] }
        incoming[streamID]?.headers.append(HTTP2Header(name, value))
        return true
    }

    /// Returns false when the body is too long.
    func dataReceived(_ streamID: Int32, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe incoming[streamID]?.body.append(contentsOf: bytes)
        return (incoming[streamID]?.body.count ?? 0) <= maxBodyBytes
    }

    func messageEnded(_ streamID: Int32) {
        guard let message = incoming.removeValue(forKey: streamID) else { return }
        events.append(.messageReceived(streamID: streamID, message))
    }

    func note(_ event: HTTP2SessionEvent) {
        if case .streamClosed(let streamID, _) = event {
            incoming[streamID] = nil
            outgoing[streamID] = nil
            headerBytes[streamID] = nil
        }
        events.append(event)
    }

    /// Copies what fits of the stream's body, and says whether that was the end.
    func copyBody(_ streamID: Int32, into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, isEnd: Bool) {
        guard let body = outgoing[streamID] else { return (0, true) }
        let part = body.bytes[body.sent...].prefix(buffer.count)
        unsafe buffer.copyBytes(from: part)
        outgoing[streamID]?.sent += part.count
        return (part.count, body.sent + part.count == body.bytes.count)
    }
}
