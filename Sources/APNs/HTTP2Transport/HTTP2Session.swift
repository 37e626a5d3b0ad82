import CNGHTTP2
import Encodings

/// The HTTP/2 state of one connection, for either role.
///
/// It owns an `nghttp2_session`, and has no socket. `receive` takes incoming bytes, `nextFrames` produces outgoing
/// bytes, and `takeEvents` returns the resulting events; call it after both, since sending can close a stream, too.
@safe
final class HTTP2Session {
    enum Role {
        case client
        case server
    }

    /// The limits of this side, most of which its first SETTINGS announce.
    struct Settings {
        /// The number of streams that the peer may have open; nil for a client, since servers open none.
        var maxConcurrentStreams: Int?
        /// The flow-control window of each stream and of the connection.
        var windowBytes: Int
        /// The size limit of a body; a larger one resets its stream.
        var maxBodyBytes: Int
    }

    /// A fatal error of the connection, as nghttp2 reports it.
    struct Failure: Error, Equatable {
        let reason: String
    }

    /// The record, in allocated memory to which nghttp2 holds a pointer.
    private let record: UnsafeMutablePointer<HTTP2SessionRecord>
    private let memory = HTTP2SessionMemory()
    private let pointer: OpaquePointer
    let role: Role
    /// The first fields of every request.
    private let commonHeaders: HTTP2Headers
    /// The fields of the message that is being submitted; kept for its capacity.
    private var fields: [nghttp2_nv] = unsafe []
    private var frames: HTTP2FrameReader
    /// The reason why this side ends the session, if the peer causes too much load.
    private(set) var floodReason: String?
    private var lastStatus: (status: Int, headers: HTTP2Headers)?

    /// Creates a session; all requests of a client begin with the common headers.
    init(role: Role, settings: Settings, commonHeaders: HTTP2Headers = []) {
        let record = UnsafeMutablePointer<HTTP2SessionRecord>.allocate(capacity: 1)
        unsafe record.initialize(to: HTTP2SessionRecord(role: role, maxBodyBytes: settings.maxBodyBytes))
        let callbacks = HTTP2SessionCallbacks()
        var functions = unsafe memory.functions
        var pointer: OpaquePointer?
        let status =
            switch role {
            case .client: unsafe nghttp2_session_client_new3(&pointer, callbacks.pointer, record, nil, &functions)
            case .server: unsafe nghttp2_session_server_new3(&pointer, callbacks.pointer, record, nil, &functions)
            }
        guard status == 0, let pointer = unsafe pointer else { fatalError("no memory for an HTTP/2 session") }
        unsafe self.record = record
        unsafe self.pointer = pointer
        self.role = role
        self.commonHeaders = commonHeaders
        self.frames = HTTP2FrameReader(expectsPreface: role == .server)
        announce(settings)
    }

    deinit {
        // nghttp2 makes no callbacks while it deletes a session.
        unsafe nghttp2_session_del(pointer)
        unsafe record.deinitialize(count: 1)
        unsafe record.deallocate()
    }

    // MARK: Bytes

