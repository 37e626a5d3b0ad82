import GameStore
import JSONCoding
import Testing

@Suite struct AdventureTests {
    private static let journey: JSONValue = ["kind": "journey", "region": "meadow"]

    @Test func `the leader starts a journey, and its heroes read it`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben", hero: "ember"))
            let party = try await world.party(of: ada, ben)
            let path = "/v1/parties/\(party.id)/adventures"
            #expect(
                try await world.client.send("POST", path, token: ben.token, body: Self.journey).slug == "leader-only"
            )
            let started = try await world.client.send("POST", path, token: ada.token, body: Self.journey)
            #expect(started.status == 201)
            #expect(
                started.json.keys == [
                    "adventureID", "partyID", "kind", "status", "tick", "heroes", "region", "location", "progress",
                    "sequence",
                    "startedAt",
                ]
            )
            #expect(started.json["kind"] == "journey" && started.json["status"] == "running")
            #expect(started.json["startedAt"] == "2026-09-21T14:13:20.123Z")
            #expect(
                started.json["heroes"][1].keys == [
                    "seat", "playerID", "hero", "class", "experience", "health",
                    "maximumHealth", "healthLevel", "potions", "signatureMove", "policy", "isGuarding", "isChallenging",
                    "isDown",
                    "hasLeft",
                ]
            )
            #expect(started.json["heroes"].array.map { $0["seat"] } == [0, 1])
            #expect(started.json["heroes"][1]["hero"] == ["id": "ember", "name": "Ember", "avatar": "🦊", "level": 1])
            #expect(started.json["heroes"][1]["class"] == "striker")
            #expect(
                started.json["heroes"][1]["signatureMove"] == [
                    "name": "Wildfire", "summary": "One blow of more than twice the strength.", "readyIn": 0,
                ]
            )
            let adventure = "/v1/adventures/\(started.json["adventureID"].text)"
            #expect(try await world.client.send("GET", adventure, token: ben.token).json == started.json)
            let shown = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ben.token)
            #expect(shown.json["adventureID"] == started.json["adventureID"])
            let again = try await world.client.send("POST", path, token: ada.token, body: Self.journey)
            #expect(again.status == 409 && again.slug == "adventure-running")
        }
    }

    @Test func `a journey needs a known kind and region, and all errors are reported at once`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let path = "/v1/parties/\(party.id)/adventures"
            let body: JSONValue = ["kind": "bossFight", "region": "moon", "speed": 3]
            let reply = try await world.client.send("POST", path, token: ada.token, body: body)
            #expect(reply.status == 422)
            #expect(reply.fieldErrors["kind"] == "must be one of journey, raid")
            #expect(reply.fieldErrors["region"]?.hasPrefix("must be one of meadow, ") == true)
            #expect(reply.fieldErrors["speed"] == "is not a field of this request")
        }
    }

    @Test func `events are flat objects, in pages without gaps or duplicates`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            for _ in 0..<5 { try await world.pass(.seconds(10)) }
            let path = "/v1/adventures/\(id)"
            let newest = try await world.client.send("GET", path, token: ada.token).json["sequence"].number
            #expect(newest > 5)

            var events: [JSONValue] = []
            var after: JSONValue = 0
            repeat {
                let page = try await world.client.send(
                    "GET",
                    "\(path)/events?after=\(Int(after.number))&limit=3",
                    token: ada.token
                )
                #expect(page.json["events"].array.count <= 3)
                events += page.json["events"].array
                after = page.json["next"]
            } while after != .null
            #expect(events.map { $0["sequence"].number } == (1...Int(newest)).map(Double.init))
            #expect(
                events[0] == [
                    "sequence": 1, "tick": 0, "kind": "adventureStarted", "adventure": "journey",
                    "at": "2026-09-21T14:13:20.123Z",
                ]
            )
            let all = try await world.client.send("GET", "\(path)/events", token: ada.token)
            #expect(all.json == ["events": .array(events)])
        }
    }

    @Test func `invalid page parameters are rejected by name`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            for query in ["after=-1", "after=x", "limit=0", "limit=1001", "limit="] {
                let reply = try await world.client.send("GET", "/v1/adventures/\(id)/events?\(query)", token: ada.token)
                #expect(reply.status == 422)
                #expect(reply.fieldErrors.keys.map { $0 } == [String(query.prefix { $0 != "=" })])
            }
        }
    }

    @Test func `a command in the player's turn returns its events and the adventure`() async throws {
        try await APIWorld.with { world in
            // The fastest hero acts first; the other's turn comes later.
            let (ada, ben) = (
                try await world.player("Ada", hero: "zippy"), try await world.player("Ben", hero: "boulder")
            )
            let party = try await world.party(of: ada, ben)
            let path = "/v1/adventures/\(try await world.bossFight(party))"
            let before = try await world.client.send("GET", path, token: ada.token).json
            #expect(before["turn"] == ["number": 1, "seat": 0, "endsAt": "2026-09-21T14:13:35.123Z"])
            #expect(
                before["boss"].keys == [
                    "id", "name", "avatar", "health", "maximumHealth", "healthLevel", "phase", "isWindingUp",
                    "weakenedTurns", "exposedBlows",
                ]
            )
            let early = try await world.client.send(
                "POST",
                "\(path)/commands",
                token: ben.token,
                body: ["type": "attack"]
            )
            #expect(early.status == 409 && early.slug == "not-your-turn")

            let reply = try await world.client.send(
                "POST",
                "\(path)/commands",
                token: ada.token,
                body: ["type": "attack"]
            )
            #expect(reply.status == 200)
            #expect(reply.json.keys == ["events", "adventure"])
            #expect(reply.json["events"][0]["kind"] == "actionTaken")
            #expect(reply.json["events"][0]["sequence"].number == before["sequence"].number + 1)
            // The damage is 0 if the attack misses.
            let damage = reply.json["events"][0]["damage"].number
            #expect(reply.json["adventure"]["boss"]["health"].number == before["boss"]["health"].number - damage)
            #expect(try await world.client.send("GET", path, token: ben.token).json == reply.json["adventure"])
        }
    }

    @Test func `refusals of the game have their own problems`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            let commands = "/v1/adventures/\(id)/commands"
            func slug(_ body: JSONValue, status: Int) async throws -> String {
                let reply = try await world.client.send("POST", commands, token: ada.token, body: body)
                #expect(reply.status == status)
                return reply.slug
            }
            #expect(try await slug(["type": "attack"], status: 422) == "no-boss")
            #expect(try await slug(["type": "potion"], status: 422) == "target-unhurt")
            #expect(try await slug(["type": "potion", "target": 7], status: 422) == "unknown-target")
            #expect(try await slug(["type": "potion", "target": 8], status: 422) == "invalid-fields")
            #expect(try await slug(["type": "pass", "target": 0], status: 422) == "invalid-fields")
            #expect(try await slug(["type": "dance"], status: 422) == "invalid-fields")
            #expect(try await slug(["type": "revive"], status: 422) == "invalid-fields")
            #expect(try await slug(["type": "policy"], status: 422) == "invalid-fields")
            #expect(try await slug(["type": "policy", "policy": "sleep"], status: 422) == "invalid-fields")
            let admin = try await world.operatorToken(.admin)
            _ = try await world.client.send("POST", "/admin/v1/adventures/\(id)/end", token: admin)
            #expect(try await slug(["type": "potion"], status: 409) == "adventure-over")
        }
    }

    @Test func `a player uses the hero's signature move, and is refused during its cooldown`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada", hero: "zippy")
            let path = "/v1/adventures/\(try await world.bossFight(try await world.party(of: ada)))"
            func send(_ body: JSONValue) async throws -> Reply {
                try await world.client.send("POST", "\(path)/commands", token: ada.token, body: body)
            }
            let used = try await send(["type": "special"])
            #expect(used.json["events"][0]["action"] == "special")
            #expect(used.json["adventure"]["heroes"][0]["signatureMove"]["readyIn"] == 4)
            // The clock advances past the boss's turn.
            try await world.pass(.seconds(15))
            let again = try await send(["type": "special"])
            #expect(again.status == 422 && again.slug == "on-cooldown")
            #expect(try await send(["type": "revive", "target": 0]).slug == "target-not-down")
            let fled = try await send(["type": "flee"])
            #expect(fled.json["events"][0]["action"] == "fleeRefused")
            let policy = try await send(["type": "policy", "policy": "skip"])
            #expect(policy.json["events"].array.map { $0["kind"] } == ["policyChosen"])
            #expect(policy.json["adventure"]["heroes"][0]["policy"] == "skip")
        }
    }

    @Test func `a hero without potions is refused`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            var last: Reply?
            // A potion requires a wounded hero. The journey has enough encounters, or ends before the last iteration.
            for _ in 0..<60 where last?.slug != "no-potions-left" && last?.slug != "adventure-over" {
                try await world.pass(.seconds(10))
                repeat {
                    last = try await world.client.send(
                        "POST",
                        "/v1/adventures/\(id)/commands",
                        token: ada.token,
                        body: ["type": "potion"]
                    )
                } while last?.status == 200
            }
            let ending = try #require(last)
            #expect((ending.slug, ending.status) == ("no-potions-left", 422) || ending.slug == "adventure-over")
        }
    }

    @Test func `an ended adventure has its end time and outcome`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            let admin = try await world.operatorToken(.admin)
            try await world.pass(.seconds(1))
            _ = try await world.client.send("POST", "/admin/v1/adventures/\(id)/end", token: admin)
            let shown = try await world.client.send("GET", "/v1/adventures/\(id)", token: ada.token).json
            #expect(shown["status"] == "ended" && shown["outcome"] == "endedByOperator")
            #expect(shown["endedAt"] == "2026-09-21T14:13:21.123Z")
        }
    }

    @Test func `to strangers and former members an adventure looks like one that does not exist`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let id = try await world.journey(party, by: ada)
            _ = try await world.client.send("DELETE", "/v1/parties/\(party.id)/members/\(ben.id)", token: ben.token)
            func bodies(_ id: String, _ player: TestPlayer) async throws -> [String] {
                let path = "/v1/adventures/\(id)"
                var replies = [try await world.client.send("GET", path, token: player.token)]
                replies.append(try await world.client.send("GET", "\(path)/events", token: player.token))
                let potion: JSONValue = ["type": "potion"]
                replies.append(
                    try await world.client.send("POST", "\(path)/commands", token: player.token, body: potion)
                )
                #expect(replies.allSatisfy { $0.status == 404 })
                return replies.map(\.text)
            }
            let eve = try await world.player("Eve")
            let missing = try await bodies("0198a1b2-0000-7000-8000-000000000001", eve)
            #expect(try await bodies(id, eve) == missing)
            #expect(try await bodies(id, ben) == missing)
        }
    }

    @Test func `a member without a seat can read the adventure`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: ada)
            let id = try await world.journey(party, by: ada)
            // Seats are not reused, so after eight joins and one leave none is free.
            let first = try await world.player("First")
            _ = try await world.join(party, first)
            for number in 2..<8 { _ = try await world.join(party, try await world.player("Player \(number)")) }
            _ = try await world.client.send("DELETE", "/v1/parties/\(party.id)/members/\(first.id)", token: first.token)
            let late = try await world.player("Late")
            #expect(try await world.join(party, late).status == 200)
            let shown = try await world.client.send("GET", "/v1/adventures/\(id)", token: late.token)
            #expect(shown.status == 200)
            #expect(!shown.json["heroes"].array.contains { $0["playerID"] == .string(late.id) })
        }
    }
}
