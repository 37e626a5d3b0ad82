import Foundation

@testable import APNsClient
@testable import HTTP2Transport

/// The entry point of libFuzzer, called once for each input; `deploy/fuzz` builds and runs it.
///
/// A client's HTTP/2 session receives the bytes as if from a peer, and the responses are read as those of APNs. Nothing
/// may trap, leak or hang, and no stream may end twice.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard input.count > 2 else { return 0 }
    let data = input[2...]
    // Arbitrary bytes alone hardly ever pass the first frame.
    let received =
        switch input[0] % 3 {
        case 0: Array(data)
        case 1: Conversation.edited(by: data)
        default: Conversation.bytes(respondingWith: data)
        }
    FuzzedClient().receive(received, pieceBytes: Int(input[1]) + 1)
    return 0
}

/// The client side of a connection with three requests in flight, without a socket.
private final class FuzzedClient {
    static let requests = 3

    private static let settings = HTTP2Session.Settings(
        maxConcurrentStreams: 0,
        windowBytes: 1024 * 1024,
        maxBodyBytes: 64 * 1024
    )

    private let session = HTTP2Session(role: .client, settings: settings)
    private var machine = HTTP2ConnectionMachine(
        limits: .init(maxConcurrentStreams: 1000, pingAfter: .seconds(60), pingTimeout: .seconds(10)),
        now: .now,
        connectTimeout: .seconds(10)
    )
    private var open: Set<Int32> = []
    private var responded: Set<Int32> = []

    init() {
        for number in 0..<Self.requests {
            let headers = [
                HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "https"), HTTP2Header(":authority", "apns"),
                HTTP2Header(":path", "/3/device/\(number)", isIndexed: false),
            ]
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
            let exchange = HTTP2Exchange(sending: HTTP2SentMessage(first: HTTP2Headers(headers), body: body))
            if session.submitRequest(exchange) { open.insert(exchange.streamID) }
        }
    }

    /// Returns the bytes that the client sends.
    func output() -> [UInt8] {
        var output: [UInt8] = []
        // A failed session sends nothing.
        try? session.nextFrames(into: &output, threshold: 1024 * 1024)
        return output
    }

    /// Receives bytes in pieces, as from TCP.
    func receive(_ bytes: [UInt8], pieceBytes: Int) {
        _ = output()
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            do throws(HTTP2Session.Failure) {
                let piece = Array(bytes[start..<min(start + pieceBytes, bytes.count)])
                try receive(piece)
            } catch {
                return
            }
            handleEvents()
            _ = output()
            handleEvents()
        }
    }

    private func receive(_ piece: [UInt8]) throws(HTTP2Session.Failure) {
        let result: Result<Void, HTTP2Session.Failure> = piece.withUnsafeBytes { buffer in
            Result { () throws(HTTP2Session.Failure) in try session.receive(buffer) }
        }
        try result.get()
    }

    private func handleEvents() {
        var events: [HTTP2SessionEvent] = []
        session.takeEvents(into: &events)
        for event in events {
            switch event {
            case .settingsReceived(let maxConcurrentStreams):
                _ = machine.settingsReceived(maxConcurrentStreams: maxConcurrentStreams)
                precondition(machine.availableStreams >= 0, "the number of available streams is negative")
            case .messageReceived(let exchange):
                precondition(open.contains(exchange.streamID), "a response on a stream that is not open")
                precondition(responded.insert(exchange.streamID).inserted, "two responses on one stream")
                read(exchange)
            case .streamClosed(let exchange, _):
                precondition(open.remove(exchange.streamID) != nil, "two ends of one stream")
                if exchange.isComplete { read(exchange) }
            case .goAwayReceived(let errorCode, let debugData):
                _ = machine.drain(.goAway(errorCode: errorCode, debugData: String(decoding: debugData, as: UTF8.self)))
            }
        }
    }

    private func read(_ exchange: HTTP2Exchange) {
        guard let response = exchange.takeResponse() else { return }
        guard case .rejected(let rejection) = APNsOutcome(.outcome(.response(response)), for: UUID(), at: 0) else {
            return
        }
        _ = rejection.reaction
        precondition((rejection.retryAfterSeconds ?? 0) <= 3600, "Retry-After exceeds an hour")
    }
}

/// The bytes of a correct server in response to the client's requests.
private enum Conversation {
    private static let usual = bytes { number in
        number == 0
            ? HTTP2Response(status: 200, headers: [HTTP2Header("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")])
            : HTTP2Response(
                status: 410,
                headers: [HTTP2Header("content-type", "application/json"), HTTP2Header("retry-after", "7")],
                body: Array(#"{"reason":"Unregistered","timestamp":1700000000123}"#.utf8)
            )
    }

    /// Returns the usual responses with replaced bytes; each edit has a position in two bytes and a value.
    static func edited(by edits: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = usual
        var edits = edits
        while edits.count >= 3 {
            let edit = Array(edits.prefix(3))
            edits = edits.dropFirst(3)
            bytes[(Int(edit[0]) << 8 | Int(edit[1])) % bytes.count] = edit[2]
        }
        return bytes
    }

    /// Returns a response with the status, fields and body of the input, line by line.
    static func bytes(respondingWith input: ArraySlice<UInt8>) -> [UInt8] {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        func line(_ index: Int) -> String { lines.indices.contains(index) ? lines[index] : "" }
        let isField = (line(1) + line(2)).utf8.allSatisfy { (0x20...0x7E).contains($0) }
        let headers = [HTTP2Header("retry-after", line(1)), HTTP2Header("apns-id", line(2))]
        return bytes { _ in
            HTTP2Response(
                status: 200 + (Int(line(0)) ?? 0).magnitude.asStatusOffset,
                headers: isField ? headers : [],
                body: Array(line(3).utf8)
            )
        }
    }

    private static func bytes(respondingWith response: (Int) -> HTTP2Response) -> [UInt8] {
        let server = HTTP2Session(
            role: .server,
            settings: .init(maxConcurrentStreams: 1000, windowBytes: 1024 * 1024, maxBodyBytes: 1024 * 1024)
        )
        let requests = FuzzedClient().output()
        requests.withUnsafeBytes { buffer in
            // These bytes of our client are valid.
            try? server.receive(buffer)
        }
        var number = 0
        var events: [HTTP2SessionEvent] = []
        server.takeEvents(into: &events)
        for case .messageReceived(let exchange) in events {
            server.submitResponse(response(number), on: exchange.streamID)
            number += 1
        }
        var bytes: [UInt8] = []
        try? server.nextFrames(into: &bytes, threshold: 1024 * 1024)
        return bytes
    }
}

extension UInt {
    /// The offset of a status from 200, up to 599.
    fileprivate var asStatusOffset: Int { Int(self % 400) }
}
