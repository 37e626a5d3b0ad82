/// The header of an HTTP/2 frame (RFC 9113, section 4.1).
public struct HTTP2FrameHeader: Hashable, Sendable {
    /// The types of frames that this project names (section 6).
    public enum Kind {
        /// DATA.
        public static let data: UInt8 = 0x0
        /// HEADERS.
        public static let headers: UInt8 = 0x1
        /// PRIORITY.
        public static let priority: UInt8 = 0x2
        /// RST_STREAM.
        public static let resetStream: UInt8 = 0x3
        /// SETTINGS.
        public static let settings: UInt8 = 0x4
        /// PING.
        public static let ping: UInt8 = 0x6
        /// GOAWAY.
        public static let goAway: UInt8 = 0x7
        /// WINDOW_UPDATE.
        public static let windowUpdate: UInt8 = 0x8
        /// CONTINUATION.
        public static let continuation: UInt8 = 0x9
    }

    /// The flags of frames that this project names (section 6).
    public enum Flag {
        /// ACK of SETTINGS and PING.
        public static let acknowledgement: UInt8 = 0x1
        /// END_STREAM of DATA and HEADERS.
        public static let endStream: UInt8 = 0x1
        /// END_HEADERS of HEADERS and CONTINUATION.
        public static let endHeaders: UInt8 = 0x4
        /// PADDED of DATA and HEADERS.
        public static let padded: UInt8 = 0x8
    }

    /// The size of a frame header.
    public static let byteCount = 9

    /// The size of the payload.
    public var length: Int
    /// The type: see ``Kind``; a receiver ignores others.
    public var kind: UInt8
    /// The flags: see ``Flag``.
    public var flags: UInt8
    /// The stream; 0 for the connection.
    public var streamID: UInt32

    /// Creates a header.
    public init(length: Int, kind: UInt8, flags: UInt8 = 0, streamID: UInt32 = 0) {
        self.length = length
        self.kind = kind
        self.flags = flags
        self.streamID = streamID
    }

    /// Creates a header from its nine bytes as a number.
    init(bits: UInt128) {
        self.init(
            length: Int(truncatingIfNeeded: bits >> 48 & 0xff_ffff),
            kind: UInt8(truncatingIfNeeded: bits >> 40),
            flags: UInt8(truncatingIfNeeded: bits >> 32),
            // The first bit is reserved.
            streamID: UInt32(truncatingIfNeeded: bits) & 0x7fff_ffff
        )
    }

    /// Its nine bytes.
    public var bytes: [UInt8] {
        [
            UInt8(truncatingIfNeeded: length >> 16), UInt8(truncatingIfNeeded: length >> 8),
            UInt8(truncatingIfNeeded: length),
        ]
            + [kind, flags]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: streamID >> $0) }
    }

    /// Returns whether a flag is set.
    public func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// The size from which on DATA counts as contents: far less than the parts in which any client sends a body.
    public static let minContentBytes = 100

    /// Whether the frame advances a message: HEADERS, and DATA that ends its stream or is not tiny.
    ///
    /// CONTINUATION does not count, since it follows HEADERS, nor does padded DATA, which may have no other bytes.
    public var carriesContents: Bool {
        switch kind {
        case Kind.headers: true
        case Kind.data: has(Flag.endStream) || (length >= Self.minContentBytes && !has(Flag.padded))
        default: false
        }
    }
}
