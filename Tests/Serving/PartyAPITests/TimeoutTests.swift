import HTTPServing
import JSONCoding
import PartyAPI
import PostgresClient
import TestSupport
import Testing

@Suite struct TimeoutTests {
    /// A timeout that a fast client does not exceed, even on a busy machine.
    private static let short = Duration.seconds(1)

    @Test func `an event stream outlives all timeouts of requests`() async throws {
        let limits = ServingLimits(
            bodyTimeout: Self.short,
            requestTimeout: .seconds(2),
            sendTimeout: Self.short,
            idleTimeout: Self.short
        )
        let streams = StreamSettings(pollInterval: .milliseconds(10), heartbeatInterval: .milliseconds(600))
        try await APIWorld.with { preparation in
            let ada = try await preparation.player()
            let adventure = try await preparation.journey(try await preparation.party(of: ada), by: ada)
            // Only the request of the stream has the short timeouts.
            try await APIWorld.with(uri: preparation.uri, streams: streams, serving: limits) { world in
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

    @Test func `a request that exceeds the request timeout gets 503`() async throws {
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
