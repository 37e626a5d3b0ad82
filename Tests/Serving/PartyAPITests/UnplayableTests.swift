import GameStore
import HTTPServing
import JSONCoding
import PartyAPI
import PostgresClient
import Testing

/// Adventures and shards that this release cannot play.
@Suite struct UnplayableTests {
    private func change(_ world: APIWorld, _ name: String, _ sql: String) async throws {
        _ = try await world.pool.query(PostgresQuery(Statement("test.\(name)", sql)))
    }

    @Test(arguments: [
        // The opening can be decoded, so the heroes of the start are known.
        ("input", "UPDATE log SET digest = digest + 1 WHERE kind = 'input'"),
        // Nothing can be decoded.
        ("opening", "UPDATE adventures SET opening = 'nonsense'"),
    ])
    func `an adventure that cannot be played holds up nobody, and an operator can end it`(
        name: String,
        damage: String
    ) async throws {
        try await APIWorld.with { world in
            let (ada, ben, cleo) = (
                try await world.player("Ada"), try await world.player("Ben"), try await world.player("Cleo")
            )
            let party = try await world.party(of: ada)
            let journey = try await world.journey(party, by: ada)
            _ = try await world.join(party, ben)
            try await change(world, name, damage)
            let path = "/v1/adventures/\(journey)"
            for suffix in ["", "/events", "/stream"] {
                let reply = try await world.client.send("GET", path + suffix, token: ada.token)
                #expect(reply.status == 422 && reply.slug == "unreadable-record", "\(suffix) \(reply.text)")
            }
            // The party goes on around it.
            #expect(try await world.join(party, cleo).status == 200)
            let members = "/v1/parties/\(party.id)/members"
            #expect(try await world.client.send("DELETE", "\(members)/\(cleo.id)", token: cleo.token).status == 204)
            #expect(try await world.client.send("GET", "/v1/players/me", token: ada.token).status == 200)
            let export = try await world.client.send("GET", "/v1/players/me/export", token: ada.token)
            #expect(export.status == 200 && export.json["unreadableAdventures"] == [.string(journey)])

            // Its end is due: it is recorded as faulty, and the doctor names it.
            try await world.pass(.seconds(3_600))
            let admin = try await world.operatorToken(.admin)
            let doctor = try await world.client.send("GET", "/admin/v1/doctor", token: admin)
            let check = try #require(doctor.json["checks"].array.first { $0["name"] == "adventures" })
            #expect(check["status"] == "failed" && check["finding"].text.contains(journey))

            let end = "/admin/v1/adventures/\(journey)/end"
            let dryRun = try await world.client.send("POST", "\(end)?dryRun=true", token: admin)
            #expect(dryRun.status == 200 && dryRun.json["changes"].array.count == 1)
            let ended = try await world.client.send("POST", end, token: admin)
            #expect(ended.status == 200, "\(ended.text)")
            #expect(ended.json["outcome"] == "endedByOperator" || ended.json["changes"].array.count == 1)
            let again = try await world.client.send("POST", end, token: admin)
            #expect(again.status == 409 && again.slug == "adventure-over", "\(again.text)")

            let view = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ada.token)
            #expect(view.status == 200 && view.json["adventureID"] == .null)
            #expect(try await world.client.send("GET", "/v1/players/me/export", token: ada.token).status == 200)
            #expect(try await world.journey(party, by: ada) != "")
            let healthy = try await world.client.send("GET", "/admin/v1/doctor", token: admin)
            #expect(healthy.json["checks"].array.first { $0["name"] == "adventures" }?["status"] == "ok")
        }
    }

    @Test func `a stream of an adventure that was ended without its events ends`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            _ = try await world.join(try await world.party(of: ada), try await world.player("Ben"))
            try await change(world, "interval", "UPDATE adventures SET opening = replace(opening, 'rules', 'ruins')")
            let admin = try await world.operatorToken(.admin)
            _ = try await world.client.send("POST", "/admin/v1/adventures/\(journey)/end", token: admin)
            let reply = try await world.client.send("GET", "/v1/adventures/\(journey)/stream", token: ada.token)
            #expect(reply.status == 422 && reply.slug == "unreadable-record")
        }
    }

    @Test func `a node that is too old for a shard plays nothing of it and is not ready`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let journey = try await world.journey(party, by: ada)
            let path = "/v1/adventures/\(journey)"
            #expect(try await world.client.send("GET", "/readyz").status == 200)
            let viewer = try await world.operatorToken(.viewer)
            try await world.stream(journey, ada) { stream in
                _ = try await stream.events(through: 1)
                try await change(world, "requires", "UPDATE shards SET requires = 99")
                #expect(try await stream.events().end == nil)
            }
            let state = try await world.client.send("GET", path, token: ada.token)
            #expect(state.status == 503 && state.slug == "outdated-node" && state.header("Retry-After") != nil)
            let code = try await world.client.send("POST", "/v1/parties/\(party.id)/invite-code", token: ada.token)
            #expect(code.status == 503 && code.slug == "outdated-node")
            // Players' requests outside of parties are served.
            #expect(try await world.client.send("GET", "/v1/players/me", token: ada.token).status == 200)
            let doctor = try await world.client.send("GET", "/admin/v1/doctor", token: viewer)
            let check = doctor.json["checks"].array.first { $0["name"] == "shards" }
            #expect(check?["status"] == "failed" && check?["finding"].text.contains("newer release") == true)

            try await change(world, "known", "UPDATE shards SET requires = 1")
            #expect(try await world.client.send("GET", path, token: ada.token).status == 200)
        }
    }

    @Test func `a hero that this release does not know joins and starts nothing here`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada)
            func isOutdated(_ reply: Reply) -> Bool { reply.status == 503 && reply.slug == "outdated-node" }
            // As if a newer release had registered the player.
            try await change(world, "player", "UPDATE players SET hero = 'nova' WHERE display_name = 'Ben'")
            #expect(isOutdated(try await world.join(party, ben)))
            let body: JSONValue = ["name": "Novae", "capacity": 4]
            #expect(isOutdated(try await world.client.send("POST", "/v1/parties", token: ben.token, body: body)))
            // As if the shard did not say that the member needs a newer release.
            try await change(world, "member", "UPDATE members SET hero = 'nova'")
            let journey: JSONValue = ["kind": "journey", "region": "meadow"]
            let path = "/v1/parties/\(party.id)/adventures"
            let start = try await world.client.send("POST", path, token: ada.token, body: journey)
            #expect(isOutdated(start), "\(start.status) \(start.text)")
        }
    }

    @Test func `readiness names shards of a newer release`() async throws {
        try await APIWorld.with { world in
            func failures() async -> [String] { await Readiness([.database(world.store)]).failures.map(\.name) }
            #expect(await failures().isEmpty)
            try await change(world, "one", "UPDATE shards SET requires = 99 WHERE shard = 7")
            #expect(await failures() == ["shards"])
        }
    }
}
