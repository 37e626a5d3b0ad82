/// An event that an HTTP/2 session reports after it received or produced bytes.
enum HTTP2SessionEvent {
    /// The peer's SETTINGS arrived, with the number of streams that it allows from now on.
    case settingsReceived(maxConcurrentStreams: Int)
    /// A message is complete: a server's request, or a client's response that came before the whole request was sent.
    ///
    /// Other responses are reported by `streamClosed`.
    case messageReceived(HTTP2Exchange)
    /// The stream was closed; the code is REFUSED_STREAM for a stream that was never opened.
    case streamClosed(HTTP2Exchange, errorCode: UInt32)
    /// The peer accepts no more streams.
    ///
    /// Each unprocessed stream is reported afterwards as closed with REFUSED_STREAM.
    case goAwayReceived(errorCode: UInt32, debugData: [UInt8])
}
