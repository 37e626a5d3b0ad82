import JSONCoding
import Testing

@Suite struct PartyCountTests {
    private func found(_ player: TestPlayer, in world: APIWorld, key: String? = nil) async throws -> Reply {
        try await world.client.send(
            "POST",
            "/v1/parties",
            token: player.token,
            body: ["name": "One more"],
            headers: key.map { ["Idempotency-Key": $0] } ?? [:]
        )
    }

    private func leave(_ party: String, _ player: TestPlayer, in world: APIWorld) async throws -> Int {
        let path = "/v1/parties/\(party)/members/\(player.id)"
        return try await world.client.send("DELETE", path, token: player.token).status
    }

    @Test func `a player in 20 parties cannot create or join another before leaving one`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let bensParty = try await world.party(of: ben)
            var mine: [String] = []
            for _ in 0..<20 { mine.append(try await found(ada, in: world).json["partyID"].text) }
            for reply in [try await found(ada, in: world), try await world.join(bensParty, ada)] {
                #expect(reply.status == 409 && reply.slug == "too-many-parties")
            }
            // Other players are not affected.
            #expect(try await found(ben, in: world).status == 201)
            #expect(try await leave(mine[3], ada, in: world) == 204)
            #expect(try await world.join(bensParty, ada).status == 200)
            // A member may join again.
            #expect(try await world.join(bensParty, ada).status == 200)
            #expect(try await found(ada, in: world).slug == "too-many-parties")
        }
    }

    @Test func `left parties and refused requests do not count`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let full = try await world.party(of: [ben], capacity: 1)
            for _ in 0..<25 {
                let party = try await found(ada, in: world)
                #expect(party.status == 201)
                #expect(try await leave(party.json["partyID"].text, ada, in: world) == 204)
                #expect(try await world.join(full, ada).slug == "party-full")
            }
            for _ in 0..<20 { #expect(try await found(ada, in: world).status == 201) }
            #expect(try await world.join(full, ada).slug == "too-many-parties")
        }
    }

    @Test func `a repeated request that used the last slot succeeds`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            for _ in 0..<19 { _ = try await found(ada, in: world) }
            let first = try await found(ada, in: world, key: "last")
            let again = try await found(ada, in: world, key: "last")
            #expect(first.status == 201 && again.status == 201 && again.text == first.text)
            #expect(try await found(ada, in: world, key: "another").slug == "too-many-parties")
        }
    }

    @Test func `an unfinished claim counts for two minutes`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            for _ in 0..<19 { _ = try await found(ada, in: world) }
            // The state after a process was killed between the claim and the creation of the party.
            try await world.claimForever(ada)
            #expect(try await found(ada, in: world).slug == "too-many-parties")
            try await world.pass(.seconds(121))
            #expect(try await found(ada, in: world).status == 201)
        }
    }
}
