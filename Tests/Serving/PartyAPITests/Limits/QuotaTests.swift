import GameEngine
import JSONCoding
import PostgresClient
import Testing

@Suite struct QuotaTests {
    private func found(_ player: TestPlayer, in world: APIWorld, key: String? = nil) async throws -> Reply {
        try await world.client.send(
            "POST",
            "/v1/parties",
            token: player.token,
            body: ["name": "One more"],
            headers: key.map { ["Idempotency-Key": $0] } ?? [:]
        )
    }

    private func headers(_ reply: Reply) -> [String?] {
        ["Quota-Limit", "Quota-Remaining"].map(reply.header)
    }

    @Test func `the last party of a day's quota is allowed, and the next one only on the next day`() async throws {
        try await APIWorld.with(quotas: Quotas(parties: 3)) { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let bens = try await world.party(of: ben)
            let first = try await found(ada, in: world, key: "first")
            #expect(first.status == 201 && headers(first) == ["3", "2"])
            // A repeated request, a refused one, and one that changes nothing use none of it.
            let again = try await found(ada, in: world, key: "first")
            #expect(again.status == 201 && headers(again) == [nil, nil])
            let full = try await world.party(of: [ben], capacity: 1)
            #expect(try await world.join(full, ada).slug == "party-full")
            let joined = try await world.join(bens, ada)
            #expect(joined.status == 200 && headers(joined) == ["3", "1"])
            #expect(headers(try await world.join(bens, ada)) == [nil, nil])
            let last = try await found(ada, in: world)
            #expect(last.status == 201 && headers(last) == ["3", "0"])

            for _ in 0..<2 {
                let beyond = try await found(ada, in: world)
                #expect(beyond.status == 429 && beyond.slug == "quota-exceeded" && headers(beyond) == ["3", "0"])
                let reset = try #require(beyond.header("Quota-Reset").flatMap { Int($0) })
                #expect((1...86_400).contains(reset) && beyond.header("Retry-After") == "\(reset)")
            }
            // A stored response is returned nevertheless, and other players have quotas of their own.
            #expect(try await found(ada, in: world, key: "first").text == first.text)
            #expect(try await found(ben, in: world).status == 201)

            let reset = try #require(try await found(ada, in: world).header("Quota-Reset").flatMap { Int($0) })
            try await world.pass(.seconds(reset - 2))
            #expect(try await found(ada, in: world).status == 429)
            try await world.pass(.seconds(3))
            #expect(headers(try await found(ada, in: world)) == ["3", "2"])
        }
    }

    @Test func `a lower quota than what was used leaves nothing`() async throws {
        try await APIWorld.with(quotas: Quotas(parties: 2)) { world in
            let ada = try await world.player("Ada")
            _ = try await found(ada, in: world)
            let raise = Statement("test.used", "UPDATE quotas SET used = 7")
            _ = try await world.pool.query(PostgresQuery(raise))
            let reply = try await found(ada, in: world)
            #expect(reply.status == 429 && headers(reply) == ["2", "0"])
        }
    }

    @Test func `adventures, activities and devices have quotas`() async throws {
        try await APIWorld.with(quotas: Quotas(adventures: 1, devices: 2, activities: 1)) { world in
            let ada = try await world.player("Ada")
            let (first, second) = (try await world.party(of: ada), try await world.party(of: ada))
            func start(_ party: TestParty) async throws -> Reply {
                let path = "/v1/parties/\(party.id)/adventures"
                let body: JSONValue = ["kind": "journey", "region": "meadow"]
                return try await world.client.send("POST", path, token: ada.token, body: body)
            }
            let started = try await start(first)
            #expect(started.status == 201 && headers(started) == ["1", "0"])
            // The adventure is running: a refusal after the quota is used up.
            #expect(try await start(first).slug == "quota-exceeded")
            #expect(try await start(second).slug == "quota-exceeded")

            func register(_ activity: String, token: String) async throws -> Reply {
                let path = "/v1/adventures/\(started.json["adventureID"].text)/activities/\(activity)"
                let push: JSONValue = [
                    "deviceID": .string(ada.id), "pushToken": .string(token), "environment": "simulator",
                    "frequentPushesEnabled": true,
                ]
                return try await world.client.send("PUT", path, token: ada.token, body: push)
            }
            let (one, other) = ("0198a1b2-0000-7000-8000-0000000000aa", "0198a1b2-0000-7000-8000-0000000000bb")
            #expect(headers(try await register(one, token: "aa")) == ["1", "0"])
            // A new token of the same activity.
            let rotated = try await register(one, token: "bb")
            #expect(rotated.status == 200 && headers(rotated) == [nil, nil])
            #expect(try await register(other, token: "cc").slug == "quota-exceeded")

            // The first device of the quota is the one that every player of these tests has.
            func device(_ id: String) async throws -> Reply {
                let body: JSONValue = [
                    "environment": "simulator", "liveActivitiesEnabled": true, "frequentPushesEnabled": true,
                ]
                return try await world.client.send("PUT", "/v1/players/me/devices/\(id)", token: ada.token, body: body)
            }
            #expect(headers(try await device(one)) == ["2", "0"])
            let same = try await device(one)
            #expect(same.status == 200 && headers(same) == [nil, nil])
            #expect(try await device(other).slug == "quota-exceeded")
        }
    }

    @Test func `concurrent requests use no more than the quota`() async throws {
        try await APIWorld.with(quotas: Quotas(parties: 5)) { world in
            let ada = try await world.player("Ada")
            let statuses: [Int] = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<12 { group.addTask { try await found(ada, in: world).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 201 } == 5 && statuses.count { $0 == 429 } == 7)
        }
    }
}
