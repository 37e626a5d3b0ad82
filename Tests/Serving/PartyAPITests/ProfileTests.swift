import Foundation
import GameEngine
import JSONCoding
import PostgresClient
import Testing

@testable import PartyAPI

/// Changes of a player's name and hero.
@Suite struct ProfileTests {
    private func change(
        _ player: TestPlayer,
        _ body: JSONValue,
        headers: [String: String] = [:],
        in world: APIWorld
    ) async throws -> Reply {
        try await world.client.send("PATCH", "/v1/players/me", token: player.token, body: body, headers: headers)
    }

    private func member(_ player: TestPlayer, of party: TestParty, in world: APIWorld) async throws -> JSONValue {
        let reply = try await world.client.send("GET", "/v1/parties/\(party.id)", token: player.token)
        return reply.json["members"].array.first { $0["playerID"] == .string(player.id) } ?? .null
    }

    private func update(_ name: String, _ assignments: String, of player: TestPlayer, in world: APIWorld) async throws {
        let id = try #require(UUID(uuidString: player.id))
        let statement = Statement("test.\(name)", "UPDATE \(assignments) WHERE player_id = $1")
        _ = try await world.pool.query(PostgresQuery(statement, id))
    }

    @Test func `a changed name and hero are shown by all parties, and the experience stays`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben", hero: "ember"))
            let parties = [try await world.party(of: ada, ben), try await world.party(of: ben, ada)]
            _ = try await world.journey(parties[0], by: ada)
            try await world.pass(.seconds(2 * 60 * 60))
            let level = try await member(ada, of: parties[0], in: world)["hero"]["level"]
            let before = try await world.client.send("GET", "/v1/parties/\(parties[0].id)", token: ben.token)

            let reply = try await change(ada, ["displayName": " Ada L. ", "hero": "hoot"], in: world)
            #expect(reply.status == 200 && reply.json["displayName"] == "Ada L." && reply.json["version"] == 2)
            #expect(reply.header("ETag") == #""2""#)
            for party in parties {
                let member = try await member(ada, of: party, in: world)
                #expect(member["displayName"] == "Ada L." && member["hero"]["id"] == "hoot")
            }
            #expect(try await member(ada, of: parties[0], in: world)["hero"]["level"] == level)
            #expect(try await member(ben, of: parties[0], in: world)["displayName"] == "Ben")
            let after = try await world.client.send("GET", "/v1/parties/\(parties[0].id)", token: ben.token)
            #expect(after.json["version"].number == before.json["version"].number + 1)
            // The next adventure begins with them.
            let journey = try await world.journey(parties[0], by: ada)
            let adventure = try await world.client.send("GET", "/v1/adventures/\(journey)", token: ben.token)
            #expect(adventure.json["heroes"].array.contains { $0["hero"]["id"] == "hoot" })
        }
    }

    @Test func `a profile is not changed during an adventure, and nothing of an invalid change is`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ben, ada)
            _ = try await world.journey(party, by: ben)
            let refused = try await change(ada, ["hero": "hoot"], in: world)
            #expect(refused.status == 409 && refused.slug == "on-adventure")
            // No adventure shows that.
            #expect(try await change(ada, ["namedInLeaderboards": false], in: world).status == 200)
            try await world.pass(.seconds(2 * 60 * 60))
            #expect(try await change(ada, ["hero": "hoot"], in: world).status == 200)
            let invalid = try await change(ada, ["displayName": "Ada L.", "hero": "nobody"], in: world)
            #expect(invalid.status == 422 && invalid.fieldErrors.keys.contains("hero"))
            #expect(try await member(ada, of: party, in: world)["displayName"] == "Ada")
        }
    }

    @Test func `a profile is changed only at the version that the client has read, and repeated with its key`()
        async throws
    {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let read = try await world.client.send("GET", "/v1/players/me", token: ada.token)
            let tag = try #require(read.header("ETag"))
            let headers = ["If-Match": tag, "Idempotency-Key": "rename"]
            let first = try await change(ada, ["displayName": "Ada L."], headers: headers, in: world)
            let repeated = try await change(ada, ["displayName": "Ada L."], headers: headers, in: world)
            #expect(repeated.json == first.json && repeated.header("Idempotent-Replayed") == "true")
            #expect(repeated.header("ETag") == #""2""#)
            let late = try await change(ada, ["displayName": "Eve"], headers: ["If-Match": tag], in: world)
            #expect(late.status == 412 && late.slug == "profile-changed" && late.header("ETag") == #""2""#)
            // What is so already needs no version.
            #expect(
                try await change(ada, ["displayName": "Ada L."], headers: ["If-Match": tag], in: world).status == 200
            )
            #expect(try await change(ada, [:], in: world).json["version"] == 2)
            let current = try await world.client.send(
                "GET",
                "/v1/players/me",
                token: ada.token,
                headers: ["If-None-Match": #""2""#]
            )
            #expect(current.status == 304)
        }
    }

    @Test func `a change that a crash interrupted reaches all parties, and so does one during a join`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let parties = [try await world.party(of: ada), try await world.party(of: ada)]
            // As a node leaves it that crashed after the first step.
            let crashed = "players SET display_name = 'Ada L.', profile_changed_at = '2020-01-01 00:00:00+00'"
            try await update("crash", crashed, of: ada, in: world)
            #expect(try await member(ada, of: parties[0], in: world)["displayName"] == "Ada")
            #expect(try await world.commands.finishProfileChanges(limit: 10) == 1)
            for party in parties { #expect(try await member(ada, of: party, in: world)["displayName"] == "Ada L.") }
            #expect(try await world.commands.finishProfileChanges(limit: 10) == 0)

            // A change is repeated once, when no join that has read the older profile can be in progress.
            #expect(try await change(ada, ["hero": "hoot"], in: world).status == 200)
            #expect(try await world.commands.finishProfileChanges(limit: 10) == 0)
            try await update("lateJoin", "members SET hero = 'spouty'", of: ada, in: world)
            try await world.pass(.seconds(300))
            #expect(try await world.commands.finishProfileChanges(limit: 1) == 1)
            for party in parties { #expect(try await member(ada, of: party, in: world)["hero"]["id"] == "hoot") }
            #expect(try await world.commands.finishProfileChanges(limit: 10) == 0)
        }
    }

    @Test func `changes of a profile are counted in a daily quota`() async throws {
        try await APIWorld.with(quotas: Quotas(profiles: 2)) { world in
            let ada = try await world.player("Ada")
            for name in ["A", "B"] {
                #expect(try await change(ada, ["displayName": .string(name)], in: world).status == 200)
            }
            // One that changes nothing uses nothing.
            let refused = try await change(ada, ["displayName": "C"], in: world)
            #expect(refused.status == 429 && refused.slug == "quota-exceeded" && refused.header("Quota-Limit") == "2")
        }
    }
}
