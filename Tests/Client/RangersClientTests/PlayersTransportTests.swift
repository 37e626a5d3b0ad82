import Foundation
import NIOCore
import RangersClient
import SimulatedPlayers
import Testing

@Suite struct PlayersTransportTests {
    private func request(port: Int, idleTimeout: Duration = .seconds(60), body: Data? = nil) throws -> TransportRequest
    {
        TransportRequest(
            method: body == nil ? "GET" : "POST",
            url: try #require(URL(string: "http://127.0.0.1:\(port)/v1/things?after=3")),
            headers: ["Authorization": "Bearer erp_secret"],
            body: body,
            idleTimeout: idleTimeout
        )
    }

    /// The requests and the closed connections that a server sees.
    private struct Observations: Sendable {
        let requests: AsyncStream<String>
        let closings: AsyncStream<Void>
    }

    /// Runs a test with a server that responds to any data with a fixed text and keeps connections open.
    private func responding(
        _ response: String,
        _ test: @Sendable (_ port: Int, Observations) async throws -> Void
    ) async throws {
        let (requests, request) = AsyncStream.makeStream(of: String.self)
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        try await TCPServer.serving { connection in
            defer { closing.yield() }
            try await connection.executeThenClose { inbound, outbound in
                for try await part in inbound {
                    request.yield(String(buffer: part))
                    try await outbound.write(ByteBuffer(string: response))
                }
            }
        } _: { port in
            try await test(port, Observations(requests: requests, closings: closings))
        }
    }

    @Test func `request and response arrive unchanged, and a redirect is not followed`() async throws {
        let bytes = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 3\r\n\r\nyes"
        try await responding(bytes) { port, observed in
            let response = try await PlayersTransport().send(request(port: port, body: Data("{}".utf8)))
            #expect(response.status == 307 && response.header("LOCATION") == "/elsewhere")
            #expect(try await response.body.reduce(into: Data()) { $0 += $1 } == Data("yes".utf8))
            var received = ""
            for await part in observed.requests {
                received += part
                if received.hasSuffix("}") { break }
            }
            #expect(received.hasPrefix("POST /v1/things?after=3 HTTP/1.1\r\n") && received.hasSuffix("\r\n\r\n{}"))
            #expect(received.contains("Authorization: Bearer erp_secret\r\n"))
        }
    }

    @Test func `the idle timeout applies before a response and in the middle of it`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"] {
            try await responding(head) { port, observed in
                await #expect(throws: (any Error).self) {
                    let response = try await PlayersTransport().send(
                        request(port: port, idleTimeout: .milliseconds(200))
                    )
                    for try await _ in response.body {}
                }
                #expect(await observed.closings.first { true } != nil)
            }
        }
    }

    @Test func `cancellation ends the request, before its response and in the middle of it`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"] {
            try await responding(head) { port, observed in
                let task = Task {
                    let response = try await PlayersTransport().send(request(port: port))
                    for try await _ in response.body {}
                    try Task.checkCancellation()
                }
                _ = await observed.requests.first { _ in true }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(await observed.closings.first { true } != nil)
            }
        }
    }

    @Test func `dropping the response ends the request`() async throws {
        try await responding("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{") { port, observed in
            let status = try await PlayersTransport().send(request(port: port)).status
            #expect(status == 200)
            #expect(await observed.closings.first { true } != nil)
        }
    }

    @Test func `a port without a listener fails at once`() async throws {
        await #expect(throws: (any Error).self) { _ = try await PlayersTransport().send(request(port: 1)) }
    }
}
