import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded

@testable import APNsSimulator

/// The routes without a network: requests go to the responder that the server would give them to.
struct TestWeb {
    let simulation: Simulation
    private let responder: RouterResponder<WallContext>

    init(seed: UInt64) throws {
        simulation = Simulation(
            wall: PhoneWall(catalog: try smallCatalog()),
            seed: seed,
            generator: SeededGenerator(seed: seed),
            now: { moment(0) }
        )
        responder = WallAPI(simulation: simulation).router().buildResponder()
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = ""
    ) async throws -> (status: Int, type: String?, body: String) {
        let head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let channel = EmbeddedChannel()
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        let response = try await responder.respond(to: request, context: WallContext(source: source))
        let writer = CollectedBody()
        try await response.body.write(writer)
        return (response.status.code, response.headers[.contentType], writer.text)
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
