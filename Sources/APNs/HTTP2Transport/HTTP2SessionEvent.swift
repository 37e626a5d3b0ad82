/// What an HTTP/2 session reports after it has been given bytes, or has made some.
enum HTTP2SessionEvent {
    /// The peer's SETTINGS arrived; this is the number of streams it allows from now on.
    case settingsReceived(maxConcurrentStreams: Int)
    /// A message ended: a request at a server; at a client a response that came before the whole request was sent. Any
    /// other response ends its stream.
    case messageReceived(HTTP2Exchange)
    /// Nothing more happens on the stream. For a stream that was never opened the code is REFUSED_STREAM.
    case streamClosed(HTTP2Exchange, errorCode: UInt32)
    /// The peer takes no more streams; those that it has not processed follow, each reported as closed with REFUSED_STREAM.
    case goAwayReceived(errorCode: UInt32, debugData: [UInt8])
}
