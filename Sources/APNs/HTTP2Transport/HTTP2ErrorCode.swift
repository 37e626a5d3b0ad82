/// The HTTP/2 error codes that this project sends or evaluates (RFC 9113, section 7).
public enum HTTP2ErrorCode {
    /// No error; also the code of a graceful GOAWAY.
    public static let noError: UInt32 = 0x0
    /// The sender had an internal error.
    public static let internalError: UInt32 = 0x2
    /// The stream was not processed, and its request may be sent again.
    public static let refusedStream: UInt32 = 0x7
    /// The stream is no longer wanted.
    public static let cancel: UInt32 = 0x8
    /// The peer causes too much load.
    public static let enhanceYourCalm: UInt32 = 0xb
}
