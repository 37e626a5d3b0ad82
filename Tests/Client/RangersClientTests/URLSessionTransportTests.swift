import Foundation
import GameCore
import NIOCore
import RangersClient
import Synchronization
import Testing

@Suite struct URLSessionTransportTests {
    private static let configuration = RangersConfiguration(retryPolicy: .never)

    private func player(port: Int) -> PlayerClient {
        RangersServer(at: localhost(port), configuration: Self.configuration).player(with: PlayerToken("erp_secret"))
    }

    /// Runs a test with a server that responds to the first request of each connection with some bytes and closes it.
    private func responding(
        _ response: String,
        _ test: @Sendable (_ port: Int, _ requests: () -> [String]) async throws -> Void
    ) async throws {
        let requests = Mutex<[String]>([])
        try await TCPServer.serving { connection in
            try await connection.executeThenClose { inbound, outbound in
                for try await request in inbound {
                    requests.withLock { $0.append(String(buffer: request)) }
                    try await outbound.write(ByteBuffer(string: response))
                    return
                }
            }
        } _: { port in
            try await test(port) { requests.withLock(\.self) }
        }
    }

    @Test func `a redirect is not followed, so that the token stays with its server`() async throws {
        let response = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
        try await responding(response) { port, requests in
            let error = await #expect(throws: RangersError.self) { try await player(port: port).parties() }
            guard case .problem(let problem) = error else { throw try #require(error) }
            #expect(problem.status == 307)
            #expect(requests().count == 1)
            #expect(requests()[0].hasPrefix("GET /v1/players/me/parties HTTP/1.1\r\n"))
        }
    }

    @Test func `a truncated response is an error`() async throws {
        try await responding("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"parties\": []}") { port, _ in
            let error = await #expect(throws: RangersError.self) { try await player(port: port).parties() }
            guard case .unreachable = error else { throw try #require(error) }
        }
    }

    @Test func `a port without a listener is unreachable`() async throws {
        let error = await #expect(throws: RangersError.self) { try await player(port: 1).parties() }
        guard case .unreachable = error else { throw try #require(error) }
    }

    @Test func `cancellation ends the request, before its response and in the middle of it`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"] {
            let (events, event) = AsyncStream.makeStream(of: String.self)
            try await TCPServer.serving { connection in
                try await connection.executeThenClose { inbound, outbound in
                    defer { event.yield("closed") }
                    var hasResponded = false
                    for try await _ in inbound where !hasResponded {
                        hasResponded = true
                        try await outbound.write(ByteBuffer(string: head))
                        event.yield("requested")
                    }
                }
            } _: { port in
                let task = Task { try await player(port: port).parties() }
                var seen = events.makeAsyncIterator()
                #expect(await seen.next() == "requested")
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
                #expect(await seen.next() == "closed")
            }
        }
    }

    // With a shared connection, a request could meet one that the server is about to close.
    @Test func `requests with a body share no connection, even with a server that keeps it open`() async throws {
        let requests = Mutex<[[String]]>([])
        try await TCPServer.serving { connection in
            let number = requests.withLock { requests in
                requests.append([])
                return requests.count - 1
            }
            try await connection.executeThenClose { inbound, outbound in
                for try await part in inbound {
                    let text = String(buffer: part)
                    requests.withLock { $0[number].append(text) }
                    guard text.hasSuffix("}") else { continue }
                    try await outbound.write(ByteBuffer(string: "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"))
                }
            }
        } _: { port in
            let player = player(port: port)
            for _ in 0..<4 {
                await #expect(throws: RangersError.self) { _ = try await player.join("ABCDEFGH") }
            }
        }
        let bodies = requests.withLock { $0.map { $0.joined().split(separator: "\r\n\r\n").dropFirst().joined() } }
        #expect(bodies == Array(repeating: #"{"inviteCode":"ABCDEFGH"}"#, count: 4))
    }

    @Test func `concurrent requests share one transport`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask { try await ada.profile().playerID }
                }
                for try await playerID in group { #expect(playerID == id) }
            }
        }
    }
}
