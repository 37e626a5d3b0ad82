import JSONCoding
import PostgresClient
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

    /// Returns the rows of a player's list of parties: whether each is marked as left.
    private func list(of player: TestPlayer, in world: APIWorld) async throws -> [String: Bool] {
        let list = Statement(
            "test.list",
            "SELECT party_id::text, left_at IS NOT NULL FROM player_parties WHERE player_id = $1::text::uuid"
        )
        let rows = try await world.pool.query(PostgresQuery(list, player.id))
        return Dictionary(uniqueKeysWithValues: try rows.map { try $0.decode(String.self, Bool.self) })
    }

    @Test func `a party is marked when it is left, and not listed by a refused request`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let (full, open) = (try await world.party(of: [ben], capacity: 1), try await world.party(of: ben))
            #expect(try await world.join(full, ada).slug == "party-full")
            #expect(try await list(of: ada, in: world) == [:])
            #expect(try await world.join(open, ada).status == 200)
            #expect(try await list(of: ada, in: world) == [open.id: false])
            #expect(try await leave(open.id, ada, in: world) == 204)
            #expect(try await list(of: ada, in: world) == [open.id: true])
            let renewal = "/v1/parties/\(open.id)/invite-code"
            #expect(try await world.client.send("POST", renewal, token: ben.token).status == 200)
            #expect(try await world.join(open, ada).slug == "unknown-invite-code")
            #expect(try await list(of: ada, in: world) == [open.id: true])
        }
    }

    @Test func `a member who returns is listed again`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ben, ada)
            #expect(try await leave(party.id, ada, in: world) == 204)
            #expect(try await world.join(party, ada).status == 200)
            #expect(try await list(of: ada, in: world) == [party.id: false])
        }
    }

    @Test func `a claim that finds the list full marks the parties that the player is not in`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            for _ in 0..<20 { #expect(try await found(ada, in: world).status == 201) }
            // The state after processes were killed before they could mark the parties.
            let remove = Statement(
                "test.remove",
                """
                DELETE FROM members WHERE player_id = $1::text::uuid AND party_id IN (
                    SELECT party_id FROM player_parties WHERE player_id = $1::text::uuid ORDER BY party_id LIMIT 19
                )
                """
            )
            _ = try await world.pool.query(PostgresQuery(remove, ada.id))
            #expect(try await found(ada, in: world).status == 201)
            #expect(try await list(of: ada, in: world).values.count { $0 } == 19)
        }
    }
}
