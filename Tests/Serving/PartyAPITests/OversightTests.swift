import Foundation
import GameCore
import GameStore
import JSONCoding
import PostgresClient
import Testing

/// The operators' routes of parties, statistics and the audit log.
@Suite struct OversightTests {
    @Test func `parties come in pages that hold each of them once, by state, name, player or code`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let ada = try await world.player()
            var parties: [TestParty] = []
            for _ in 1...5 { parties.append(try await world.party(of: ada)) }
            _ = try await world.journey(parties[0], by: ada)
            let bo = try await world.player("Bo")
            _ = try await world.join(parties[1], bo)
            func list(_ query: String) async throws -> JSONValue {
                let reply = try await world.client.send("GET", "/admin/v1/parties?\(query)", token: viewer)
                #expect(reply.status == 200)
                return reply.json
            }
            func ids(_ json: JSONValue) -> Set<String> { Set(json["parties"].array.map { $0["partyID"].text }) }

            var paged: [String] = []
            var cursor = ""
            repeat {
                let page = try await list("limit=2\(cursor)")
                try #require(page["parties"].array.count <= 2)
                paged += page["parties"].array.map { $0["partyID"].text }
                cursor = page["next"] == .null ? "" : "&after=\(page["next"].text)"
            } while !cursor.isEmpty && paged.count <= 5
            #expect(paged.sorted() == parties.map(\.id).sorted())

