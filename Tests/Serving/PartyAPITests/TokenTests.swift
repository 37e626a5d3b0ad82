import JSONCoding
import Testing

@Suite struct TokenTests {
    private func exchange(_ token: String, in world: APIWorld) async throws -> Reply {
        try await world.client.send("POST", "/v1/players/me/token", token: token)
    }

    private func status(_ token: String, in world: APIWorld) async throws -> Int {
        try await world.client.send("GET", "/v1/players/me", token: token).status
    }

    @Test func `the first use of a new token ends the old one`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let reply = try await exchange(ada.token, in: world)
            #expect(reply.status == 200 && reply.json.keys == ["token"])
            let token = reply.json["token"].text
            #expect(token.wholeMatch(of: /erp_[A-Za-z0-9_-]{43}/) != nil && token != ada.token)
            // A lost response must not lock the player out.
            #expect(try await status(ada.token, in: world) == 200)
            let profile = try await world.client.send("GET", "/v1/players/me", token: token)
            #expect(profile.json["playerID"] == .string(ada.id))
            let old = try await world.client.send("GET", "/v1/players/me", token: ada.token)
            #expect(old.status == 401 && old.slug == "invalid-token")
            #expect(try await status(token, in: world) == 200)
        }
    }

    @Test func `an exchange leaves the tokens of other devices as they are`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.client.send(
                "POST",
                "/v1/players",
                body: ["displayName": "Ada", "hero": "spouty"]
            )
            let body: JSONValue = ["recoveryCode": ada.json["recoveryCode"]]
            let recovered = try await world.client.send("POST", "/v1/players/recover", body: body)
            let (phone, tablet) = (ada.json["token"].text, recovered.json["token"].text)
            #expect(try await status(tablet, in: world) == 200)
            // Both at once: neither revokes the other's unused token.
            let (newPhone, newTablet) = (try await exchange(phone, in: world), try await exchange(tablet, in: world))
            for reply in [newPhone, newTablet] {
                #expect(try await status(reply.json["token"].text, in: world) == 200)
            }
            #expect(try await status(phone, in: world) == 401)
            #expect(try await status(tablet, in: world) == 401)
        }
    }

    @Test func `an unused new token is revoked by the next one`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let lost = try await exchange(ada.token, in: world).json["token"].text
            let token = try await exchange(ada.token, in: world).json["token"].text
            #expect(try await status(lost, in: world) == 401)
            #expect(try await status(token, in: world) == 200)
        }
    }

    @Test func `using a token during its replacement does not lock the player out`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            var token = ada.token
            for _ in 0..<60 {
                let held = token
                let next = try await exchange(held, in: world).json["token"].text
                // The first use of the new token and another exchange of the old one run concurrently.
                async let used = status(next, in: world)
                async let exchanged = exchange(held, in: world)
                let (use, reply) = try await (used, exchanged)
                #expect([200, 401].contains(use) && [200, 401].contains(reply.status))
                var alive: [String] = []
                for candidate in [reply.json["token"].text, next, held] where !candidate.isEmpty && alive.isEmpty {
                    if try await status(candidate, in: world) == 200 { alive.append(candidate) }
                }
                // The newest token is valid.
                let newest = reply.status == 200 ? reply.json["token"].text : next
                #expect(alive == [newest])
                token = newest
            }
        }
    }

    @Test func `exchanging and revoking a token does not affect other players`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let token = try await exchange(ada.token, in: world).json["token"].text
            #expect(try await status(token, in: world) == 200)
            let ended = try await world.client.send("DELETE", "/v1/players/me/token", token: token)
            #expect(ended.status == 204 && ended.text.isEmpty)
            #expect(try await status(token, in: world) == 401)
            #expect(try await status(ben.token, in: world) == 200)
        }
    }
}
