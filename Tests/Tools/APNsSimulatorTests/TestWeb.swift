import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import APNsSimulator

/// The routes without a network: requests go directly to the responder.
struct TestWeb {
    let simulator: SimulatorState
    private let responder: RouterResponder<WallContext>

    init(
        seed: UInt64,
        players: (any PhonePlayers)? = nil,
        runID: UUID = UUID(),
        httpHost: String = "127.0.0.1"
    ) throws {
        simulator = SimulatorState(
            wall: PhoneWall(catalog: try smallCatalog()),
            seed: seed,
            generator: SplitMix64(seed: seed),
            now: { moment(0) }
        )
        let api = WallAPI(simulator: simulator, players: players, runID: runID, httpHost: httpHost)
        responder = api.router().buildResponder()
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = "",
        host: String = "localhost",
        origin: String? = nil
    ) async throws -> (status: Int, type: String?, body: String) {
        let response = try await respond(method, path, body, host: host, origin: origin)
        let writer = CollectedBody()
        try await response.body.write(writer)
        return (response.status.code, response.headers[.contentType], writer.text)
    }

    /// Returns the first chunk of an endless response.
    func firstChunk(of path: String) async throws -> String {
        let response = try await respond(.get, path, "")
        let writer = FirstChunk()
        await #expect(throws: FirstChunk.Received.self) { try await response.body.write(writer) }
        return writer.text
    }

    private func respond(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String,
        host: String = "localhost",
        origin: String? = nil
    ) async throws -> Response {
        var head = HTTPRequest(method: method, scheme: "http", authority: host, path: path)
        head.headerFields[.origin] = origin
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let channel = NIOAsyncTestingChannel()
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        return try await responder.respond(to: request, context: WallContext(source: source))
    }
}

/// Collects a response's body.
private final class CollectedBody: ResponseBodyWriter {
    private(set) var text = ""

    func write(_ buffer: ByteBuffer) {
        text += String(buffer: buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) {}
}

/// Collects the first chunk of a response's body and then disconnects.
private final class FirstChunk: ResponseBodyWriter {
    struct Received: Error {}

    private(set) var text = ""

    func write(_ buffer: ByteBuffer) throws {
        text += String(buffer: buffer)
        throw Received()
    }

    func finish(_ trailingHeaders: HTTPFields?) {}
}