            #expect(ids(try await list("state=running")) == [parties[0].id])
            #expect(ids(try await list("state=idle")) == Set(parties.dropFirst().map(\.id)))
            let bos = try await list("playerID=\(bo.id)")
            #expect(ids(bos) == [parties[1].id] && bos["parties"][0]["members"] == 2)
            #expect(ids(try await list("playerID=\(ada.id)&state=running")) == [parties[0].id])
            #expect(ids(try await list("inviteCode=\(parties[2].inviteCode.lowercased())")) == [parties[2].id])
            #expect(ids(try await list("inviteCode=ABCD2345")).isEmpty)
            #expect(ids(try await list("name=TEST%20p")).count == 5)
            #expect(ids(try await list("name=rest")).isEmpty)
            #expect(ids(try await list("name=party&state=running")) == [parties[0].id])
            #expect(ids(try await list("name=rest&playerID=\(bo.id)")).isEmpty)
            #expect(ids(try await list("inviteCode=\(parties[1].inviteCode)&playerID=\(bo.id)")) == [parties[1].id])
            #expect(ids(try await list("inviteCode=\(parties[2].inviteCode)&playerID=\(bo.id)")).isEmpty)
        }
    }

    @Test func `a request scans a limited number of rows, and a page without matches has a next one`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            // More than a thousand idle parties, followed by a party on an adventure.
            let rows = """
                INSERT INTO parties
                    (shard, party_id, name, invite_code, leader_id, capacity, version, created_at, adventure_id)
                SELECT 255, ('00000000-0000-7000-8000-' || lpad(to_hex(number), 10, '0') || 'ff')::uuid, 'P', '00000000',
                    '00000000-0000-7000-8000-000000000000', 8, 1, now(),
                    CASE WHEN number = 1100 THEN '00000000-0000-7000-8000-0000000000ff'::uuid END
                FROM generate_series(1, 1100) AS number
                """
            _ = try await world.pool.query(PostgresQuery(Statement("test.parties", rows)))
            let path = "/admin/v1/parties?state=running&limit=10"
            let first = try await world.client.send("GET", path, token: viewer).json
            #expect(first["parties"].array.isEmpty && first["next"] != .null)
            let second = try await world.client.send("GET", "\(path)&after=\(first["next"].text)", token: viewer).json
            #expect(second["parties"].array.count == 1 && second["next"] == .null)
        }
    }

    @Test func `invalid query parameters are rejected by name`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let queries = [
                "parties?state=asleep": ["state": "must be one of idle, running"],
                "parties?name=": ["name": "must not be empty"],
                "parties?after=7": ["after": "must be 'next' of the previous page"],
                "parties?playerID=7": ["playerID": "must be a UUID"],
                "parties?limit=0": ["limit": "must be a whole number from 1 to 1000"],
                "players/seven/activities": ["playerID": "must be a UUID"],
                "players/seven/devices": ["playerID": "must be a UUID"],
                "audit?since=yesterday": ["since": "must be a timestamp such as 2026-01-02T03:04:05Z"],
                "audit?since=2026-13-02T03:04:05Z": ["since": "must be a timestamp such as 2026-01-02T03:04:05Z"],
                "audit?before=1-256-1": ["before": "must be 'next' of the previous page"],
                "audit?author=%00": ["author": "must be the name of an operator"],
                "audit/verification?after=-1": ["after": "must be 'next' of the previous part"],
                "audit/hashes?positions=7-1,": [
                    "positions": "must be 1 to 64 positions such as 7-12, separated by commas"
                ],
            ]
            for (query, errors) in queries {
                let reply = try await world.client.send("GET", "/admin/v1/\(query)", token: viewer)
                #expect(reply.status == 422 && reply.fieldErrors == errors, "\(query): \(reply.text)")
            }
            let admin = try await world.operatorToken(.admin, name: "Rev")
            let path = "/admin/v1/parties/0198a1b2-0000-7000-8000-000000000001/disband"
            let reply = try await world.client.send("POST", "\(path)?dryRun=perhaps", token: admin)
            #expect(reply.fieldErrors == ["dryRun": "must be true or false"])
            #expect(try await world.client.send("POST", path, token: admin).slug == "unknown-party")
        }
    }

    @Test func `a disbanding can be previewed, and then frees the players`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let id = try await world.journey(party, by: ada)
            _ = try await world.client.send(
                "PUT",
                "/v1/adventures/\(id)/activities/0198a1b2-c3d4-7000-8000-00000000abcd",
                token: ada.token,
                body: [
                    "deviceID": .string(ada.id), "pushToken": "5f1d4c0a77ee", "environment": "sandbox",
                    "frequentPushesEnabled": true,
                ]
            )
            try await world.store.register(
                dispatcher: UUID(),
                knowsAll: true,
                sendingTo: [.sandbox],
                for: .seconds(600)
            )
            let path = "/admin/v1/parties/\(party.id)"
            let rehearsal = try await world.client.send("POST", "\(path)/disband?dryRun=true", token: admin)
            #expect(rehearsal.status == 200 && rehearsal.json["dryRun"] == true)
            #expect(rehearsal.json["changes"].array.map { $0["action"] } == ["adventure.end", "party.disband"])
            #expect(rehearsal.json["events"].array.map { $0["kind"] } == ["adventureEnded"])
            #expect(rehearsal.json["activities"] == 1)
            #expect(try await world.client.send("GET", path, token: admin).json["adventureID"] == .string(id))

            let viewer = try await world.operatorToken(.viewer, name: "Vi")
            #expect(try await world.client.send("POST", "\(path)/disband", token: viewer).status == 403)
            let done = try await world.client.send("POST", "\(path)/disband", token: admin)
            #expect(done.status == 200 && done.json["adventure"]["outcome"] == "endedByOperator")
            #expect(try await world.client.send("GET", path, token: admin).slug == "unknown-party")
            let mine = try await world.client.send("GET", "/v1/players/me/parties", token: ada.token)
            #expect(!mine.text.contains(party.id))
            // The activities of its devices remain visible.
            for path in ["\(path)/activities", "/admin/v1/players/\(ada.id)/activities"] {
                let activities = try await world.client.send("GET", path, token: viewer).json["activities"]
                #expect(activities.array.map { $0["adventureID"] } == [.string(id)])
            }
        }
    }

    @Test func `dry runs change nothing, and have the refusals of the real action`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let party = try await world.party(of: try await world.player())
            let fight: JSONValue = ["boss": "glitch", "partyID": .string(party.id)]
            func post(_ path: String, _ body: JSONValue? = nil) async throws -> Reply {
                try await world.client.send("POST", "/admin/v1/\(path)", token: admin, body: body)
            }
            let rehearsal = try await post("boss-fights?dryRun=true", fight)
            #expect(rehearsal.status == 200 && rehearsal.json["changes"][0]["after"]["boss"] == "glitch")
            #expect(rehearsal.json["startableActivities"] == 0)
            let started = try await post("boss-fights", fight)
            #expect(started.status == 201)
            #expect(try await post("boss-fights?dryRun=true", fight).slug == "adventure-running")
            let end = "adventures/\(started.json["adventureID"].text)/end"
            let ending = try await post("\(end)?dryRun=true")
            #expect(ending.json["adventure"]["outcome"] == "endedByOperator")
            #expect(try await post(end).json["status"] == "ended")
            #expect(try await post("\(end)?dryRun=true").slug == "adventure-over")
        }
    }

    @Test func `entries of the audit log have author, change and request, and the verification names the broken entry`()
        async throws
    {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let party = try await world.party(of: try await world.player())
            let started = try await world.client.send(
                "POST",
                "/admin/v1/boss-fights",
                token: admin,
                body: ["boss": "glitch", "partyID": .string(party.id)],
                headers: ["X-Request-Id": "night-7"]
            )
            func get(_ path: String) async throws -> JSONValue {
                try await world.client.send("GET", "/admin/v1/\(path)", token: admin).json
            }
            let page = try await get("audit?limit=1")
            #expect(page["entries"].array.count == 1 && page["next"] != .null)
            let entry = page["entries"][0]
            #expect(entry["author"] == "Olga" && entry["action"] == "boss.start" && entry["requestID"] == "night-7")
            #expect(entry["target"] == .string("party/\(party.id)"))
            #expect(entry["after"]["adventureID"] == started.json["adventureID"])
            let rest = try await get("audit?before=\(page["next"].text)&author=Olga")
            #expect(rest["entries"].array.map { $0["action"] } == ["operator.create"] && rest["next"] == .null)
            #expect(try await get("audit?author=Rev")["entries"].array.isEmpty)
            #expect(try await get("audit?since=2100-01-01T00:00:00Z")["entries"].array.isEmpty)

            let verdict = try await get("audit/verification")
            #expect(verdict["entries"] == 2 && verdict["isIntact"] == true)
            let ends = verdict["ends"].array
            let positions = ends.map { "\(Int($0["shard"].number))-\(Int($0["position"].number))" }
            let hashes = try await get("audit/hashes?positions=\(positions.joined(separator: ","))")
            #expect(!ends.isEmpty && hashes["hashes"].array == ends)
            let change = "UPDATE audit SET after = '{' WHERE action = 'boss.start'"
            _ = try await world.pool.query(PostgresQuery(Statement("test.change", change)))
            let broken = try await get("audit/verification")
            #expect(broken["isIntact"] == false && broken["fault"]["kind"] == "changed")
            #expect(broken["fault"]["shard"] == entry["shard"] && broken["fault"]["position"] == 1)
            // The unreadable facts do not affect the other entries.
            #expect(try await get("audit")["entries"][0]["after"] == ["unreadable": "{"])

            for deed in ["DELETE FROM audit", "UPDATE audit_heads SET length = 0"] {
                _ = try await world.pool.query(PostgresQuery(Statement("test.\(deed)", deed)))
            }
            let emptied = try await get("audit/verification")["fault"]
            #expect(emptied["kind"] == "otherEnd" && emptied["position"] == 0)
            #expect(emptied["explanation"].text.hasPrefix("The chain of shard 0 is empty, but its stored end is not"))
        }
    }

    @Test func `statistics count parties, players and adventures`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let ada = try await world.player()
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            _ = try await world.bossFight(try await world.party(of: try await world.player("Bo")))
            _ = try await world.party(of: ada)
            _ = try await world.client.send(
                "PUT",
                "/v1/adventures/\(journey)/activities/0198a1b2-c3d4-7000-8000-00000000abcd",
                token: ada.token,
                body: [
                    "deviceID": .string(ada.id), "pushToken": "5f1d4c0a77ee", "environment": "sandbox",
                    "frequentPushesEnabled": true,
                ]
            )
            try await world.pass(.seconds(7))
            let statistics = try await world.client.send("GET", "/admin/v1/stats", token: viewer).json
            #expect(statistics["parties"] == ["count": 3, "isExact": true])
            #expect(statistics["players"] == ["count": 2, "isExact": true])
            #expect(statistics["adventures"] == ["journeys": 1, "bossFights": 1])
            #expect(statistics["activities"] == ["live": 1, "pushedToInLastMinute": 0])
            // There is no dispatcher, so the first changes are pending.
            #expect(statistics["log"]["oldestPendingSeconds"] == 7)
            #expect(statistics["shards"] == ["leased": 0, "all": 256] && statistics["dispatchers"] == 0)
            #expect(statistics["auditEntries"] == 3)
        }
    }
}
