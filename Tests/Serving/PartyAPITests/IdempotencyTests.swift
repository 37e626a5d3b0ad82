import Cryptography
import Encodings
import GameCore
import GameStore
import JSONCoding
import PostgresClient
import Testing

@Suite struct IdempotencyTests {
    private static let party: JSONValue = ["name": "Once"]

    @Test func `a repeated request is applied once and gets the same response`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let key = ["Idempotency-Key": "7d0f-1"]
            func create() async throws -> Reply {
                try await world.client.send("POST", "/v1/parties", token: ada.token, body: Self.party, headers: key)
            }
            let (first, second) = (try await create(), try await create())
            #expect(first.status == 201 && second.status == 201)
            #expect(first.text == second.text)
            #expect(first.header("Idempotent-Replayed") == nil && second.header("Idempotent-Replayed") == "true")
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: ada.token)
            #expect(list.json["parties"].array.count == 1)
        }
    }

    @Test func `the shard of a new party follows from its key and a secret that no response shows`() async throws {
        try await APIWorld.with { world in
            let players = [try await world.player(), try await world.player()]
            func shards(of player: TestPlayer) async throws -> [UInt8] {
                var shards: [UInt8] = []
                for number in 1...8 {
                    let key = ["Idempotency-Key": "\(number)"]
                    let reply = try await world.client.send(
                        "POST",
                        "/v1/parties",
                        token: player.token,
                        body: Self.party,
                        headers: key
                    )
                    shards.append(try #require(PartyID(reply.json["partyID"].text)).shard.rawValue)
                }
                return shards
            }
            let first = try await shards(of: players[0])
            #expect(Set(first).count > 1)
            #expect(try await shards(of: players[0]) == first)
            #expect(try await shards(of: players[1]) != first)
            // What a player knows of it does not suffice.
            #expect(first != (1...8).map { SHA256.digest(of: "party of \(players[0].id) by key \($0)")[0] })
            let export = try await world.client.send("GET", "/v1/players/me/export", token: players[0].token)
            let id = try #require(PlayerID(players[0].id))
            let secret = try #require(try await world.store.shardSecret(of: id))
            #expect(secret.count == 16 && !export.text.contains(secret.hexadecimal))
        }
    }

    @Test func `a request whose invite code is gone gets its response again`() async throws {
        try await APIWorld.with { world in
            let (ada, ben, eve) = (
                try await world.player(), try await world.player("Ben"), try await world.player("Eve")
            )
            let party = try await world.party(of: ada)
            let admin = try await world.operatorToken(.admin)
            let code: JSONValue = .string(party.inviteCode)
            func join(_ player: TestPlayer) async throws -> Reply {
                try await world.client.send(
                    "POST",
                    "/v1/parties/join",
                    token: player.token,
                    body: ["inviteCode": code],
                    headers: ["Idempotency-Key": "join"]
                )
            }
            func startFight() async throws -> Reply {
                try await world.client.send(
                    "POST",
                    "/admin/v1/boss-fights",
                    token: admin,
                    body: ["boss": "glitch", "inviteCode": code],
                    headers: ["Idempotency-Key": "fight"]
                )
            }
            let (joined, started) = (try await join(ben), try await startFight())
            #expect(joined.status == 200 && started.status == 201)
            let path = "/v1/parties/\(party.id)/invite-code"
            #expect(try await world.client.send("POST", path, token: ada.token).status == 200)
            let sweep = Statement("test.sweepCode", "DELETE FROM invite_codes WHERE invite_code = $1")
            #expect(try await world.pool.query(PostgresQuery(sweep, party.inviteCode)).affectedRows == 1)
            for (first, again) in [(joined, try await join(ben)), (started, try await startFight())] {
                #expect(again.status == first.status && again.text == first.text)
                #expect(again.header("Idempotent-Replayed") == "true")
            }
            #expect(try await join(eve).slug == "unknown-invite-code")
        }
    }

    @Test func `sent ten times at once it is applied once`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada", hero: "zippy"), try await world.player("Ben"))
            let path = "/v1/adventures/\(try await world.bossFight(try await world.party(of: ada, ben)))"
            let before = try await world.client.send("GET", path, token: ada.token).json["tick"].number
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<10 {
                    group.addTask {
                        try await world.client.send(
                            "POST",
                            "\(path)/commands",
                            token: ada.token,
                            body: ["type": "attack"],
                            headers: ["Idempotency-Key": "blow"]
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 200 })
            #expect(Set(replies.map(\.text)).count == 1)
            #expect(try await world.client.send("GET", path, token: ada.token).json["tick"].number == before + 1)
        }
    }

    @Test func `concurrent creations of a party with one key create one party`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let key = ["Idempotency-Key": "founding"]
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await world.client.send(
                            "POST",
                            "/v1/parties",
                            token: ada.token,
                            body: Self.party,
                            headers: key
                        )
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.allSatisfy { $0.status == 201 } && Set(replies.map(\.text)).count == 1)
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: ada.token)
            #expect(list.json["parties"].array == [replies[0].json])
        }
    }

    @Test func `a key that is reused with another body is rejected without effect`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let key = ["Idempotency-Key": "7d0f-2"]
            _ = try await world.client.send("POST", "/v1/parties", token: ada.token, body: Self.party, headers: key)
            let other: JSONValue = ["name": "Twice"]
            let reply = try await world.client.send("POST", "/v1/parties", token: ada.token, body: other, headers: key)
            #expect(reply.status == 422 && reply.slug == "idempotency-key-reused")
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: ada.token)
            #expect(list.json["parties"].array.map { $0["name"] } == ["Once"])
        }
    }

    /// A transaction uses one shard, so a write does not find the idempotency records of other shards.
    @Test func `a key is known where it was used, and new to a party in another shard`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            func start(_ party: String, in region: String) async throws -> Reply {
                try await world.client.send(
                    "POST",
                    "/v1/parties/\(party)/adventures",
                    token: ada.token,
                    body: ["kind": "journey", "region": .string(region)],
                    headers: ["Idempotency-Key": "go"]
                )
            }
            let first = try await world.party(of: ada).id
            var second = try await world.party(of: ada).id
            while second.suffix(2) == first.suffix(2) { second = try await world.party(of: ada).id }
            #expect(try await start(first, in: "meadow").status == 201)
            #expect(try await start(first, in: "coast").slug == "idempotency-key-reused")
            #expect(try await start(second, in: "meadow").status == 201)
        }
    }

    @Test func `an idempotency record outlives its subject`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada)
            let key = ["Idempotency-Key": "in"]
            func join() async throws -> Reply {
                let body: JSONValue = ["inviteCode": .string(party.inviteCode)]
                return try await world.client.send(
                    "POST",
                    "/v1/parties/join",
                    token: ben.token,
                    body: body,
                    headers: key
                )
            }
            let joined = try await join()
            let leaving = "/v1/parties/\(party.id)/members/\(ben.id)"
            let out = ["Idempotency-Key": "out"]
            #expect(try await world.client.send("DELETE", leaving, token: ben.token, headers: out).status == 204)
            #expect(try await world.client.send("DELETE", leaving, token: ben.token, headers: out).status == 204)
            #expect(try await join().text == joined.text)
            let now = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ada.token)
            #expect(now.json["members"].array.count == 1)
        }
    }

    @Test func `a key is kept for 24 hours, and new after them`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let key = ["Idempotency-Key": "tonight"]
            func create() async throws -> String {
                let reply = try await world.client.send(
                    "POST",
                    "/v1/parties",
                    token: ada.token,
                    body: Self.party,
                    headers: key
                )
                #expect(reply.status == 201)
                return reply.json["partyID"].text
            }
            let first = try await create()
            try await world.pass(.seconds(24 * 60 * 60 - 1))
            #expect(try await create() == first)
            try await world.pass(.seconds(1))
            let second = try await create()
            #expect(second != first)
            #expect(try await create() == second)
        }
    }

    @Test func `a former leader still gets the response of the idempotency record`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let path = "/v1/parties/\(try await world.party(of: ada, ben).id)"
            func renew() async throws -> Reply {
                let key = ["Idempotency-Key": "new-code"]
                return try await world.client.send("POST", "\(path)/invite-code", token: ada.token, headers: key)
            }
            let renewed = try await renew()
            let toBen: JSONValue = ["playerID": .string(ben.id)]
            _ = try await world.client.send("POST", "\(path)/leader", token: ada.token, body: toBen)
            #expect(try await renew().text == renewed.text)
        }
    }

    @Test func `an error response is not stored: the same request may succeed later`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            func start() async throws -> Reply {
                try await world.client.send(
                    "POST",
                    "/v1/parties/\(party.id)/adventures",
                    token: ben.token,
                    body: ["kind": "journey", "region": "meadow"],
                    headers: ["Idempotency-Key": "go"]
                )
            }
            #expect(try await start().slug == "leader-only")
            let leader: JSONValue = ["playerID": .string(ben.id)]
            _ = try await world.client.send("POST", "/v1/parties/\(party.id)/leader", token: ada.token, body: leader)
            #expect(try await start().status == 201)
        }
    }

    @Test func `without a key every request is applied`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            for _ in 0..<2 {
                _ = try await world.client.send("POST", "/v1/parties", token: ada.token, body: Self.party)
            }
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: ada.token)
            #expect(list.json["parties"].array.count == 2)
        }
    }

    @Test func `a malformed key is rejected`() async throws {
        try await APIWorld.with { world in
            let token = try await world.player().token
            for key in ["two words", String(repeating: "k", count: 256), "schlüssel"] {
                let reply = try await world.client.send(
                    "POST",
                    "/v1/parties",
                    token: token,
                    body: Self.party,
                    headers: ["Idempotency-Key": key]
                )
                #expect(reply.status == 422)
                #expect(reply.fieldErrors == ["Idempotency-Key": "must have 1 to 255 visible ASCII characters"])
            }
        }
    }
}
