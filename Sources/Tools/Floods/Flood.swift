import Encodings

/// A way to make a server work, wait or remember for little of one's own.
public enum Flood: String, CaseIterable, Sendable {
    case rapidReset = "rapid reset"
    case pings = "PING"
    case unreadPings = "PING, unread"
    case settings = "SETTINGS"
    case priority = "PRIORITY"
    case windowUpdates = "WINDOW_UPDATE"
    case unknownFrames = "unknown frames"
    case emptyData = "empty DATA"
    case smallData = "one-byte DATA"
    case largeHeaders = "large headers"
    case compressedHeaders = "compressed headers"
    case endlessContinuation = "endless CONTINUATION"
    case halfHeader = "half a header"
    case halfHeaderBesideRequest = "half a header beside a request"
    case slowReader = "window of zero"

    private typealias Kind = HTTP2FrameHeader.Kind
    private typealias Flag = HTTP2FrameHeader.Flag

    /// The number of frames in a part.
    static let framesPerPart = 100

    /// The number of streams that a slow reader keeps open.
    static let heldStreams = 100

    /// Whether the flood waits after its beginning, instead of sending more and more.
    public var isSilent: Bool { [.halfHeader, .halfHeaderBesideRequest, .slowReader].contains(self) }

    /// Whether the client reads what the server sends.
    var reads: Bool { self != .unreadPings }

    /// The bytes at the beginning of the connection.
    var opening: [UInt8] {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        switch self {
        case .slowReader:
            // SETTINGS_INITIAL_WINDOW_SIZE is 0: no stream may send a body.
            let settings = Self.frame(Kind.settings, payload: [0, 4, 0, 0, 0, 0])
            return preface + settings + (0..<UInt32(Self.heldStreams)).flatMap { Self.get("/healthz", on: 2 * $0 + 1) }
        case .halfHeader:
            return preface + Self.frame(Kind.settings) + Self.get("/", on: 1).prefix(12)
        case .halfHeaderBesideRequest:
            return preface + Self.frame(Kind.settings) + Self.post("/", on: 1) + Self.get("/", on: 3).prefix(12)
        case .emptyData, .smallData, .windowUpdates:
            return preface + Self.frame(Kind.settings) + Self.post("/", on: 1)
        case .endlessContinuation:
            return preface + Self.frame(Kind.settings)
                + Self.frame(Kind.headers, stream: 1, payload: [0x82, 0x87, 0x84])
        default: return preface + Self.frame(Kind.settings)
        }
    }

    /// Returns the frames of a part, and how many they are.
    func part(_ number: Int) -> (bytes: [UInt8], frames: Int) {
        var bytes: [UInt8] = []
        let count = isLarge ? 4 : Self.framesPerPart
        for index in 0..<count { bytes += frames(number * count + index) }
        return (bytes, count)
    }

    private var isLarge: Bool { self == .largeHeaders || self == .compressedHeaders }

    private func frames(_ number: Int) -> [UInt8] {
        let stream = UInt32(2 * number + 1)
        switch self {
        case .rapidReset:
            return Self.get("/", on: stream) + Self.frame(Kind.resetStream, stream: stream, payload: [0, 0, 0, 8])
        case .pings, .unreadPings: return Self.frame(Kind.ping, payload: [UInt8](repeating: 0, count: 8))
        case .settings: return Self.frame(Kind.settings)
        case .priority: return Self.frame(Kind.priority, stream: 1, payload: [0, 0, 0, 3, 0])
        case .windowUpdates: return Self.frame(Kind.windowUpdate, stream: 1, payload: [0, 0, 0, 1])
        case .unknownFrames: return Self.frame(0xfa)
        case .emptyData: return Self.frame(Kind.data, stream: 1)
        case .smallData: return Self.frame(Kind.data, stream: 1, payload: [0])
        case .endlessContinuation: return Self.frame(Kind.continuation, stream: 1, payload: Self.field(10))
        case .largeHeaders:
            // 47 kB of fields in three frames.
            let fields = (0..<150).flatMap { _ in Self.field(100) }
            let first = Self.requestFields("/") + fields
            return Self.frame(Kind.headers, flags: Flag.endStream, stream: stream, payload: first)
                + Self.frame(Kind.continuation, stream: stream, payload: fields)
                + Self.frame(Kind.continuation, flags: Flag.endHeaders, stream: stream, payload: fields)
        case .compressedHeaders:
            // A field of 4,000 bytes is added to HPACK's table, and then named by one byte each time (RFC 7541).
            let first =
                [0x40, 1, UInt8(ascii: "a"), 0x7f, 0xa1, 0x1e] + [UInt8](repeating: UInt8(ascii: "x"), count: 4_000)
            let others = [UInt8](repeating: 0xbe, count: 10_000)
            let flags = Flag.endStream | Flag.endHeaders
            return Self.frame(
                Kind.headers,
                flags: flags,
                stream: stream,
                payload: Self.requestFields("/") + first + others
            )
        case .halfHeader, .halfHeaderBesideRequest, .slowReader: return []
        }
    }

    static func get(_ path: String, on stream: UInt32) -> [UInt8] {
        frame(Kind.headers, flags: Flag.endStream | Flag.endHeaders, stream: stream, payload: requestFields(path))
    }

    private static func post(_ path: String, on stream: UInt32) -> [UInt8] {
        frame(Kind.headers, flags: Flag.endHeaders, stream: stream, payload: requestFields(path, method: 0x83))
    }

    static func frame(_ kind: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) -> [UInt8] {
        HTTP2FrameHeader(length: payload.count, kind: kind, flags: flags, streamID: stream).bytes + payload
    }

    /// Method and scheme from HPACK's static table, path and authority as text.
    private static func requestFields(_ path: String, method: UInt8 = 0x82) -> [UInt8] {
        let authority = Array("127.0.0.1".utf8)
        var fields: [UInt8] = [method, 0x87, 0x04, UInt8(path.utf8.count)]
        fields += Array(path.utf8)
        fields += [0x01, UInt8(authority.count)]
        return fields + authority
    }

    /// A field with a value of some bytes, at most 126, which is not added to HPACK's table.
    private static func field(_ bytes: Int) -> [UInt8] {
        [0x00, 1, UInt8(ascii: "b"), UInt8(bytes)] + [UInt8](repeating: UInt8(ascii: "y"), count: bytes)
    }
}
