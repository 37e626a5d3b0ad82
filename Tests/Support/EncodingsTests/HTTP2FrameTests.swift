import Encodings
import Testing

@Suite struct HTTP2FrameTests {
    private typealias Kind = HTTP2FrameHeader.Kind

    private static let frames = [
        HTTP2FrameHeader(length: 0, kind: Kind.settings),
        HTTP2FrameHeader(length: 70_000, kind: Kind.headers, flags: 5, streamID: 0x7fff_ffff),
        HTTP2FrameHeader(length: 1, kind: Kind.data, streamID: 1),
        HTTP2FrameHeader(length: 8, kind: 0xfa),
    ]

    @Test(arguments: [1, 2, 9, 10, 33, 1_000_000])
    func `frames are read from pieces of any size`(pieceBytes: Int) {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        let bytes = preface + Self.frames.flatMap { $0.bytes + [UInt8](repeating: 0xff, count: $0.length) }
        var reader = HTTP2FrameReader(expectsPreface: true)
        var events: [HTTP2FrameReader.Event] = []
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            #expect(reader.isWithinUnit || start >= preface.count)
            bytes[start..<min(bytes.count, start + pieceBytes)].withUnsafeBytes { piece in
                reader.read(piece) { events.append($0) }
            }
        }
        #expect(events == [.prefaceEnded] + Self.frames.flatMap { [.frameBegan($0), .frameEnded($0)] })
        #expect(!reader.isWithinUnit && reader.currentFrame == nil)
    }

    /// Returns whether the limit is exceeded by a number of frames, taken in turn, at a moment.
    private func exceeds(
        _ limit: inout EmptyFrameLimit,
        _ frames: [HTTP2FrameHeader],
        count: Int,
        at now: ContinuousClock.Instant
    ) -> Bool {
        var isExceeded = false
        for number in 0..<count where limit.received(frames[number % frames.count], at: now) { isExceeded = true }
        return isExceeded
    }

    @Test func `more than a thousand frames without contents in a row exceed the limit`() {
        let start = ContinuousClock.now
        var limit = EmptyFrameLimit()
        let empty = [
            HTTP2FrameHeader(length: 5, kind: Kind.priority, streamID: 1), HTTP2FrameHeader(length: 0, kind: Kind.data),
            HTTP2FrameHeader(length: 9, kind: Kind.data, flags: HTTP2FrameHeader.Flag.padded),
            HTTP2FrameHeader(length: 8, kind: Kind.ping), HTTP2FrameHeader(length: 4, kind: 0xfa),
        ]
        var isExceeded = exceeds(&limit, empty, count: 1_000, at: start)
        #expect(!isExceeded)
        var useful = limit
        isExceeded = exceeds(&limit, empty, count: 1, at: start + .seconds(59))
        #expect(isExceeded)
        isExceeded = exceeds(&useful, [HTTP2FrameHeader(length: 100, kind: Kind.data)], count: 1, at: start)
        #expect(!isExceeded)
        isExceeded = exceeds(&useful, empty, count: 1_000, at: start)
        #expect(!isExceeded)
        isExceeded = exceeds(&useful, empty, count: 1, at: start)
        #expect(isExceeded)
    }

    @Test func `a PING a minute never exceeds the limit`() {
        let start = ContinuousClock.now
        var limit = EmptyFrameLimit()
        let ping = [HTTP2FrameHeader(length: 8, kind: Kind.ping)]
        let minutes = (0..<10_000).filter { exceeds(&limit, ping, count: 1, at: start + .seconds(60 * $0)) }
        #expect(minutes.isEmpty)
    }
}
