import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import JSONCoding
import Testing

@testable import PartyAPI

/// The routes of raids, for operators and players.
@Suite struct RaidRouteTests {
    private static let unknown = "0198a1b2-0000-7000-8000-000000000001"

    /// Starts a raid and returns its JSON.
    private static func start(
        _ world: APIWorld,
        health: Int,
        seconds: Int = 600,
        regions: JSONValue = ["peaks"],
        startsAt: JSONValue = .null,
        by token: String,
        query: String = ""
    ) async throws -> Reply {
        try await world.client.send(
            "POST",
            "/admin/v1/raids\(query)",
            token: token,
            body: [
                "boss": "cinderwing", "health": .number(Double(health)), "durationSeconds": .number(Double(seconds)),
                "regions": regions, "startsAt": startsAt,
            ]
        )
    }

    private static func join(
        _ raid: String,
        _ party: TestParty,
        by player: TestPlayer,
        _ world: APIWorld
    ) async throws -> Reply {
        let body: JSONValue = ["kind": "raid", "raidID": .string(raid)]
        return try await world.client.send(
            "POST",
            "/v1/parties/\(party.id)/adventures",
            token: player.token,
            body: body
        )
    }

    @Test func `parties join a raid, defeat the boss and see their places`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben", hero: "ember"))
            let parties = [try await world.party(of: ada), try await world.party(of: ben)]
            let started = try await Self.start(world, health: 120, by: admin)
            #expect(started.status == 201 && started.json["state"] == "running" && started.json["dryRun"] == false)
            let id = started.json["raidID"].text
            let fight = try await Self.join(id, parties[0], by: ada, world)
            #expect(fight.status == 201 && fight.json["kind"] == "raid" && fight.json["boss"]["maximumHealth"] == 120)
            #expect(try await Self.join(id, parties[0], by: ada, world).slug == "adventure-running")
            let raidID = try #require(RaidID(id))
            let key = BroadcastChannel.Key(BroadcastChannel.Owner(.raid, raidID.rawValue), in: .sandbox)
            try await world.store.wantChannels([key], storing: .noMessage)
            _ = try await world.store.changeChannel(key) { channel, now in
                (channel.state, channel.channelID, channel.createdAt) = (.created, "dHN0LXNyY2gtY2hubA==", now)
            }
            #expect(try await Self.join(id, parties[1], by: ben, world).status == 201)
            let shown = try await world.client.send("GET", "/v1/raids/\(id)", token: ben.token).json
            #expect(shown["channels"] == ["sandbox": "dHN0LXNyY2gtY2hubA=="])

