import GameEngine
import JSONCoding
import Testing

@testable import PartyAPI

/// The routes of players' histories and of leaderboards.
@Suite struct ProgressRouteTests {
    @Test func `a player sees level, history and rank after adventures`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            var adventures: [String] = []
            for _ in 0..<3 {
                adventures.append(try await world.journey(party, by: ada))
                try await world.pass(.seconds(2 * 60 * 60))
            }
            #expect(try await world.commands.giveAwards(limit: 100) == 6)
            func get(_ path: String, by player: TestPlayer) async throws -> Reply {
                try await world.client.send("GET", path, token: player.token)
            }
            let page = try await get("/v1/players/me/adventures?limit=2", by: ada)
            #expect(page.json["adventures"].array.map { $0["adventureID"].text } == [adventures[2], adventures[1]])
            #expect(page.json["adventures"][0]["region"] == "meadow" && page.json["adventures"][0]["boss"] == .null)
            let next = page.json["next"].text
            let last = try await get("/v1/players/me/adventures?limit=2&after=\(next)", by: ada).json
            #expect(last["adventures"].array.map { $0["adventureID"].text } == [adventures[0]] && last["next"] == .null)

            let profile = try await get("/v1/players/me", by: ada).json
            let gains = (page.json["adventures"].array + last["adventures"].array).map { $0["experience"].number }
            #expect(profile["experience"].number == gains.reduce(0, +) && profile["bossesDefeated"] == 0)
            #expect(profile["hero"]["level"] == page.json["adventures"][0]["hero"]["level"])

            let week = try await get("/v1/leaderboards/experience?period=week&around=me", by: ada).json
            #expect(week["top"].array.count == 2 && week["startsAt"] == "2026-09-21T00:00:00.000Z")
            let own = week["around"].array.first { $0["isCaller"] == true } ?? .null
            #expect(own["displayName"] == "Ada" && own["score"] == profile["experience"])
            let season = try await get("/v1/leaderboards/experience", by: ben).json
            #expect(season["period"] == "season" && season["around"] == .null)
            #expect(season["top"].array.filter { $0["isCaller"] == true }.map { $0["displayName"] } == ["Ben"])

            let choice: JSONValue = ["namedInLeaderboards": false]
            let hidden = try await world.client.send("PATCH", "/v1/players/me", token: ben.token, body: choice)
            #expect(hidden.json["displayName"] == "Ben" && hidden.json["namedInLeaderboards"] == false)
            let names = try await get("/v1/leaderboards/experience?around=me", by: ada).json
            for list in [names["top"], names["around"]] {
                #expect(Set(list.array.map { $0["displayName"].text }) == ["Ada", "Spouty"])
            }

            let bosses = try await get("/v1/leaderboards/bosses?around=me", by: ada).json
            #expect(bosses["top"].array.isEmpty && bosses["around"].array.isEmpty)

            let export = try await get("/v1/players/me/export", by: ada).json
            #expect(export["history"].array.count == 3 && export["scores"].array.count == 2)

            for (path, field) in [
                ("/v1/leaderboards/gold", "board"), ("/v1/leaderboards/bosses?period=day", "period"),
                ("/v1/leaderboards/bosses?around=ben", "around"), ("/v1/players/me/adventures?after=1", "after"),
                ("/v1/players/me/adventures?limit=101", "limit"),
            ] {
                let reply = try await get(path, by: ada)
                #expect(reply.status == 422 && reply.fieldErrors.keys.contains(field), "\(path)")
            }
        }
    }
}
