import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import APNsSimulator

/// The routes without a network: requests go to the responder that the server would give them to.
struct TestWeb {
    let simulation: Simulation
    private let responder: RouterResponder<WallContext>

    init(
        seed: UInt64,
        players: (any PhonePlayers)? = nil,
        runID: UUID = UUID(),
        httpHost: String = "127.0.0.1"
    ) throws {
        simulation = Simulation(
            wall: PhoneWall(catalog: try smallCatalog()),
            seed: seed,
            generator: SeededGenerator(seed: seed),
            now: { moment(0) }
        )
        let api = WallAPI(simulation: simulation, players: players, runID: runID, httpHost: httpHost)
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

    /// The first thing that an answer without an end says.
    func beginning(of path: String) async throws -> String {
        let response = try await respond(.get, path, "")
        let writer = FirstWords()
        await #expect(throws: FirstWords.Enough.self) { try await response.body.write(writer) }
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

/// Collects what a route writes.
private final class CollectedBody: ResponseBodyWriter {
    private(set) var text = ""

    func write(_ buffer: ByteBuffer) {
        text += String(buffer: buffer)
    }

    func finish(_ trailingHeaders: HTTPFields?) {}
}

/// Hears the first thing that a route writes, and hangs up.
private final class FirstWords: ResponseBodyWriter {
    struct Enough: Error {}

    private(set) var text = ""

    func write(_ buffer: ByteBuffer) throws {
        text += String(buffer: buffer)
        throw Enough()
    }

    func finish(_ trailingHeaders: HTTPFields?) {}
}
