import GameStore
import JSONCoding
import PostgresClient
import Testing

@Suite struct ReplayTests {
    private func change(_ world: APIWorld, _ name: String, _ sql: String) async throws {
        _ = try await world.pool.query(PostgresQuery(Statement("test.\(name)", sql)))
    }

    private func journey(_ world: APIWorld) async throws -> String {
        let ada = try await world.player()
        let id = try await world.journey(try await world.party(of: ada), by: ada)
        for _ in 0..<5 { try await world.pass(.seconds(10)) }
        return "/admin/v1/adventures/\(id)/replay"
    }

    @Test func `an identical replay is reported`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            let reply = try await world.client.send("GET", path, token: try await world.operatorToken(.viewer))
            #expect(reply.status == 200)
            #expect(reply.json.keys == ["adventureID", "events", "identical"])
            #expect(reply.json["identical"] == true && reply.json["events"].number > 5)
        }
    }

    @Test func `the first changed event is reported with its replayed counterpart`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            try await change(
                world,
                "event",
                #"UPDATE events SET body = '{"kind": "partyWiped"}', kind = 'partyWiped' WHERE sequence IN (3, 4)"#
            )
            let reply = try await world.client.send("GET", path, token: try await world.operatorToken(.viewer))
            #expect(reply.json["identical"] == false)
            let difference = reply.json["difference"]
            #expect(difference["kind"] == "event" && difference["sequence"] == 3)
            #expect(difference["storedEvent"] == ["kind": "partyWiped"])
            #expect(difference["replayedEvent"]["kind"].text != "partyWiped")
        }
    }

    @Test func `a missing event is reported by its sequence`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            try await change(world, "missing", "DELETE FROM events WHERE sequence = 3")
            let reply = try await world.client.send("GET", path, token: try await world.operatorToken(.viewer))
            let difference = reply.json["difference"]
            #expect(difference["explanation"] == "Event 3 is missing in the stored events.")
            #expect(difference["storedEvent"] == .null && difference["replayedEvent"] != .null)
        }
    }

    @Test func `a damaged input is reported with the reason, without a server error`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let id = try await world.journey(party, by: ada)
            _ = try await world.join(party, try await world.player("Ben"))
            try await change(
                world,
                "input",
                #"UPDATE adventure_inputs SET input = jsonb_set(input, '{hero,experience}', '-1')"#
            )
            let viewer = try await world.operatorToken(.viewer)
            let reply = try await world.client.send("GET", "/admin/v1/adventures/\(id)/replay", token: viewer)
            #expect(reply.status == 422 && reply.slug == "unreadable-record")
            #expect(reply.text.contains("experience -1"))
        }
    }

    @Test func `a changed state is reported with its replayed counterpart`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            try await change(
                world,
                "state",
                "UPDATE adventures SET state = regexp_replace(state, 'potions [0-9]+', 'potions 99')"
            )
            let reply = try await world.client.send("GET", path, token: try await world.operatorToken(.viewer))
            let difference = reply.json["difference"]
            #expect(difference["kind"] == "state")
            #expect(difference["storedState"].text.contains("potions 99"))
            #expect(!difference["replayedState"].text.contains("potions 99"))
        }
    }

    @Test func `an adventure that cannot be replayed gets a problem with the reason`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            let viewer = try await world.operatorToken(.viewer)
            try await change(world, "rules", "UPDATE adventures SET opening = replace(opening, 'rules 3', 'rules 1')")
            let other = try await world.client.send("GET", path, token: viewer)
            #expect(other.status == 422 && other.slug == "unreadable-record")
            #expect(other.text.contains("unknown version of the rules, 1; this release has 2, 3"))
            try await change(world, "opening", "UPDATE adventures SET opening = 'nonsense'")
            let unreadable = try await world.client.send("GET", path, token: viewer)
            #expect(unreadable.status == 422 && unreadable.slug == "unreadable-record")
        }
    }

    @Test func `a replay is for operators, and of adventures that exist`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            #expect(try await world.client.send("GET", path, token: try await world.player("Eve").token).status == 401)
            let missing = "/admin/v1/adventures/0198a1b2-0000-7000-8000-000000000001/replay"
            let reply = try await world.client.send("GET", missing, token: try await world.operatorToken(.viewer))
            #expect(reply.status == 404 && reply.slug == "unknown-adventure")
        }
    }
}
