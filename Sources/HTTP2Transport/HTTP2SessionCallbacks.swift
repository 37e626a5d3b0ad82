import CNGHTTP2

/// Owns the table of callbacks that a new session is given, and copies.
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
    }

    deinit {
        unsafe nghttp2_session_callbacks_del(pointer)
    }
}

/// The stream is reset, and the connection goes on.
private let resetStream = CInt(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

/// The record that was given as user data; its session keeps it alive.
private func record(_ userData: UnsafeMutableRawPointer?) -> HTTP2SessionRecord {
    guard let userData = unsafe userData else { preconditionFailure("a session without its record") }
    return unsafe Unmanaged<HTTP2SessionRecord>.fromOpaque(userData).takeUnretainedValue()
}

private func headersBegan(
    _: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame = unsafe frame else { return 0 }
    unsafe record(userData).headersBegan(frame.pointee.hd.stream_id)
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
    guard let frame = unsafe frame else { return 0 }
    let isTaken = unsafe record(userData).headerReceived(
        frame.pointee.hd.stream_id,
        name: String(decoding: UnsafeBufferPointer(start: name, count: nameCount), as: UTF8.self),
        value: String(decoding: UnsafeBufferPointer(start: value, count: valueCount), as: UTF8.self)
    )
    return isTaken ? 0 : resetStream
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
    if unsafe record(userData).dataReceived(streamID, bytes) { return 0 }
    // This callback cannot fail for one stream only, so the reset is queued; queueing is allowed here.
    return unsafe nghttp2_submit_rst_stream(session, 0, streamID, NGHTTP2_CANCEL.rawValue)
}

private func frameReceived(
    session: OpaquePointer?,
    frame: UnsafePointer<nghttp2_frame>?,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    guard let frame = unsafe frame else { return 0 }
    let header = unsafe frame.pointee.hd
    switch UInt32(header.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
        if header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 {
            unsafe record(userData).messageEnded(header.stream_id)
        }
    case NGHTTP2_SETTINGS.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) == 0:
        let limit = unsafe nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        unsafe record(userData).note(.settingsReceived(maxConcurrentStreams: Int(limit)))
    case NGHTTP2_PING.rawValue where header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0:
        unsafe record(userData).note(.pingAcknowledged)
    case NGHTTP2_GOAWAY.rawValue:
        let goAway = unsafe frame.pointee.goaway
        let debugData = unsafe UnsafeBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len)
        unsafe record(userData).note(
            .goAwayReceived(
                lastStreamID: goAway.last_stream_id,
                errorCode: goAway.error_code,
                debugData: Array(debugData)
            )
        )
    default:
        break
    }
    return 0
}

private func streamClosed(
    _: OpaquePointer?,
    streamID: Int32,
    errorCode: UInt32,
    userData: UnsafeMutableRawPointer?
) -> CInt {
    unsafe record(userData).note(.streamClosed(streamID: streamID, errorCode: errorCode))
    return 0
}

/// What nghttp2 calls when a stream may send more of its body.
let bodyReadCallback: nghttp2_data_source_read_callback = { _, streamID, buffer, capacity, flags, _, userData in
    let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
    let (count, isEnd) = unsafe record(userData).copyBody(streamID, into: target)
    if isEnd { unsafe flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
    return count
}
