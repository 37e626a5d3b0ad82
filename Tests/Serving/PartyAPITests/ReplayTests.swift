import GameStore
import JSONCoding
import PostgresClient
import Testing

@Suite struct ReplayTests {
    private func change(_ world: APIWorld, _ name: String, _ sql: String) async throws {
        _ = try await world.pool.query(PostgresQuery(Statement("test.\(name)", sql)))
    }

    /// Plays a journey with a second hero to its end, and returns the path of its replay.
    private func journey(_ world: APIWorld) async throws -> String {
        let ada = try await world.player()
        let party = try await world.party(of: ada)
        let id = try await world.journey(party, by: ada)
        _ = try await world.join(party, try await world.player("Ben"))
        for _ in 0..<5 { try await world.pass(.seconds(10)) }
        return "/admin/v1/adventures/\(id)/replay"
    }

    @Test func `an identical replay is reported, before and after the end`() async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            let viewer = try await world.operatorToken(.viewer)
            let running = try await world.client.send("GET", path, token: viewer)
            #expect(running.status == 200)
            #expect(running.json.keys == ["adventureID", "events", "identical"])
            #expect(running.json["identical"] == true && running.json["events"].number > 5)
            try await world.pass(.seconds(3_600))
            let ended = try await world.client.send("GET", path, token: viewer)
            #expect(ended.json["identical"] == true && ended.json["events"].number > running.json["events"].number)
        }
    }

    @Test(arguments: [
        ("digest", "UPDATE log SET digest = digest + 1 WHERE kind = 'input'", "the digest differs"),
        ("end", "UPDATE adventures SET final_digest = final_digest + 1", "the digest differs"),
        ("moment", "UPDATE adventures SET ended_at = ended_at + interval '1 second'", "the moment of its end differs"),
        ("missing", "DELETE FROM log WHERE kind = 'input'", "the digest differs"),
        ("input", "UPDATE log SET body = 'nonsense' WHERE kind = 'input'", "cannot be decoded"),
        (
            "rules", "UPDATE adventures SET opening = replace(opening, 'rules 3', 'rules 1')",
            "unknown version of the rules"
        ),
        ("opening", "UPDATE adventures SET opening = 'nonsense'", ""),
    ])
    func `a difference is reported with an explanation`(name: String, sql: String, explanation: String) async throws {
        try await APIWorld.with { world in
            let path = try await journey(world)
            try await world.pass(.seconds(3_600))
            try await change(world, name, sql)
            let reply = try await world.client.send("GET", path, token: try await world.operatorToken(.viewer))
            #expect(reply.status == 200 && reply.json.keys == ["adventureID", "difference", "identical"])
            #expect(reply.json["identical"] == false)
            let difference = reply.json["difference"].text
            #expect(explanation.isEmpty ? !difference.isEmpty : difference.contains(explanation), "\(difference)")
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
