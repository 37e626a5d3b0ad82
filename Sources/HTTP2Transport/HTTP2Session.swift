import CNGHTTP2

/// The HTTP/2 state of one connection, for either role.
///
/// It owns an `nghttp2_session`.
/// Bytes go in (`receive`) and come out (`nextFrames`); what they meant is in `takeEvents`, which is to be asked
/// after both, since a stream can end by what is sent as well. It knows no socket.
@safe
final class HTTP2Session {
    enum Role {
        case client
        case server
    }

    /// What this side tells the peer at the start.
    struct Settings {
        /// Streams that the peer may have open; a client gets none from the server.
        var maxConcurrentStreams: Int
        /// Bytes of bodies that the peer may send ahead, over all streams and on each.
        var windowBytes: Int
        /// A body that is longer resets its stream.
        var maxBodyBytes: Int
    }

    /// nghttp2 found the connection unusable.
    struct Failure: Error, Equatable {
        let reason: String
    }

    private let record: HTTP2SessionRecord
    private let pointer: OpaquePointer
    private let role: Role
    /// Names and values of the message that is being handed over, one after another; kept for its capacity.
    private var headerText: [UInt8] = []

    init(role: Role, settings: Settings) {
        let record = HTTP2SessionRecord(maxBodyBytes: settings.maxBodyBytes)
        let callbacks = HTTP2SessionCallbacks()
        let userData = unsafe Unmanaged.passUnretained(record).toOpaque()
        var pointer: OpaquePointer?
        let status =
            switch role {
            case .client: unsafe nghttp2_session_client_new(&pointer, callbacks.pointer, userData)
            case .server: unsafe nghttp2_session_server_new(&pointer, callbacks.pointer, userData)
            }
        guard status == 0, let pointer = unsafe pointer else { fatalError("no memory for an HTTP/2 session") }
        self.record = record
        unsafe self.pointer = pointer
        self.role = role
        announce(settings)
    }

    deinit {
        // nghttp2 calls nothing back while it deletes.
        unsafe nghttp2_session_del(pointer)
    }

    // MARK: Bytes

    /// Takes bytes that came from the peer.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        let octets = unsafe bytes.bindMemory(to: UInt8.self)
        let count = unsafe nghttp2_session_mem_recv(pointer, octets.baseAddress, octets.count)
        if count < 0 { throw failure(CInt(count)) }
    }

    /// Appends frames to the buffer until it holds the threshold, or there is nothing to send now.
    func nextFrames(into buffer: inout [UInt8], threshold: Int) throws(Failure) {
        while buffer.count < threshold {
            var frame: UnsafePointer<UInt8>?
            let count = unsafe nghttp2_session_mem_send(pointer, &frame)
            if count < 0 { throw failure(CInt(count)) }
            if count == 0 { return }
            // The frame is nghttp2's, and valid until the next call.
            unsafe buffer.append(contentsOf: UnsafeBufferPointer(start: frame, count: count))
        }
    }

    /// What happened since the last call, in order.
    func takeEvents() -> [HTTP2SessionEvent] {
        record.takeEvents()
    }

    /// Whether the session has anything left to do; when not, the connection is to be closed.
    var isActive: Bool {
        unsafe nghttp2_session_want_read(pointer) != 0 || nghttp2_session_want_write(pointer) != 0
    }

    // MARK: Messages

    /// Opens a stream.
    ///
    /// Nil when there are no stream ids left (RFC 9113, section 5.1.1): a new connection is due.
    func submitRequest(_ message: HTTP2Message) -> Int32? {
        let streamID = unsafe submit(message) { fields, provider in
            unsafe nghttp2_submit_request(pointer, nil, fields.baseAddress, fields.count, provider, nil)
        }
        guard streamID > 0 else { return nil }
        record.send(message.body, on: streamID)
        return streamID
    }

    /// Answers on a stream; nothing happens when it is closed already.
    func submitResponse(_ message: HTTP2Message, on streamID: Int32) {
        let status = unsafe submit(message) { fields, provider in
            unsafe nghttp2_submit_response(pointer, streamID, fields.baseAddress, fields.count, provider)
        }
        if status == 0, isOpen(streamID) { record.send(message.body, on: streamID) }
    }

    /// Ends a stream with an error code.
    func submitReset(_ streamID: Int32, errorCode: UInt32) {
        check(unsafe nghttp2_submit_rst_stream(pointer, 0, streamID, errorCode))
    }

    /// Whether this side has something left to send on the stream.
    func isSending(_ streamID: Int32) -> Bool {
        // -1 for a stream that is closed.
        unsafe nghttp2_session_get_stream_local_close(pointer, streamID) == 0
    }

    /// Whether the stream exists and is not closed.
    func isOpen(_ streamID: Int32) -> Bool {
        unsafe nghttp2_session_find_stream(pointer, streamID) != nil
    }

    // MARK: Connection

    /// Tells the peer how many streams it may have open.
    func submitMaxConcurrentStreams(_ limit: Int) {
        submitSettings([(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limit)])
    }

    /// Tells the peer to open no more streams.
    ///
    /// Streams above the last id are closed and count as not processed; nil stands for the newest one.
    func submitGoAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8]) {
        let last = unsafe lastStreamID ?? nghttp2_session_get_last_proc_stream_id(pointer)
        check(unsafe nghttp2_submit_goaway(pointer, 0, last, errorCode, debugData, debugData.count))
    }

    /// Asks the peer for a sign of life.
    func submitPing() {
        check(unsafe nghttp2_submit_ping(pointer, 0, nil))
    }

    private func announce(_ settings: Settings) {
        var entries = [(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.windowBytes)]
        switch role {
        case .client: entries.append((NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
        case .server: entries.append((NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.maxConcurrentStreams))
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

    /// Calls the body with the message's fields, which nghttp2 copies, and with where its body comes from.
    private func submit(
        _ message: HTTP2Message,
        _ body: (UnsafeBufferPointer<nghttp2_nv>, UnsafePointer<nghttp2_data_provider>?) -> Int32
    ) -> Int32 {
        headerText.removeAll(keepingCapacity: true)
        for header in message.headers {
            headerText.append(contentsOf: header.name.utf8)
            headerText.append(contentsOf: header.value.utf8)
        }
        return unsafe headerText.withUnsafeMutableBufferPointer { text in
            var next = text.baseAddress
            let fields = unsafe message.headers.map { header in
                let nameCount = header.name.utf8.count
                let valueCount = header.value.utf8.count
                defer { unsafe next = next.map { unsafe $0 + nameCount + valueCount } }
                return unsafe nghttp2_nv(
                    name: next,
                    value: next.map { unsafe $0 + nameCount },
                    namelen: nameCount,
                    valuelen: valueCount,
                    flags: UInt8(header.isIndexed ? NGHTTP2_NV_FLAG_NONE.rawValue : NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
                )
            }
            var provider = unsafe nghttp2_data_provider(source: nghttp2_data_source(), read_callback: bodyReadCallback)
            return unsafe fields.withUnsafeBufferPointer { fields in
                message.body.isEmpty ? unsafe body(fields, nil) : unsafe body(fields, &provider)
            }
        }
    }

    /// For calls that fail only without memory, or by our own mistake.
    private func check(_ status: CInt) {
        precondition(status == 0, "nghttp2: \(failure(status).reason)")
    }

    private func failure(_ status: CInt) -> Failure {
        Failure(reason: unsafe String(cString: nghttp2_strerror(status)))
    }
}
