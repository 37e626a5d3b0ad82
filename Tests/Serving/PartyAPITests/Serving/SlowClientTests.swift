import JSONCoding
import PartyAPI
import PostgresClient
import Testing

@Suite struct SlowClientTests {
    /// Long enough for a client that is in time, on a busy machine too.
    private static let short = Duration.seconds(1)

    @Test func `headers that do not end are answered 408, and the connection is closed`() async throws {
        try await ServedAPI.with(ServingLimits(headerTimeout: Self.short)) { api in
            try await RawConnection.open(api.port) { client in
                try await client.send("GET /healthz HTTP/1.1", "Host: rangers")
                let answer = try await client.rest()
                #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
                #expect(answer.contains("\r\nContent-Type: application/problem+json\r\n"))
                #expect(answer.contains("\r\nConnection: close\r\n"))
                #expect(answer.contains("\"urn:emoji-rangers:problem:request-too-slow\""))
                let id = try #require(answer.firstMatch(of: /\r\nX-Request-Id: (.+)\r\n/)).output.1
                let line = try #require(api.logs.requests.first { $0["request-id"] == String(id) })
                #expect(line["status"] == "408")
            }
        }
    }

    @Test func `so are those of a second request`() async throws {
        try await ServedAPI.with(ServingLimits(headerTimeout: Self.short)) { api in
            try await RawConnection.open(api.port) { client in
                try await client.send("GET /healthz HTTP/1.1", "Host: rangers", "")
                #expect(try await client.read(through: "{\"status\":\"ok\"}").hasPrefix("HTTP/1.1 200 OK\r\n"))
                try await client.send("GET /healthz HTTP/1.1")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 408 "))
            }
        }
    }

    @Test func `a body that does not end is answered 408, and the connection is closed`() async throws {
        try await ServedAPI.with(ServingLimits(bodyTimeout: Self.short)) { api in
            try await RawConnection.open(api.port) { client in
                try await client.send(
                    "POST /v1/players HTTP/1.1",
                    "Host: rangers",
                    "X-Request-Id: slow-1",
                    "Content-Type: application/json",
                    "Content-Length: 50",
                    "",
                    "{"
                )
                let answer = try await client.rest()
                #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
                #expect(answer.contains("\r\nX-Request-Id: slow-1\r\n"))
                #expect(answer.contains("\r\nConnection: close\r\n"))
                #expect(answer.contains("\"urn:emoji-rangers:problem:request-too-slow\""))
            }
        }
    }

    @Test func `a body that nobody wants has no more time than others`() async throws {
        try await ServedAPI.with(ServingLimits(bodyTimeout: Self.short)) { api in
            try await RawConnection.open(api.port) { client in
                try await client.send("POST /nowhere HTTP/1.1", "Host: rangers", "Content-Length: 50", "", "{")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 404 "))
            }
        }
    }

    @Test func `who asks for nothing any more, or never did, is closed without a word`() async throws {
        let limits = ServingLimits(headerTimeout: Self.short, idleTimeout: Self.short)
        try await ServedAPI.with(limits) { api in
            try await RawConnection.open(api.port) { client in
                let heard = try await client.rest()
                #expect(heard.isEmpty)
            }
            try await RawConnection.open(api.port) { client in
                try await client.send("GET /healthz HTTP/1.1", "Host: rangers", "")
                #expect(try await client.rest().hasSuffix("{\"status\":\"ok\"}"))
            }
        }
    }

    /// The second client is accepted only when the first has gone.
    @Test func `who does not read its answers is closed, and makes room for another`() async throws {
        try await ServedAPI.with(ServingLimits(answerTimeout: Self.short, connections: 1)) { api in
            try await RawConnection.open(api.port) { client in
                let request = "GET /openapi.yaml HTTP/1.1\r\nHost: rangers\r\n\r\n"
                // More than all the buffers on the way hold together.
                try await client.send(text: String(repeating: request, count: 200))
                try await RawConnection.open(api.port) { other in
                    try await other.send("GET /healthz HTTP/1.1", "Host: rangers", "Connection: close", "")
                    #expect(try await other.rest().hasSuffix("{\"status\":\"ok\"}"))
                }
            }
        }
    }

    @Test func `no more connections are accepted than there may be`() async throws {
        try await ServedAPI.with(ServingLimits(connections: 2)) { api in
            try await RawConnection.open(api.port) { first in
                try await RawConnection.open(api.port) { second in
                    for client in [first, second] {
                        try await client.send("GET /healthz HTTP/1.1", "Host: rangers", "")
                    }
                    _ = try await first.read(through: "{\"status\":\"ok\"}")
                    _ = try await second.read(through: "{\"status\":\"ok\"}")
                    try await withThrowingTaskGroup { group in
                        group.addTask {
                            try await RawConnection.open(api.port) { third in
                                try await third.send(
                                    "GET /healthz HTTP/1.1",
                                    "Host: rangers",
                                    "X-Request-Id: third",
                                    ""
                                )
                                _ = try await third.read(through: "{\"status\":\"ok\"}")
                            }
                        }
                        // One more round trip of those who are in: the third is not before them.
                        try await first.send("GET /healthz HTTP/1.1", "Host: rangers", "Connection: close", "")
                        _ = try await first.rest()
                        try await group.waitForAll()
                    }
                    #expect(api.logs.requests.last?["request-id"] == "third")
                }
            }
        }
    }

    @Test func `a stream outlives every time that requests have`() async throws {
        let limits = ServingLimits(
            bodyTimeout: Self.short,
            requestTimeout: .seconds(2),
            answerTimeout: Self.short,
            idleTimeout: Self.short
        )
        let streams = StreamSettings(pollInterval: .milliseconds(10), heartbeatInterval: .milliseconds(600))
        try await APIWorld.with { patient in
            let ada = try await patient.player()
            let adventure = try await patient.journey(try await patient.party(of: ada), by: ada)
            // What is served with the limits needs no body, and is asked for at once.
            try await APIWorld.with(uri: patient.uri, streams: streams, serving: limits) { world in
                try await world.stream(adventure, ada) { stream in
                    var comments = 0
                    while comments < 4, let item = try await stream.next() {
                        if item == .comment { comments += 1 }
                    }
                    #expect(comments == 4)
                }
            }
        }
    }

    @Test func `a request whose answer is not made in time is answered 503`() async throws {
        try await APIWorld.with(serving: ServingLimits(requestTimeout: .milliseconds(500))) { world in
            try await world.pool.withTransaction { transaction in
                _ = try await transaction.query(
                    PostgresQuery(Statement("test.lock", "LOCK TABLE players IN ACCESS EXCLUSIVE MODE"))
                )
                let body: JSONValue = ["displayName": "Ada", "hero": "spouty"]
                let reply = try await world.client.send("POST", "/v1/players", body: body)
                #expect(reply.status == 503 && reply.slug == "took-too-long")
                #expect(reply.header("Retry-After") != nil)
                #expect(world.logs.requests.last?["status"] == "503")
            }
        }
    }
}