    /// Processes bytes from the peer.
    ///
    /// A peer that sends too many frames without contents, or too large headers of a request, gets GOAWAY with
    /// ENHANCE_YOUR_CALM; its bytes are discarded from then on, and the session is not active once the GOAWAY is sent.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        guard floodReason == nil else { return }
        guard unsafe !isFlood(bytes) else {
            return endFlood("more than \(EmptyFrameLimit.maxFrames) frames in a row with next to no contents")
        }
        let octets = unsafe bytes.bindMemory(to: UInt8.self)
        let count = unsafe nghttp2_session_mem_recv(pointer, octets.baseAddress, octets.count)
        if count < 0 { throw failure(CInt(count)) }
        if unsafe record.pointee.hasOversizedRequest { endFlood("a request with too large headers") }
    }

    private func endFlood(_ reason: String) {
        floodReason = reason
        check(unsafe nghttp2_session_terminate_session(pointer, HTTP2ErrorCode.enhanceYourCalm))
    }

    /// Returns whether the frames exceed the limit of frames without contents.
    private func isFlood(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var isExceeded = false
        unsafe frames.read(bytes) { event in
            guard case .frameBegan(let header) = event else { return }
            // A server's RST_STREAM ends a stream of this client.
            if role == .client, header.kind == HTTP2FrameHeader.Kind.resetStream { return }
            if unsafe record.pointee.emptyFrames.received(header, at: .now) { isExceeded = true }
        }
        return isExceeded
    }

    /// Appends frames to the buffer until it reaches the threshold or no frame is ready.
    func nextFrames(into buffer: inout [UInt8], threshold: Int) throws(Failure) {
        // A callback copies bodies directly into the output.
        unsafe swap(&record.pointee.output, &buffer)
        defer { unsafe swap(&record.pointee.output, &buffer) }
        unsafe record.pointee.outputThreshold = threshold
        while unsafe record.pointee.output.count < threshold {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(pointer, &frame)
            if count < 0 { throw failure(CInt(count)) }
            if count == 0 { return }
            // nghttp2 owns the frame, which is valid until the next call.
            unsafe record.pointee.output.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
        }
    }

    /// Moves all events since the last call into an array, in order.
    func takeEvents(into events: inout [HTTP2SessionEvent]) {
        unsafe record.pointee.takeEvents(into: &events)
    }

    /// Whether unsent bodies use up the peer's window of the connection.
    var isBlockedOnWindow: Bool {
        let unsentBytes = unsafe record.pointee.unsentBytes
        return unsafe unsentBytes > 0 && unsentBytes >= Int(nghttp2_session_get_remote_window_size(pointer))
    }

    /// Whether the session expects to receive or send anything; if not, the caller closes the connection.
    var isActive: Bool {
        unsafe nghttp2_session_want_read(pointer) != 0 || nghttp2_session_want_write(pointer) != 0
    }

    // MARK: Messages

    /// Opens a stream for an exchange with its request, and retains the exchange until the stream is closed.
    ///
    /// - Returns: false if the connection has no stream ids left (RFC 9113, section 5.1.1).
    func submitRequest(_ exchange: HTTP2Exchange) -> Bool {
        guard let message = exchange.sent else { preconditionFailure("a request has a message") }
        collect(message, after: commonHeaders)
        let user = unsafe Unmanaged.passUnretained(exchange).toOpaque()
        let streamID = unsafe withProvider(of: exchange) { provider in
            unsafe nghttp2_submit_request(pointer, nil, fields, fields.count, provider, user)
        }
        guard streamID > 0 else { return false }
        unsafe record.pointee.streamOpened(streamID, by: exchange)
        unsafe record.pointee.sendingBegan(exchange)
        return true
    }

    /// Sends a response on a stream; has no effect if the stream is closed or has a response.
    func submitResponse(_ response: HTTP2Response, on streamID: Int32) {
        guard let user = unsafe nghttp2_session_get_stream_user_data(pointer, streamID) else { return }
        let exchange = unsafe Unmanaged<HTTP2Exchange>.fromOpaque(user).takeUnretainedValue()
        guard exchange.sent == nil else { return }
        let message = HTTP2SentMessage(
            first: statusHeaders(response.status),
            second: response.headers,
            body: response.body
        )
        exchange.send(message)
        collect(message)
        let status = unsafe withProvider(of: exchange) { provider in
            unsafe nghttp2_submit_response(pointer, streamID, fields, fields.count, provider)
        }
        check(status)
        unsafe record.pointee.sendingBegan(exchange)
    }

    /// Resets a stream with an error code.
    func submitReset(_ streamID: Int32, errorCode: UInt32) {
        check(unsafe nghttp2_submit_rst_stream(pointer, 0, streamID, errorCode))
    }

    // MARK: Connection

    /// Announces the number of streams that the peer may have open.
    func submitMaxConcurrentStreams(_ limit: Int) {
        submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limit)])
    }

    /// Sends GOAWAY, so that the peer opens no more streams.
    ///
    /// Streams above the last id are closed as not processed; nil stands for the newest stream.
    func submitGoAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
        let last = unsafe lastStreamID ?? nghttp2_session_get_last_proc_stream_id(pointer)
        check(unsafe nghttp2_submit_goaway(pointer, 0, last, errorCode, debugData, debugData.count))
    }

    /// Sends a PING.
    func submitPing() {
        check(unsafe nghttp2_submit_ping(pointer, 0, nil))
    }

    private func announce(_ settings: Settings) {
        var entries = [(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.windowBytes)]
        switch role {
        case .client: entries.append((NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
        case .server: break
        }
        if let streams = settings.maxConcurrentStreams {
            entries.append((NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams))
        }
        submitSettings(entries)
        check(unsafe nghttp2_session_set_local_window_size(pointer, 0, 0, Int32(settings.windowBytes)))
    }

    private func submitSettings(_ entries: [(id: nghttp2_settings_id, value: Int)]) {
        let entries = entries.map { entry in
            nghttp2_settings_entry(settings_id: Int32(entry.id.rawValue), value: UInt32(entry.value))
        }
        check(unsafe nghttp2_submit_settings(pointer, 0, entries, entries.count))
    }

    private func collect(_ message: HTTP2SentMessage, after common: HTTP2Headers = []) {
        unsafe fields.removeAll(keepingCapacity: true)
        unsafe common.append(to: &fields)
        unsafe message.first.append(to: &fields)
        unsafe message.second.append(to: &fields)
    }

    /// Returns the field `:status`; caches the last one.
    private func statusHeaders(_ status: Int) -> HTTP2Headers {
        if let (last, headers) = lastStatus, last == status { return headers }
        let headers: HTTP2Headers = [HTTP2Header(":status", String(status))]
        lastStatus = (status, headers)
        return headers
    }

    /// Calls a closure with the data provider of the exchange's body; nil for no body.
    private func withProvider(
        of exchange: HTTP2Exchange,
        _ submit: (UnsafePointer<nghttp2_data_provider>?) -> Int32
    ) -> Int32 {
        guard exchange.hasBody else { return submit(nil) }
        let source = unsafe nghttp2_data_source(ptr: Unmanaged.passUnretained(exchange).toOpaque())
        var provider = unsafe nghttp2_data_provider(source: source, read_callback: bodyReadCallback)
        return unsafe submit(&provider)
    }

    /// Checks the status of a call that fails only without memory or by a programming error.
    private func check(_ status: CInt) {
        precondition(status == 0, "nghttp2: \(failure(status).reason)")
    }

    private func failure(_ status: CInt) -> Failure {
        Failure(reason: unsafe String(cString: nghttp2_strerror(status)))
    }
}
