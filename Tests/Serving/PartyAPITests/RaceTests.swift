import JSONCoding
import PostgresClient
import Testing

/// Concurrent requests, each over a connection of its own.
@Suite struct RaceTests {
    /// Sends all requests concurrently, and returns the responses in any order.
    private func race(_ requests: [@Sendable () async throws -> Reply]) async throws -> [Reply] {
        try await withThrowingTaskGroup(of: Reply.self) { group in
            for request in requests { group.addTask { try await request() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Sends a request, and repeats it while the database server has no free connection, or the shard too many
    /// transactions, as on a busy machine.
    private func post(
        _ path: String,
        _ body: JSONValue,
        by player: TestPlayer,
        _ client: APIClient
    ) async throws -> Reply {
        var reply: Reply
        repeat {
            reply = try await client.send("POST", path, token: player.token, body: body)
        } while ["database-unavailable", "shard-busy"].contains(reply.slug)
        return reply
    }

    @Test func `of 200 players who race for the last seat exactly one gets it`() async throws {
        try await APIWorld.with { world in
            let founder = try await world.player()
            let party = try await world.party(of: founder, capacity: 2)
            let players = try await withThrowingTaskGroup(of: TestPlayer.self) { group in
                for number in 0..<200 { group.addTask { try await world.player("Player \(number)") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let body: JSONValue = ["inviteCode": .string(party.inviteCode)]
            let client = world.client.with(connections: players.count)
            // Opens all connections first, so that the requests run concurrently.
            let profiles = try await race(
                players.map { player in
                    { try await client.send("GET", "/v1/players/me", token: player.token) }
                }
            )
            #expect(profiles.allSatisfy { $0.status == 200 })
            let replies = try await race(
                players.map { player in { try await post("/v1/parties/join", body, by: player, client) } }
            )
            let joined = replies.filter { $0.status == 200 }
            #expect(joined.count == 1)
            #expect(replies.count { $0.slug == "party-full" } == 199)
            let now = try await world.client.send("GET", "/v1/parties/\(party.id)", token: founder.token)
            #expect(now.json == joined.first?.json && now.json["members"].array.count == 2)
        }
    }

    @Test func `a player who creates and joins parties concurrently ends in 20 of them`() async throws {
        try await APIWorld.with { world in
            let (player, other) = (try await world.player("Ada"), try await world.player("Ben"))
            var parties: [TestParty] = []
            for _ in 0..<15 { parties.append(try await world.party(of: other)) }
            let client = world.client.with(connections: 60)
            let joining = parties.map { party -> @Sendable () async throws -> Reply in
                let body: JSONValue = ["inviteCode": .string(party.inviteCode)]
                return { try await post("/v1/parties/join", body, by: player, client) }
            }
            let founding = (0..<45).map { number -> @Sendable () async throws -> Reply in
                let body: JSONValue = ["name": .string("Party \(number)")]
                return { try await post("/v1/parties", body, by: player, client) }
            }
            let replies = try await race(joining + founding)
            #expect(replies.count { [200, 201].contains($0.status) } == 20)
            #expect(replies.count { $0.slug == "too-many-parties" } == 40)
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: player.token)
            #expect(list.json["parties"].array.count == 20)
        }
    }

    @Test func `no potion is used twice`() async throws {
        try await APIWorld.with { world in
            var players: [TestPlayer] = []
            for number in 0..<8 { players.append(try await world.player("Player \(number)")) }
            let party = try await world.party(of: players[0])
            for player in players.dropFirst() { _ = try await world.join(party, player) }
            let path = "/v1/adventures/\(try await world.journey(party, by: players[0]))"
            func heroes() async throws -> [JSONValue] {
                try await world.client.send("GET", path, token: players[0].token).json["heroes"].array
            }
            // Waits until a standing hero has fewer potions than there are wounded heroes.
            var drinker: (seat: Int, potions: Double)?
            var wounded: [JSONValue] = []
            for _ in 0..<60 where drinker == nil {
                try await world.pass(.seconds(10))
                let heroes = try await heroes()
                wounded = heroes.filter { $0["health"].number < $0["maximumHealth"].number }
                drinker = heroes.indices.lazy
                    .filter { heroes[$0]["isDown"] == false }
                    .map { ($0, heroes[$0]["potions"].number) }
                    .first { $0.1 > 0 && $0.1 < Double(wounded.count) }
            }
            let (seat, potions) = try #require(drinker)
            let token = players[seat].token
            let client = world.client.with(connections: 8 * wounded.count)
            let replies = try await race(
                (0..<8 * wounded.count).map { number in
                    let body: JSONValue = ["type": "potion", "target": wounded[number % wounded.count]["seat"]]
                    return { try await client.send("POST", "\(path)/commands", token: token, body: body) }
                }
            )
            #expect(replies.count { $0.status == 200 } == Int(potions))
            let refusals = Set(replies.filter { $0.status != 200 }.map(\.slug))
            #expect(
                refusals.contains("no-potions-left") && refusals.isSubset(of: ["no-potions-left", "target-unhurt"])
            )
            #expect(try await heroes()[seat]["potions"] == 0)
        }
    }

    @Test func `a leader who starts ten adventures at once starts one`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let replies = try await race(
                (0..<10).map { _ in { try await start(party, ada, in: world) } }
            )
            #expect(replies.count { $0.status == 201 } == 1)
            #expect(replies.count { $0.slug == "adventure-running" } == 9)
            #expect(try await adventures(of: party, in: world) == 1)
        }
    }

    @Test func `a leader and the former leader cannot both start an adventure`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            for _ in 0..<12 {
                let party = try await world.party(of: ada, ben)
                let leader: JSONValue = ["playerID": .string(ben.id)]
                let handOver = "/v1/parties/\(party.id)/leader"
                let replies = try await race([
                    { try await start(party, ada, in: world) },
                    { try await world.client.send("POST", handOver, token: ada.token, body: leader) },
                    { try await start(party, ben, in: world) },
                    { try await start(party, ada, in: world) },
                    { try await start(party, ben, in: world) },
                ])
                let slugs = replies.map(\.slug)
                #expect(Set(slugs).isSubset(of: ["", "leader-only", "adventure-running"]))
                // All requests may be refused: each player may have sent them while the other one was the leader.
                let started = replies.count { $0.status == 201 }
                #expect(started <= 1)
                #expect(try await adventures(of: party, in: world) == started)
            }
        }
    }

    private func start(_ party: TestParty, _ player: TestPlayer, in world: APIWorld) async throws -> Reply {
        try await world.client.send(
            "POST",
            "/v1/parties/\(party.id)/adventures",
            token: player.token,
            body: ["kind": "journey", "region": "meadow"]
        )
    }

    private func adventures(of party: TestParty, in world: APIWorld) async throws -> Int {
        let query = PostgresQuery(
            Statement("race.adventures", "SELECT count(*) FROM adventures WHERE party_id = $1::text::uuid"),
            party.id
        )
        return Int(try #require(try await world.pool.query(query).first).decode(Int64.self))
    }
}