            func read(_ path: String = "", by token: String) async throws -> JSONValue {
                try await world.client.send("GET", "/v1/raids/\(id)\(path)", token: token).json
            }
            var raid = try await read(by: ada.token)
            while raid["state"] == "running" {
                try await world.pass(.seconds(5))
                await world.runRaids()
                raid = try await read(by: ada.token)
            }
            // The shards record the ends of their fights, and the last standings.
            try await world.pass(.seconds(1))
            #expect(raid["state"] == "defeated" && raid["boss"]["health"] == 0 && raid["damage"] == 120)
            #expect(
                raid["finishingBlow"]["damage"].number > 0 && raid["waitingFor"] == .null && raid["endedAt"] != .null
            )

            let first = try await read("/rounds?limit=2", by: ben.token)
            let rest = try await read("/rounds?limit=1000&after=\(Int(first["next"].number))", by: ben.token)
            let rounds = first["rounds"].array + rest["rounds"].array
            #expect(rounds.map { $0["round"].number } == (0..<rounds.count).map(Double.init))
            #expect(rounds.reduce(0) { $0 + $1["damage"].number } == 120 && rounds.last?["health"] == 0)

            let ranking = try await read("/ranking", by: ben.token)["parties"].array
            #expect(ranking.count == 2 && ranking[0]["place"] == 1 && ranking.allSatisfy { $0["name"] == .null })
            #expect(ranking.reduce(0) { $0 + $1["damage"].number } == 120)
            let place = try await read("?party=\(parties[1].id)", by: ben.token)["place"]
            let entry = ranking.first { $0["partyID"].text == parties[1].id } ?? .null
            #expect(place["of"] == 2 && place["place"] == entry["place"] && place["damage"] == entry["damage"])
            let foreign = try await world.client.send("GET", "/v1/raids/\(id)?party=\(parties[0].id)", token: ben.token)
            #expect(foreign.slug == "unknown-party")

            #expect(try await Self.join(id, parties[0], by: ada, world).slug == "raid-over")
            let path = "/admin/v1/raids/\(id)"
            #expect(try await world.client.send("POST", "\(path)/stop", token: admin).slug == "raid-over")
            let names = try await world.client.send("GET", "\(path)/ranking", token: admin).json["parties"].array
            #expect(names.map { $0["name"] } == ["Test party", "Test party"])
            #expect(try await world.client.send("GET", "\(path)/rounds", token: admin).status == 200)
        }
    }

    @Test func `an operator schedules a raid and stops it, and viewers only read and try`() async throws {
        try await APIWorld.with { world in
            let (admin, viewer) = (
                try await world.operatorToken(.admin), try await world.operatorToken(.viewer, name: "Vera")
            )
            let ada = try await world.player()
            func list(_ path: String, by token: String) async throws -> [JSONValue] {
                try await world.client.send("GET", path, token: token).json["raids"].array
            }
            let tried = try await Self.start(world, health: 500, by: viewer, query: "?dryRun=true")
            #expect(tried.status == 200 && tried.json["dryRun"] == true && tried.json["boss"]["health"] == 500)
            #expect(try await Self.start(world, health: 500, by: viewer).slug == "viewers-only-read")
            #expect(try await list("/admin/v1/raids?ended=true", by: viewer).isEmpty)

            let later: JSONValue = .string((world.clock.now + .seconds(3_600)).rfc3339)
            let raid = try await Self.start(world, health: 500, startsAt: later, by: admin).json
            let id = raid["raidID"].text
            #expect(raid["state"] == "scheduled")
            let party = try await world.party(of: ada)
            #expect(try await Self.join(id, party, by: ada, world).slug == "raid-not-started")
            #expect(try await list("/v1/raids?region=peaks", by: ada.token).map { $0["raidID"].text } == [id])
            #expect(try await list("/v1/raids?region=meadow", by: ada.token).isEmpty)
            #expect(try await list("/v1/raids", by: ada.token)[0]["waitingFor"] == .null)

            let stop = "/admin/v1/raids/\(id)/stop"
            #expect(try await world.client.send("POST", stop, token: viewer).slug == "viewers-only-read")
            let dry = try await world.client.send("POST", "\(stop)?dryRun=true", token: viewer)
            #expect(dry.status == 200 && dry.json["state"] == "scheduled" && dry.json["dryRun"] == true)
            for _ in 0..<2 {
                let stopped = try await world.client.send("POST", stop, token: admin)
                #expect(stopped.status == 200 && stopped.json["state"] == "stopped")
            }
            await world.runRaids()
            #expect(try await list("/admin/v1/raids", by: viewer).isEmpty)
            #expect(try await list("/admin/v1/raids?ended=true", by: viewer).map { $0["state"] } == ["stopped"])
            let entries = try await world.client.send("GET", "/admin/v1/audit", token: viewer).json["entries"].array
            #expect(entries.map { $0["action"] }.filter { $0.text.hasPrefix("raid.") } == ["raid.stop", "raid.start"])
            #expect(entries.contains { $0["target"].text == "raid/\(id)" && $0["author"] == "Olga" })
        }
    }

    @Test func `a repeated start with one key is one raid`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let body: JSONValue = ["boss": "glitch", "health": 50, "durationSeconds": 60]
            var raids: [String] = []
            for _ in 0..<2 {
                let reply = try await world.client.send(
                    "POST",
                    "/admin/v1/raids",
                    token: admin,
                    body: body,
                    headers: ["Idempotency-Key": "once"]
                )
                #expect(reply.status == 201)
                raids.append(reply.json["raidID"].text)
            }
            #expect(Set(raids).count == 1)
            // Without a list, the boss rages everywhere.
            let list = try await world.client.send("GET", "/admin/v1/raids", token: admin).json["raids"]
            #expect(list.array.count == 1 && list[0]["regions"].array.count == RegionCatalogue.all.count)
        }
    }

    @Test func `a request that no raid fits names what is wrong`() async throws {
        try await APIWorld.with { world in
            let (admin, ada) = (try await world.operatorToken(.admin), try await world.player())
            for (field, value) in [
                ("boss", "wolf"), ("health", 0), ("health", .number(1.5)), ("durationSeconds", 9),
                ("durationSeconds", 604_801),
                ("startsAt", "soon"), ("startsAt", "2020-01-01T00:00:00Z"), ("startsAt", "2030-01-01T00:00:00Z"),
                ("regions", []), ("regions", ["moon"]), ("regions", "peaks"), ("size", 1),
            ] as [(String, JSONValue)] {
                var body: [String: JSONValue] = ["boss": "glitch", "health": 50, "durationSeconds": 60]
                body[field] = value
                let reply = try await world.client.send("POST", "/admin/v1/raids", token: admin, body: .object(body))
                #expect(reply.status == 422 && Array(reply.fieldErrors.keys) == [field], "\(field) \(value)")
            }
            for path in ["?party=one", "/rounds?after=-1", "/rounds?limit=0", "/rounds?limit=1001"] {
                let reply = try await world.client.send("GET", "/v1/raids/\(Self.unknown)\(path)", token: ada.token)
                #expect(reply.status == 422, "\(path)")
            }
            #expect(try await world.client.send("GET", "/v1/raids?region=moon", token: ada.token).status == 422)
            for (path, token) in [("/v1/raids", ada.token), ("/admin/v1/raids", admin)] {
                for part in ["", "/rounds", "/ranking"] {
                    let reply = try await world.client.send("GET", "\(path)/\(Self.unknown)\(part)", token: token)
                    #expect(reply.status == 404 && reply.slug == "raid-not-found", "\(path)\(part)")
                }
                let malformed = try await world.client.send("GET", "\(path)/first", token: token)
                #expect(malformed.fieldErrors["raidID"] == "must be a UUID")
            }
            let party = try await world.party(of: ada)
            #expect(try await Self.join(Self.unknown, party, by: ada, world).slug == "raid-not-found")
            let stop = try await world.client.send("POST", "/admin/v1/raids/\(Self.unknown)/stop", token: admin)
            #expect(stop.slug == "raid-not-found")
            for body: JSONValue in [
                ["kind": "raid"], ["kind": "raid", "raidID": "one"], ["kind": "bossFight", "region": "meadow"],
                ["kind": "raid", "raidID": .string(Self.unknown), "region": "meadow"],
            ] {
                let path = "/v1/parties/\(party.id)/adventures"
                let reply = try await world.client.send("POST", path, token: ada.token, body: body)
                #expect(reply.slug == "invalid-fields", "\(body)")
            }
        }
    }
}
