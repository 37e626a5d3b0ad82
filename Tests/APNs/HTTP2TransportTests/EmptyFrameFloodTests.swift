import Encodings
import Testing

@testable import HTTP2Transport

/// Sessions whose peer sends frames without contents.
struct EmptyFrameFloodTests {
    private typealias Kind = HTTP2FrameHeader.Kind

    /// A frame without contents, by the name of its flood.
    private static let floods: [(String, [UInt8])] = [
        ("PRIORITY", HTTP2FrameHeader(length: 5, kind: Kind.priority, streamID: 1).bytes + [0, 0, 0, 3, 0]),
        ("empty DATA", HTTP2FrameHeader(length: 0, kind: Kind.data, streamID: 1).bytes),
        ("one-byte DATA", HTTP2FrameHeader(length: 1, kind: Kind.data, streamID: 1).bytes + [0]),
        ("empty SETTINGS", HTTP2FrameHeader(length: 0, kind: Kind.settings).bytes),
        ("unknown SETTINGS", HTTP2FrameHeader(length: 6, kind: Kind.settings).bytes + [0xaa, 0xaa, 0, 0, 0, 0]),
        ("PING", HTTP2FrameHeader(length: 8, kind: Kind.ping).bytes + [0, 0, 0, 0, 0, 0, 0, 0]),
        ("WINDOW_UPDATE", HTTP2FrameHeader(length: 4, kind: Kind.windowUpdate).bytes + [0, 0, 0, 1]),
        ("unknown", HTTP2FrameHeader(length: 0, kind: 0xfa).bytes),
    ]

    /// A preface, SETTINGS, and the headers of a request that is not complete: `POST https /`.
    private static let opening =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + HTTP2FrameHeader(length: 0, kind: Kind.settings).bytes
        + HTTP2FrameHeader(length: 3, kind: Kind.headers, flags: HTTP2FrameHeader.Flag.endHeaders, streamID: 1).bytes
        + [0x83, 0x87, 0x84]

    private let session = HTTP2Session(
        role: .server,
        settings: .init(maxConcurrentStreams: 10, windowBytes: 65_535, maxBodyBytes: 10_000)
    )

    private func receive(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try session.receive($0) }
    }

    private func sent() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try session.nextFrames(into: &bytes, threshold: 100_000)
        return bytes
    }

    @Test(arguments: floods)
    func `a thousand and one frames without contents end a session`(name: String, frame: [UInt8]) throws {
        try receive(Self.opening)
        for number in 1...EmptyFrameLimit.maxFrames {
            #expect(session.floodReason == nil, "\(name) \(number)")
            try receive(frame)
            // nghttp2 has limits of its own for responses that are not written.
            _ = try sent()
        }
        try receive(frame)
        #expect(session.floodReason != nil, "\(name)")
        // GOAWAY ends with the error code.
        #expect(try sent().suffix(4) == [0, 0, 0, UInt8(HTTP2ErrorCode.enhanceYourCalm)], "\(name)")
        #expect(!session.isActive, "\(name)")
        // Later bytes are discarded, even invalid ones.
        try receive([UInt8](repeating: 0xff, count: 1_000))
    }

    @Test func `frames without contents between those of messages end no session`() throws {
        try receive(Self.opening)
        for number in 0..<5_000 {
            try receive(Self.floods[number % 2].1)
            if number.isMultiple(of: 500) {
                let data = [UInt8](repeating: 0, count: 100)
                try receive(HTTP2FrameHeader(length: 100, kind: Kind.data, streamID: 1).bytes + data)
            }
        }
        #expect(session.floodReason == nil && session.isActive)
    }
}
