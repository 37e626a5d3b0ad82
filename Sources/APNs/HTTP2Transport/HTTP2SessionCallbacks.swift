import CNGHTTP2

/// The table of callbacks for a new session, which copies it.
@safe
struct HTTP2SessionCallbacks: ~Copyable {
    let pointer: OpaquePointer

    init() {
        var pointer: OpaquePointer?
        let status = unsafe nghttp2_session_callbacks_new(&pointer)
        guard status == 0, let pointer = unsafe pointer else { fatalError("no memory for HTTP/2 callbacks") }
        unsafe self.pointer = pointer
        unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(pointer, headersBegan)
        unsafe nghttp2_session_callbacks_set_on_header_callback(pointer, headerReceived)
        unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(pointer, dataReceived)
        unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(pointer, frameReceived)
        unsafe nghttp2_session_callbacks_set_on_stream_close_callback(pointer, streamClosed)
        unsafe nghttp2_session_callbacks_set_send_data_callback(pointer, sendBodyPart)
    }

    deinit {
        unsafe nghttp2_session_callbacks_del(pointer)
    }
}

/// The status that resets the stream; the connection continues.
private let resetStream = CInt(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

// The callbacks borrow references: each push has seven callbacks, and reference counting would cost more than some of
// them.

/// Calls a closure with the record in the user data; the session keeps it alive.
private func withRecord<Result>(
    _ userData: UnsafeMutableRawPointer?,
    _ body: (inout HTTP2SessionRecord) -> Result
) -> Result {
    guard let userData = unsafe userData else { preconditionFailure("a session without its record") }
    return unsafe body(&userData.assumingMemoryBound(to: HTTP2SessionRecord.self).pointee)
}

/// Calls a closure with the exchange of a stream, if there is one; the record retains it until the stream is closed.
private func withExchange(
    _ session: OpaquePointer?,
    _ streamID: Int32,
    _ body: (HTTP2Exchange) -> Void
) {
    guard let pointer = unsafe nghttp2_session_get_stream_user_data(session, streamID) else { return }
    unsafe Unmanaged<HTTP2Exchange>.fromOpaque(pointer)._withUnsafeGuaranteedRef(body)
}

private func headersBegan(
    session: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame = unsafe frame else { return 0 }
    if unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST {
        // A server receives a request; a client has created the exchange before.
        let streamID = unsafe frame.pointee.hd.stream_id
        let exchange = HTTP2Exchange()
        unsafe withRecord(userData) { $0.streamOpened(streamID, by: exchange) }
        let pointer = unsafe Unmanaged.passUnretained(exchange).toOpaque()
        let status = unsafe nghttp2_session_set_stream_user_data(session, streamID, pointer)
        precondition(status == 0, "a stream whose fields arrive exists")
    }
    unsafe withRecord(userData) { $0.headersBegan() }
    return 0
}

private func headerReceived(
    _: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    name: UnsafePointer<UInt8>?,
    nameCount: Int,
    value: UnsafePointer<UInt8>?,
    valueCount: Int,
    flags: UInt8,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    let isAccepted = unsafe withRecord(userData) { record in
        unsafe record.headerReceived(
            UnsafeBufferPointer(start: name, count: nameCount),
            UnsafeBufferPointer(start: value, count: valueCount)
        )
    }
    return isAccepted ? 0 : resetStream
}

private func dataReceived(
    session: OpaquePointer?,
    flags: UInt8,
    streamID: Int32,
    data: UnsafePointer<UInt8>?,
    count: Int,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
    var isAccepted = true
    unsafe withExchange(session, streamID) { exchange in
        isAccepted = unsafe withRecord(userData) { unsafe $0.dataReceived(exchange, bytes) }
    }
    // This callback cannot fail for one stream only. It queues a reset instead, which is allowed here.
    return isAccepted ? 0 : unsafe nghttp2_submit_rst_stream(session, 0, streamID, NGHTTP2_CANCEL.rawValue)
}

private func frameReceived(
    session: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame = unsafe frame else { return 0 }
    let header = unsafe frame.pointee.hd
    let isLast = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue:
        unsafe withExchange(session, header.stream_id) { exchange in
            unsafe withRecord(userData) { $0.headersEnded(exchange, isLast: isLast) }
        }
    case NGHTTP2_DATA.rawValue where isLast:
        unsafe withExchange(session, header.stream_id) { exchange in
            unsafe withRecord(userData) { $0.messageEnded(exchange) }
        }
    case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
        let limit = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        unsafe note(.settingsReceived(maxConcurrentStreams: Int(limit)), userData)
    case NGHTTP2_GOAWAY.rawValue:
        let goAway = unsafe frame.pointee.goaway
        let debugData = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
        let event = unsafe HTTP2SessionEvent.goAwayReceived(
            errorCode: goAway.error_code,
            debugData: Array(debugData)
        )
        unsafe note(event, userData)
    default:
        break
    }
    return 0
}

private func note(_ event: HTTP2SessionEvent, _ userData: UnsafeMutableRawPointer?) {
    unsafe withRecord(userData) { $0.note(event) }
}

private func streamClosed(
    session: OpaquePointer?,
    streamID: Int32,
    errorCode: UInt32,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    unsafe withExchange(session, streamID) { exchange in
        unsafe withRecord(userData) { $0.streamClosed(exchange, errorCode: errorCode) }
    }
    return 0
}

/// The callback by which nghttp2 asks for the size of a stream's next body frame.
///
/// `sendBodyPart` copies the bytes into the output, without a copy in nghttp2's frame.
let bodyReadCallback: nghttp2_data_source_read_callback = { _, _, _, capacity, flags, source, _ in
    guard let pointer = unsafe source?.pointee.ptr else { preconditionFailure("a body without its exchange") }
    let rest = unsafe Unmanaged<HTTP2Exchange>.fromOpaque(pointer)._withUnsafeGuaranteedRef { $0.unsentBytes }
    unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_NO_COPY.rawValue
    if rest <= capacity { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return min(rest, capacity)
}

/// The callback by which nghttp2 sends each frame of a body, in order with other frames.
private func sendBodyPart(
    _: OpaquePointer?,
    _: UnsafeMutablePointer<nghttp2_frame>?,
    frameHeader: UnsafePointer<UInt8>?,
    count: Int,
    source: UnsafeMutablePointer<nghttp2_data_source>?,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    guard let frameHeader = unsafe frameHeader, let pointer = unsafe source?.pointee.ptr else { return 0 }
    let isSent = unsafe Unmanaged<HTTP2Exchange>.fromOpaque(pointer)._withUnsafeGuaranteedRef { exchange in
        unsafe withRecord(userData) { unsafe $0.sendBodyPart(exchange, frameHeader: frameHeader, count: count) }
    }
    return isSent ? 0 : NGHTTP2_ERR_WOULDBLOCK.rawValue
}
