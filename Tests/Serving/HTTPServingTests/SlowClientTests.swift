import GameTestSupport
import HTTPServing
import TestSupport
import Testing

@Suite struct SlowClientTests {
    /// A timeout that a fast client does not exceed, even on a busy machine.
    private static let short = Duration.seconds(1)

    @Test func `incomplete headers get 408, and the connection is closed`() async throws {
        try await TestServer.with(ServingLimits(headerTimeout: Self.short)) { server in
            let response = try await retryUnheard(by: server) { client in
                try await client.send("GET /healthz HTTP/1.1", "Host: rangers")
                return try await client.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
            #expect(response.contains("\r\nContent-Type: application/problem+json\r\n"))
            #expect(response.contains("\r\nConnection: close\r\n"))
            #expect(response.contains("\"urn:emoji-rangers:problem:request-too-slow\""))
            let id = try #require(response.firstMatch(of: /\r\nX-Request-Id: (.+)\r\n/)).output.1
            let line = try #require(server.logs.requests.first { $0["request-id"] == String(id) })
            #expect(line["status"] == "408")
        }
    }

    /// Runs a client over a new connection.
    ///
    /// The server closes a connection on which nothing arrives in time, without a response. On a busy machine that happens
    /// before the client has sent anything, and the client tries again.
    /// - Returns: what the client has received.
    private func retryUnheard(
        by server: TestServer,
        _ client: (inout RawConnection) async throws -> String
    ) async throws -> String {
        for _ in 0..<60 {
            do {
                let received = try await RawConnection.open(server.port, client)
                if !received.isEmpty { return received }
            } catch is RawConnection.ClosedError {
                continue
            }
        }
        return ""
    }

    @Test func `incomplete headers of a second request get 408`() async throws {
        try await TestServer.with(ServingLimits(headerTimeout: Self.short)) { server in
            let response = try await retryUnheard(by: server) { client in
                try await client.send("GET /healthz HTTP/1.1", "Host: rangers", "")
                #expect(try await client.read(through: "{\"status\":\"ok\"}").hasPrefix("HTTP/1.1 200 OK\r\n"))
                try await client.send("GET /healthz HTTP/1.1")
                return try await client.readToEnd()
            }
            #expect(response.hasPrefix("HTTP/1.1 408 "))
        }
    }

    @Test func `an incomplete body gets 408, and the connection is closed`() async throws {
        try await TestServer.with(ServingLimits(bodyTimeout: Self.short)) { server in
            try await RawConnection.open(server.port) { client in
                try await client.send(
                    "POST /bodies HTTP/1.1",
                    "Host: rangers",
                    "X-Request-Id: slow-1",
                    "Content-Type: application/json",
                    "Content-Length: 50",
                    "",
                    "{"
                )
                let response = try await client.readToEnd()
                #expect(response.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
                #expect(response.contains("\r\nX-Request-Id: slow-1\r\n"))
                #expect(response.contains("\r\nConnection: close\r\n"))
                #expect(response.contains("\"urn:emoji-rangers:problem:request-too-slow\""))
            }
        }
    }

    @Test func `the body timeout also applies to a body that no route reads`() async throws {
        try await TestServer.with(ServingLimits(bodyTimeout: Self.short)) { server in
            try await RawConnection.open(server.port) { client in
                try await client.send("POST /nowhere HTTP/1.1", "Host: rangers", "Content-Length: 50", "", "{")
                #expect(try await client.readToEnd().hasPrefix("HTTP/1.1 404 "))
            }
        }
    }

    @Test func `an idle connection is closed without a response, with or without earlier requests`() async throws {
        let limits = ServingLimits(headerTimeout: Self.short, idleTimeout: Self.short)
        try await TestServer.with(limits) { server in
            try await RawConnection.open(server.port) { client in
                let received = try await client.readToEnd()
                #expect(received.isEmpty)
            }
            let response = try await retryUnheard(by: server) { client in
                try await client.send("GET /healthz HTTP/1.1", "Host: rangers", "")
                return try await client.readToEnd()
            }
            #expect(response.hasSuffix("{\"status\":\"ok\"}"))
        }
    }

    /// The server accepts the second client only after the first connection has closed.
    @Test func `a client that does not read its responses is disconnected, and another is accepted`() async throws {
        try await TestServer.with(ServingLimits(sendTimeout: Self.short, maxConnections: 1)) { server in
            try await RawConnection.open(server.port) { client in
                let request = "GET /large HTTP/1.1\r\nHost: rangers\r\n\r\n"
                // More than all buffers between client and server hold.
                try await client.send(text: String(repeating: request, count: 200))
                try await RawConnection.open(server.port) { other in
                    try await other.send("GET /healthz HTTP/1.1", "Host: rangers", "Connection: close", "")
                    #expect(try await other.readToEnd().hasSuffix("{\"status\":\"ok\"}"))
                }
            }
        }
    }

    @Test func `no connections beyond the maximum are accepted`() async throws {
        try await TestServer.with(ServingLimits(maxConnections: 2)) { server in
            try await RawConnection.open(server.port) { first in
                try await RawConnection.open(server.port) { second in
                    for client in [first, second] {
                        try await client.send("GET /healthz HTTP/1.1", "Host: rangers", "")
                    }
                    _ = try await first.read(through: "{\"status\":\"ok\"}")
                    _ = try await second.read(through: "{\"status\":\"ok\"}")
                    try await withThrowingTaskGroup { group in
                        group.addTask {
                            try await RawConnection.open(server.port) { third in
                                try await third.send(
                                    "GET /healthz HTTP/1.1",
                                    "Host: rangers",
                                    "X-Request-Id: third",
                                    ""
                                )
                                _ = try await third.read(through: "{\"status\":\"ok\"}")
                            }
                        }
                        // Another round trip of an accepted client shows that the third was not accepted before.
                        try await first.send("GET /healthz HTTP/1.1", "Host: rangers", "Connection: close", "")
                        _ = try await first.readToEnd()
                        try await group.waitForAll()
                    }
                    #expect(server.logs.requests.last?["request-id"] == "third")
                }
            }
        }
    }
}
