import JSONCoding
import Testing

@Suite struct PlayerTests {
    @Test func `a player registers, gets a token once and reads the profile with it`() async throws {
        try await APIWorld.with { world in
            let body: JSONValue = ["displayName": "  Ada 🚀 ", "hero": "spouty"]
            let reply = try await world.client.send("POST", "/v1/players", body: body)
            #expect(reply.status == 201)
            let fields: Set = [
                "playerID", "displayName", "hero", "namedInLeaderboards", "experience", "bossesDefeated", "version",
            ]
            #expect(reply.json.keys == fields.union(["token", "recoveryCode"]))
            #expect(reply.json["displayName"] == "Ada 🚀")
            #expect(reply.json["hero"] == ["id": "spouty", "name": "Spouty", "avatar": "🐳", "level": 1])
            let token = reply.json["token"].text
            #expect(token.wholeMatch(of: /erp_[A-Za-z0-9_-]{43}/) != nil)

            let profile = try await world.client.send("GET", "/v1/players/me", token: token)
            #expect(profile.status == 200)
            #expect(profile.json.keys == fields)
            #expect(profile.json["playerID"] == reply.json["playerID"])
            #expect(profile.header("Cache-Control") == "private, no-cache")
        }
    }

    @Test func `every player gets a token of its own`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            #expect(ada.token != ben.token && ada.id != ben.id)
            #expect(try await world.client.send("GET", "/v1/players/me", token: ben.token).json["displayName"] == "Ben")
        }
    }

    @Test func `an unknown hero is rejected with a list of heroes`() async throws {
        try await APIWorld.with { world in
            let body: JSONValue = ["displayName": "Ada", "hero": "dragonlord"]
            let reply = try await world.client.send("POST", "/v1/players", body: body)
            #expect(reply.status == 422 && reply.slug == "invalid-fields")
            let reason = try #require(reply.fieldErrors["hero"])
            #expect(reason.hasPrefix("must be one of spouty, "))
        }
    }

    @Test func `an invalid name is rejected with its requirements`() async throws {
        try await APIWorld.with { world in
            let names = [
                ("   ", "must have at least one visible character"),
                ("0123456789012345678901234567890", "must have at most 30 characters"),
                ("two\nlines", "must not contain control characters"),
                ("nul\u{0}", "must not contain control characters"),
                ("\u{202e}adA", "must not contain control characters"),
                ("a\u{e000}", "must not contain private-use characters"),
                ("a" + String(repeating: "\u{301}", count: 1_000), "must have at most 120 bytes"),
            ]
            for (name, reason) in names {
                let body: JSONValue = ["displayName": .string(name), "hero": "spouty"]
                let reply = try await world.client.send("POST", "/v1/players", body: body)
                #expect(reply.status == 422)
                #expect(try #require(reply.fieldErrors["displayName"]).hasPrefix(reason))
            }
        }
    }

    @Test func `a name is returned in normalization form C`() async throws {
        try await APIWorld.with { world in
            let name = "Andre\u{301}"
            let player = try await world.client.send(
                "POST",
                "/v1/players",
                body: ["displayName": .string(name), "hero": "spouty"]
            )
            #expect(Array(player.json["displayName"].text.utf8) == Array("Andr\u{e9}".utf8))
            let token = player.json["token"].text
            let party = try await world.client.send("POST", "/v1/parties", token: token, body: ["name": .string(name)])
            #expect(Array(party.json["name"].text.utf8) == Array("Andr\u{e9}".utf8))
        }
    }

    @Test func `heroes, bosses and regions are listed`() async throws {
        try await APIWorld.with { world in
            let token = try await world.player().token
            let heroes = try await world.client.send("GET", "/v1/heroes", token: token).json["heroes"]
            #expect(heroes.array.count >= 8)
            #expect(
                heroes[0].keys == [
                    "id", "name", "avatar", "class", "element", "maximumHealth", "attack", "defence", "speed",
                    "signatureMove",
                ]
            )
            let bosses = try await world.client.send("GET", "/v1/bosses", token: token).json["bosses"]
            #expect(bosses.array.count >= 3)
            #expect(bosses[0].keys == ["id", "name", "avatar", "healthPerHero", "attack", "speed", "resists", "fears"])
            let regions = try await world.client.send("GET", "/v1/regions", token: token).json["regions"]
            #expect(regions.array.count >= 2)
            #expect(regions[0].keys == ["id", "name", "avatar", "locations", "foes", "ticks"])
            #expect(regions[0]["locations"][0].keys == ["id", "name"])
        }
    }
}
