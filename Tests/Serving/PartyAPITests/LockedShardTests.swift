import GameCore
import GameStore
import JSONCoding
import Logging
import PostgresClient
import PrivatePostgres
import TestSupport
import Testing

@Suite struct LockedShardTests {
    private static let lock = Statement("test.lockShard", "SELECT shard FROM shards WHERE shard = $1 FOR UPDATE")

    @Test func `a shard whose row is held costs only the writes to its parties`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let held = try await world.party(of: ada)
            let shard = try #require(PartyID(held.id)).shard
            // Another party may be in the same shard.
            var other = try await world.party(of: ada)
            while PartyID(other.id)?.shard == shard { other = try await world.party(of: ada) }
            let path = (held: "/v1/parties/\(held.id)/invite-code", other: "/v1/parties/\(other.id)/invite-code")
            let session = PostgresPool(
                configuration: .forTests(uri: world.uri, maximumConnections: 1),
                logger: Logger(label: "other") { _ in SwiftLogNoOpLogHandler() }
            )
            try await session.withTransaction { connection in
                _ = try await connection.query(PostgresQuery(Self.lock, Int16(shard.rawValue)))
                try await withThrowingTaskGroup(of: Reply.self) { group in
                    // Twice as many as the node has connections.
                    for _ in 1...16 {
                        group.addTask { try await world.client.send("POST", path.held, token: ada.token) }
                    }
                    try await eventually("a transaction notices that the row is held") {
                        !world.store.queue.heldShards.isEmpty
                    }
                    for _ in 1...10 {
                        #expect(try await world.client.send("POST", path.other, token: ada.token).status == 200)
                        for party in [held, other] {
                            let reply = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ada.token)
                            #expect(reply.status == 200)
                        }
                    }
                    let ready = try await world.client.send("GET", "/readyz")
                    #expect(ready.status == 200 && ready.json["status"].text == "ready")
                    let restriction = ready.json["restrictions"].array.first
                    #expect(restriction?["field"].text == "lockedShards")
                    #expect(restriction?["reason"].text.contains(" \(shard.rawValue).") == true)
                    for try await reply in group {
                        #expect(reply.status == 503 && reply.slug == "shard-busy")
                        #expect(reply.header("Retry-After") == "2")
                    }
                }
            }
            #expect(try await world.client.send("POST", path.held, token: ada.token).status == 200)
            #expect(try await world.client.send("GET", "/readyz").json == ["status": "ready"])
        }
    }
}
