import Foundation
import NIOCore
import RangersClient
import SimulatedPlayers
import Testing

@Suite struct PlayersTransportTests {
    private func request(port: Int, silence: Duration = .seconds(60), body: Data? = nil) throws -> TransportRequest {
        TransportRequest(
            method: body == nil ? "GET" : "POST",
            url: try #require(URL(string: "http://127.0.0.1:\(port)/v1/things?after=3")),
            headers: ["Authorization": "Bearer erp_secret"],
            body: body,
            longestSilence: silence
        )
    }

    /// What a peer sees of its clients.
    private struct Sights: Sendable {
        let requests: AsyncStream<String>
        let closings: AsyncStream<Void>
    }

    /// Answers whatever comes over a connection, and keeps it until the client closes it.
    private func answering(
        _ answer: String,
        _ test: @Sendable (_ port: Int, Sights) async throws -> Void
    ) async throws {
        let (requests, request) = AsyncStream.makeStream(of: String.self)
        let (closings, closing) = AsyncStream.makeStream(of: Void.self)
        try await TCPServer.serving { connection in
            defer { closing.yield() }
            try await connection.executeThenClose { inbound, outbound in
                for try await part in inbound {
                    request.yield(String(buffer: part))
                    try await outbound.write(ByteBuffer(string: answer))
                }
            }
        } _: { port in
            try await test(port, Sights(requests: requests, closings: closings))
        }
    }

    @Test func `what is asked arrives whole, and so does the answer; a redirect is not followed`() async throws {
        let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 3\r\n\r\nyes"
        try await answering(answer) { port, sights in
            let answer = try await PlayersTransport().send(request(port: port, body: Data("{}".utf8)))
            #expect(answer.status == 307 && answer.header("LOCATION") == "/elsewhere")
            #expect(try await answer.body.reduce(into: Data()) { $0 += $1 } == Data("yes".utf8))
            var asked = ""
            for await part in sights.requests {
                asked += part
                if asked.hasSuffix("}") { break }
            }
            #expect(asked.hasPrefix("POST /v1/things?after=3 HTTP/1.1\r\n") && asked.hasSuffix("\r\n\r\n{}"))
            #expect(asked.contains("Authorization: Bearer erp_secret\r\n"))
        }
    }

    @Test func `who is not heard for too long counts as gone, before an answer and in the middle of it`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"] {
            try await answering(head) { port, sights in
                await #expect(throws: (any Error).self) {
                    let answer = try await PlayersTransport().send(request(port: port, silence: .milliseconds(200)))
                    for try await _ in answer.body {}
                }
                #expect(await sights.closings.first { true } != nil)
            }
        }
    }

    @Test func `who is cancelled ends the request, before its answer and in the middle of it`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"] {
            try await answering(head) { port, sights in
                let task = Task {
                    let answer = try await PlayersTransport().send(request(port: port))
                    for try await _ in answer.body {}
                    try Task.checkCancellation()
                }
                _ = await sights.requests.first { _ in true }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(await sights.closings.first { true } != nil)
            }
        }
    }

    @Test func `who lets go of an answer ends the request`() async throws {
        try await answering("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{") { port, sights in
            let status = try await PlayersTransport().send(request(port: port)).status
            #expect(status == 200)
            #expect(await sights.closings.first { true } != nil)
        }
    }

    @Test func `a port where nobody listens is unreachable at once`() async throws {
        await #expect(throws: (any Error).self) { _ = try await PlayersTransport().send(request(port: 1)) }
    }
}
