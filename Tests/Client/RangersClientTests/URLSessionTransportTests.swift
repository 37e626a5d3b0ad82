import Foundation
import GameCore
import NIOCore
import RangersClient
import Synchronization
import Testing

@Suite struct URLSessionTransportTests {
    private static let patience = RangersConfiguration(retryPolicy: .never)

    private func player(port: Int) -> PlayerClient {
        RangersServer(at: localhost(port), configuration: Self.patience).player(with: PlayerToken("erp_secret"))
    }

    /// Answers each connection's first request with some bytes, and closes it.
    private func answering(
        _ answer: String,
        _ test: @Sendable (_ port: Int, _ requests: () -> [String]) async throws -> Void
    ) async throws {
        let requests = Mutex<[String]>([])
        try await TCPServer.serving { connection in
            try await connection.executeThenClose { inbound, outbound in
                for try await request in inbound {
                    requests.withLock { $0.append(String(buffer: request)) }
                    try await outbound.write(ByteBuffer(string: answer))
                    return
                }
            }
        } _: { port in
            try await test(port) { requests.withLock(\.self) }
        }
    }

    @Test func `a redirect is not followed, so that the token goes nowhere else`() async throws {
        let answer = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
        try await answering(answer) { port, requests in
            let error = await #expect(throws: RangersError.self) { try await player(port: port).parties() }
            guard case .problem(let problem) = error else { throw try #require(error) }
            #expect(problem.status == 307)
            #expect(requests().count == 1)
            #expect(requests()[0].hasPrefix("GET /v1/players/me/parties HTTP/1.1\r\n"))
        }
    }

    @Test func `an answer that breaks off is none`() async throws {
        try await answering("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"parties\": []}") { port, _ in
            let error = await #expect(throws: RangersError.self) { try await player(port: port).parties() }
            guard case .unreachable = error else { throw try #require(error) }
        }
    }

    @Test func `a port where nobody listens is unreachable`() async throws {
        let error = await #expect(throws: RangersError.self) { try await player(port: 1).parties() }
        guard case .unreachable = error else { throw try #require(error) }
    }

    @Test func `who is cancelled ends the request, before its answer and in the middle of it`() async throws {
        for head in ["", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"] {
            let (events, event) = AsyncStream.makeStream(of: String.self)
            try await TCPServer.serving { connection in
                try await connection.executeThenClose { inbound, outbound in
                    defer { event.yield("closed") }
                    var hasAnswered = false
                    for try await _ in inbound where !hasAnswered {
                        hasAnswered = true
                        try await outbound.write(ByteBuffer(string: head))
                        event.yield("asked")
                    }
                }
            } _: { port in
                let task = Task { try await player(port: port).parties() }
                var seen = events.makeAsyncIterator()
                #expect(await seen.next() == "asked")
                task.cancel()
                await #expect(throws: CancellationError.self) { _ = try await task.value }
                #expect(await seen.next() == "closed")
            }
        }
    }

    // Where they shared one, a connection that the server is about to close could be taken for the next request.
    @Test func `requests with a body share no connection, even if the server would keep it`() async throws {
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

    @Test func `many requests at once share one transport`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask { try await ada.profile().playerID }
                }
                for try await answer in group { #expect(answer == id) }
            }
        }
    }
}
