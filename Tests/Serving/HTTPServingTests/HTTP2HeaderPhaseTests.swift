import Encodings
import Testing

@testable import HTTPServing

@Suite struct HTTP2HeaderPhaseTests {
    private typealias Kind = HTTP2FrameHeader.Kind

    private static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    private static let endHeaders = HTTP2FrameHeader.Flag.endHeaders

    private static func frame(_ kind: UInt8, _ flags: UInt8 = 0, bytes: Int = 10) -> [UInt8] {
        HTTP2FrameHeader(length: bytes, kind: kind, flags: flags, streamID: 1).bytes
            + [UInt8](repeating: 0, count: bytes)
    }

    private func progress(_ pieces: [UInt8]...) -> [HTTP2HeaderPhase.Progress] {
        var phase = HTTP2HeaderPhase()
        return pieces.map { piece in piece.withUnsafeBytes { bytes in phase.read(bytes) { _ in } } }
    }

    @Test func `the preface is pending from the beginning`() {
        let preface = Self.preface
        #expect(progress([], Array(preface[..<23]), Array(preface[23...])) == [.pending, .pending, .complete])
    }

    @Test func `headers end with the frame that says so`() {
        let headers = Self.frame(Kind.headers)
        #expect(
            progress(
                Self.preface + headers[..<3],
                Array(headers[3..<12]),
                Array(headers[12...]),
                Self.frame(Kind.continuation),
                Self.frame(Kind.continuation, Self.endHeaders)
            ) == [.began, .pending, .pending, .pending, .complete]
        )
    }

    @Test func `headers that begin after others have ended have a time of their own`() {
        let headers = Self.frame(Kind.headers, Self.endHeaders)
        #expect(
            progress(Self.preface, Array(headers[..<5]), Array(headers[5...] + headers[..<5]), Array(headers[5...]))
                == [.complete, .began, .began, .complete]
        )
    }

    @Test func `a part of DATA is not pending, and that of another frame is`() {
        let data = Self.frame(Kind.data)
        let ping = Self.frame(Kind.ping, bytes: 8)
        #expect(
            progress(Self.preface + data[..<12], Array(data[12...] + data[..<8]), Array(data[8...] + ping[..<15]))
                == [.complete, .began, .began]
        )
    }
}
