/// The error codes of HTTP/2 that this project sends or decides by (RFC 9113, section 7).
public enum HTTP2ErrorCode {
    /// No error: also the code of an orderly GOAWAY.
    public static let noError: UInt32 = 0x0
    /// The sender met an error of its own.
    public static let internalError: UInt32 = 0x2
    /// The stream was not processed in any way and may be sent again.
    public static let refusedStream: UInt32 = 0x7
    /// The stream is no longer wanted.
    public static let cancel: UInt32 = 0x8
}
