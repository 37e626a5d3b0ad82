import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import JSONCoding
import PostgresClient
import Testing

@Suite struct ErasureTests {
    private static let activity = "0198a1b2-0000-7000-8000-0000000000aa"
    private static let pushToken = "feedfacecafe"
    private static let startToken = "feedfacebead"
    private static let alertToken = "feedfacedeed"
    private static let widgetToken = "feedfacefade"
    private static let quietHours: JSONValue = ["from": 1_320, "to": 420, "timeZone": "Pacific/Chatham"]

    /// Stores all kinds of personal data for a player on a journey.
    private func storePersonalData(_ player: TestPlayer, in world: APIWorld, journey: String) async throws {
        let push: JSONValue = [
            "deviceID": .string(player.id), "pushToken": .string(Self.pushToken), "environment": "simulator",
            "frequentPushesEnabled": true, "locale": "ko",
        ]
        let key = ["Idempotency-Key": "key of \(player.id)".replacing(" ", with: "-")]
        let path = "/v1/adventures/\(journey)/activities/\(Self.activity)"
        #expect(
            try await world.client.send("PUT", path, token: player.token, body: push, headers: key).status == 201
        )
        let device: JSONValue = [
            "environment": "simulator", "locale": "ko", "appBuild": "2.1 (47)", "liveActivitiesEnabled": true,
            "frequentPushesEnabled": true, "pushToStartToken": .string(Self.startToken),
            "followsRaids": true, "alertToken": .string(Self.alertToken), "widgetToken": .string(Self.widgetToken),
            "alerts": .object(["quietHours": Self.quietHours]),
        ]
        let devicePath = "/v1/players/me/devices/\(player.id)"
        #expect(try await world.client.send("PUT", devicePath, token: player.token, body: device).status == 200)
    }

    /// Returns every value of every row of every table, as text.
    private func everythingStored(in world: APIWorld) async throws -> String {
        let names = Statement(
            "test.tables",
            "SELECT table_name::text FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1"
        )
        var all = ""
        for row in try await world.pool.query(PostgresQuery(names)) {
            let table = try row.decode(String.self)
            let dump = Statement(
                "test.dump.\(table)",
                "SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM \(table) AS t"
            )
            all += "\(table)\n" + (try await world.pool.query(PostgresQuery(dump))[0].decode(String.self)) + "\n"
        }
        return all
    }

    @Test func `an erased player leaves no name and no token behind, and games that replay`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada Lovelace"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let journey = try await world.journey(party, by: ada)
            try await storePersonalData(ada, in: world, journey: journey)
            try await world.pass(.seconds(30))
            // The idempotency record of another member has a response that contains Ada.
            let key = ["Idempotency-Key": "renewal-of-ben"]
            let next: JSONValue = ["playerID": .string(ben.id)]
            let (leader, renewal) = ("/v1/parties/\(party.id)/leader", "/v1/parties/\(party.id)/invite-code")
            #expect(try await world.client.send("POST", leader, token: ada.token, body: next).status == 200)
            let renewed = try await world.client.send("POST", renewal, token: ben.token, headers: key)
            #expect(renewed.status == 200 && renewed.text.contains("Ada Lovelace"))
            let before = try await everythingStored(in: world)
            #expect(before.contains("Ada Lovelace") && before.contains(Self.pushToken))
            // In the rows of the device and of its activity.
            #expect(before.components(separatedBy: "Pacific/Chatham").count == 3)

            let erased = try await world.client.send("DELETE", "/v1/players/me", token: ada.token)
            #expect(erased.status == 204 && erased.text.isEmpty)

            let after = try await everythingStored(in: world)
            #expect(!after.contains("Ada Lovelace") && !after.contains("Pacific/Chatham"))
            for token in [Self.pushToken, Self.startToken, Self.alertToken, Self.widgetToken] {
                #expect(!after.contains(token))
            }
            #expect(!after.contains("key-of-\(ada.id)"))
            let repeated = try await world.client.send("POST", renewal, token: ben.token, headers: key)
            #expect(repeated.status == 200 && repeated.json["inviteCode"] == renewed.json["inviteCode"])
            #expect(repeated.json["members"].array.map { $0["playerID"] } == [.string(ben.id)])
            #expect(try await world.client.send("GET", "/v1/players/me", token: ada.token).slug == "invalid-token")

            // The other members continue; the one with the longest membership is the leader.
            let shown = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ben.token)
            #expect(shown.json["leaderID"] == .string(ben.id) && shown.json["members"].array.count == 1)
            try await world.pass(.seconds(30))
            let viewer = try await world.operatorToken(.viewer)
            let replay = try await world.client.send("GET", "/admin/v1/adventures/\(journey)/replay", token: viewer)
            #expect(replay.status == 200 && replay.json["identical"] == true, "\(replay.text)")
        }
    }

    @Test func `the last member's erasure ends the party, its name and its adventure`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: ada)
            let journey = try await world.journey(party, by: ada)
            #expect(try await world.client.send("DELETE", "/v1/players/me", token: ada.token).status == 204)
            #expect(!(try await everythingStored(in: world)).contains("Test party"))
            let viewer = try await world.operatorToken(.viewer)
            let adventure = try await world.client.send("GET", "/admin/v1/adventures/\(journey)", token: viewer)
            #expect(adventure.json["outcome"] == "abandoned")
        }
    }

    @Test func `data written during an erasure is erased later`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada Lovelace"), try await world.player("Ben"))
            let party = try await world.party(of: ben)
            let adaID = try #require(PlayerID(ada.id))
            let benParty = try #require(PartyID(party.id))
            // A request that reads the profile before the erasure, and changes the party after it.
            _ = try await world.store.claimMembershipSlot(
                of: adaID,
                in: benParty,
                limit: 1,
                claimsLastingFor: .seconds(120)
            )
            #expect(try await world.client.send("DELETE", "/v1/players/me", token: ada.token).status == 204)
            let late = Statement(
                "test.lateMember",
                """
                INSERT INTO members (shard, party_id, player_id, display_name, hero, experience, joined_at)
                SELECT shard, party_id, $2, 'Ada Lovelace', 'spouty', 0, now() FROM parties WHERE party_id = $1
                """
            )
            _ = try await world.pool.query(PostgresQuery(late, benParty, adaID))

            #expect(try await world.commands.finishErasures(limit: 10) == 0)
            try await world.pass(.seconds(300))
            #expect(try await world.commands.finishErasures(limit: 10) == 1)
            let stored = try await everythingStored(in: world)
            #expect(!stored.contains("Ada Lovelace") && !stored.contains(ada.id))
            #expect(try await world.commands.finishErasures(limit: 10) == 0)
        }
    }

    @Test func `an export has all data of a player, and no data of others`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada", hero: "ember"), try await world.player("Ben"))
            let party = try await world.party(of: ben, ada)
            let journey = try await world.journey(party, by: ben)
            try await storePersonalData(ada, in: world, journey: journey)
            let reply = try await world.client.send("GET", "/v1/players/me/export", token: ada.token)
            #expect(reply.status == 200)
            let export = reply.json
            #expect(
                export.keys == [
                    "exportedAt", "player", "tokens", "recoveryCodes", "devices", "parties", "adventures",
                    "history", "scores", "unreadableAdventures", "activities", "idempotencyKeys",
                ]
            )
            #expect(export["player"]["displayName"] == "Ada" && export["player"]["hero"]["id"] == "ember")
            #expect(export["tokens"].array.count == 1)
            let device = export["devices"][0]
            #expect(device["deviceID"] == .string(ada.id) && device["appBuild"] == "2.1 (47)")
            #expect(device["followsRaids"] == true)
            #expect(device["pushToStartToken"] == .string(Self.startToken))
            #expect(device["alertToken"] == .string(Self.alertToken))
            #expect(device["widgetToken"] == .string(Self.widgetToken))
            #expect(device["alerts"]["quietHours"] == Self.quietHours)
            #expect(export["parties"][0]["name"] == "Test party" && export["parties"][0]["isLeader"] == false)
            #expect(export["adventures"][0]["adventureID"] == .string(journey))
            #expect(export["adventures"][0]["heroInPlay"]["playerID"] == .string(ada.id))
            let activity = export["activities"][0]
            #expect(activity["activityID"] == .string(Self.activity) && activity["locale"] == "ko")
            #expect(activity["pushToken"] == .string(Self.pushToken))
            #expect(export["idempotencyKeys"][0]["key"] == .string("key-of-\(ada.id)"))
            #expect(!reply.text.contains("Ben") && !reply.text.contains(ben.id))
            #expect(!reply.text.contains(ada.token))
        }
    }
}
