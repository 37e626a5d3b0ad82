/// A reader of the frame headers in one direction of an HTTP/2 connection (RFC 9113, section 4.1).
///
/// The bytes may arrive in any pieces. The reader looks at frame headers only and validates nothing.
public struct HTTP2FrameReader: Sendable {
    /// A step of the connection.
    public enum Event: Hashable, Sendable {
        /// The client's preface is complete.
        case prefaceEnded
        /// The header of a frame is complete.
        case frameBegan(HTTP2FrameHeader)
        /// A frame is complete; follows `frameBegan`.
        case frameEnded(HTTP2FrameHeader)
    }

    /// The size of the client's preface (section 3.4).
    private static let prefaceBytes = 24

    /// The number of missing bytes of the preface.
    private var missingPrefaceBytes: Int
    /// The frame header that is arriving, as a number, and how many bytes of it have arrived.
    private var partialHeader: (bits: UInt128, bytes: Int) = (0, 0)
    /// The frame whose payload is arriving, with the number of its missing bytes.
    private var frame: (header: HTTP2FrameHeader, missingBytes: Int)?

    /// Creates a reader for the bytes of a client, which begin with a preface, or for those of a server.
    public init(expectsPreface: Bool) {
        missingPrefaceBytes = expectsPreface ? Self.prefaceBytes : 0
    }

    /// Whether a preface, a frame header or a frame has begun to arrive, or must arrive first, and is not complete.
    public var isWithinUnit: Bool { missingPrefaceBytes > 0 || partialHeader.bytes > 0 || frame != nil }

    /// The header of the frame whose payload is arriving; nil if there is none.
    public var currentFrame: HTTP2FrameHeader? { frame?.header }

    /// Reads the next bytes, and reports each step.
    public mutating func read(_ bytes: UnsafeRawBufferPointer, _ report: (Event) -> Void) {
        var index = min(missingPrefaceBytes, bytes.count)
        if missingPrefaceBytes > 0 {
            missingPrefaceBytes -= index
            if missingPrefaceBytes == 0 { report(.prefaceEnded) }
        }
        while index < bytes.count {
            if let (header, missingBytes) = frame {
                let count = min(missingBytes, bytes.count - index)
                index += count
                frame = (header, missingBytes - count)
            } else {
                partialHeader.bits = partialHeader.bits << 8 | UInt128(bytes[index])
                partialHeader.bytes += 1
                index += 1
                guard partialHeader.bytes == HTTP2FrameHeader.byteCount else { continue }
                let header = HTTP2FrameHeader(bits: partialHeader.bits)
                partialHeader = (0, 0)
                frame = (header, header.length)
                report(.frameBegan(header))
            }
            if let (header, missingBytes) = frame, missingBytes == 0 {
                frame = nil
                report(.frameEnded(header))
            }
        }
    }
}
