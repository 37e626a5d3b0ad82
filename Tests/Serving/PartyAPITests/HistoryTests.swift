import JSONCoding
import PostgresClient
import Testing

@testable import PartyAPI

/// Players with a long history: what their requests cost, and their exports.
@Suite struct HistoryTests {
    /// Creates a party under an idempotency key, and leaves it.
    private func passThrough(_ number: Int, _ player: TestPlayer, in world: APIWorld) async throws {
        let party = try await world.client.send(
            "POST",
            "/v1/parties",
            token: player.token,
            body: ["name": "Left"],
            headers: ["Idempotency-Key": "party-\(number)"]
        )
        let path = "/v1/parties/\(party.json["partyID"].text)/members/\(player.id)"
        #expect(try await world.client.send("DELETE", path, token: player.token).status == 204)
    }

    /// Returns all pages of a player's export.
    private func export(_ player: TestPlayer, in world: APIWorld) async throws -> [JSONValue] {
        var pages: [JSONValue] = []
        var query = ""
        repeat {
            let reply = try await world.client.send("GET", "/v1/players/me/export\(query)", token: player.token)
            try #require(reply.status == 200 && pages.count < 10, "\(reply.text)")
            pages.append(reply.json)
            query = reply.json.keys.contains("next") ? "?after=\(reply.json["next"].text)" : ""
        } while !query.isEmpty
        return pages
    }

    /// The requests whose cost could grow with what a player has left, the erasure last.
    private func requests(in world: APIWorld) -> [(name: String, send: (TestPlayer) async throws -> Reply)] {
        [
            (
                "sync",
                { player in
                    try await world.client.send(
                        "POST",
                        "/v1/players/me/activities/sync",
                        token: player.token,
                        body: ["deviceID": .string(player.id), "running": []]
                    )
                }
            ),
            ("parties", { try await world.client.send("GET", "/v1/players/me/parties", token: $0.token) }),
            ("erasure", { try await world.client.send("DELETE", "/v1/players/me", token: $0.token) }),
        ]
    }

    @Test func `requests of a player who has left many parties need as few statements as those of a newcomer`()
        async throws
    {
        try await APIWorld.with(connections: 1) { world in
            let (veteran, newcomer) = (try await world.player("Veteran"), try await world.player("Newcomer"))
            for number in 0..<60 { try await passThrough(number, veteran, in: world) }
            for player in [veteran, newcomer] { _ = try await world.party(of: player) }

            let pages = try await export(veteran, in: world)
            let parties = pages.flatMap { $0["parties"].array.map { $0["partyID"].text } }
            let keys = pages.flatMap { $0["idempotencyKeys"].array.map { $0["key"].text } }
            #expect(parties.count == 61 && Set(parties).count == 61)
            #expect(Set(keys) == Set((0..<60).map { "party-\($0)" }) && keys.count == 60)
            #expect(pages.count == 3)
            let firstPage = try await world.statements {
                try await world.client.send("GET", "/v1/players/me/export", token: veteran.token)
            }
            #expect(firstPage <= Int64(PlayerExportReader.pageSize) * 4 + 10)

            let leaver = try await world.player("Leaver")
            for number in 0..<20 { try await passThrough(number, leaver, in: world) }
            _ = try await world.party(of: leaver)
            let requests = requests(in: world)
            for request in requests.dropLast() {
                let few = try await world.statements { try await request.send(newcomer) }
                let many = try await world.statements { try await request.send(leaver) }
                #expect(few == many, "\(request.name) on the first day")
            }
            // On the first day, an erasure also redacts what shows the player in the parties that were left: a few statements
            // for each, and some for the account.
            let erasure = try await world.statements { try await requests[2].send(leaver) }
            #expect(erasure <= 20 * 8 + 20, "\(erasure)")

            // Stored responses show a former member for a day, after which the retention worker removes them.
            try await world.pass(.seconds(3 * 24 * 60 * 60))
            _ = try await world.pool.query(PostgresQuery(Statement("test.expire", "DELETE FROM idempotency_keys")))
            for request in requests {
                let few = try await world.statements { try await request.send(newcomer) }
                let many = try await world.statements { try await request.send(veteran) }
                #expect(few == many, "\(request.name)")
            }
        }
    }

    @Test(arguments: [
        "", "p", "p00", "x", "P019a2f4e90b47a6e8f015d2c7b9e4a33", "p019A2f4e90b47a6e8f015d2c7b9e4a33",
        "p019a2f4e90b47a6e8f015d2c7b9e4a3", "k", "k0", "k0000", "k00ff", "%00", "p%00", "v00", "a00",
    ])
    func `a malformed cursor of an export is refused`(cursor: String) async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let reply = try await world.client.send("GET", "/v1/players/me/export?after=\(cursor)", token: ada.token)
            #expect(reply.status == 422 && reply.fieldErrors["after"] == "must be the 'next' of the previous page")
        }
    }

    @Test func `cursors are read as they are written`() throws {
        for text in [
            "p019a2f4e90b47a6e8f015d2c7b9e4a33", "a" + String(repeating: "0f", count: 32),
            "v" + String(repeating: "c3", count: 32), "k07", "k074142",
            "h" + String(repeating: "ff", count: 16),
        ] {
            #expect(ExportCursor(text)?.text == text)
        }
    }
}
