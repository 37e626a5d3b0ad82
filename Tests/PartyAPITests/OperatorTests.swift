import GameStore
import JSONValues
import Testing

@Suite struct OperatorTests {
    @Test func `an operator sets a boss on a party by identifier or by code`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let byID = try await world.party(of: try await world.player())
            let fight = try await world.client.send(
                "POST",
                "/admin/v1/boss-fights",
                token: admin,
                body: ["boss": "glitch", "partyID": .string(byID.id)]
            )
            #expect(fight.status == 201)
            #expect(fight.json["kind"] == "bossFight" && fight.json["boss"]["id"] == "glitch")
            let again = try await world.client.send(
                "POST",
                "/admin/v1/boss-fights",
                token: admin,
                body: ["boss": "glitch", "partyID": .string(byID.id)]
            )
            #expect(again.status == 409 && again.slug == "adventure-running")

            let byCode = try await world.party(of: try await world.player())
            let other = try await world.client.send(
                "POST",
                "/admin/v1/boss-fights",
                token: admin,
                body: ["boss": "cinderwing", "inviteCode": .string(byCode.inviteCode.lowercased())]
            )
            #expect(other.status == 201 && other.json["partyID"] == .string(byCode.id))
        }
    }

    @Test func `a boss fight needs a known boss and one way to name a party that exists`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            func reply(_ body: JSONValue) async throws -> Reply {
                try await world.client.send("POST", "/admin/v1/boss-fights", token: admin, body: body)
            }
            let nothing = try await reply(["boss": "wolf"])
            #expect(nothing.fieldErrors["boss"]?.hasPrefix("must be one of glitch, ") == true)
            let party = "must be given, or 'inviteCode' in its place, but not both"
            #expect(nothing.fieldErrors["partyID"] == .some(party))
            let missing = "0198a1b2-0000-7000-8000-000000000001"
            let both = try await reply(["boss": "glitch", "partyID": .string(missing), "inviteCode": "ABCD2345"])
            #expect(both.fieldErrors == ["partyID": party])
            let malformed = try await reply(["boss": "glitch", "partyID": "seven"])
            #expect(malformed.fieldErrors == ["partyID": "must be a UUID"])
            #expect(try await reply(["boss": "glitch", "partyID": .string(missing)]).slug == "unknown-party")
            #expect(try await reply(["boss": "glitch", "inviteCode": "ABCD2345"]).slug == "unknown-invite-code")
        }
    }

    @Test func `a code that was replaced leads operators nowhere`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            _ = try await world.client.send("POST", "/v1/parties/\(party.id)/invite-code", token: ada.token)
            let reply = try await world.client.send(
                "POST",
                "/admin/v1/boss-fights",
                token: try await world.operatorToken(.admin),
                body: ["boss": "glitch", "inviteCode": .string(party.inviteCode)]
            )
            #expect(reply.slug == "unknown-invite-code")
        }
    }

    @Test func `a viewer reads everything and changes nothing`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let id = try await world.journey(party, by: ada)
            let viewer = try await world.operatorToken(.viewer)
            let adventure = "/admin/v1/adventures/\(id)"
            for path in ["/admin/v1/bosses", adventure, "\(adventure)/events", "\(adventure)/activities"] {
                #expect(try await world.client.send("GET", path, token: viewer).status == 200)
            }
            let fight: JSONValue = ["boss": "glitch", "partyID": .string(party.id)]
            let start = try await world.client.send("POST", "/admin/v1/boss-fights", token: viewer, body: fight)
            #expect(start.status == 403 && start.slug == "viewers-only-read")
            #expect(try await world.client.send("POST", "\(adventure)/end", token: viewer).status == 403)
            #expect(try await world.client.send("GET", adventure, token: viewer).json["status"] == "running")
        }
    }

    @Test func `a token that has expired opens nothing, and says so`() async throws {
        try await APIWorld.with { world in
            let token = try await world.operatorToken(.admin, lifetime: .seconds(3_600))
            #expect(try await world.client.send("GET", "/admin/v1/bosses", token: token).status == 200)
            try await world.pass(.seconds(3_600))
            let reply = try await world.client.send("GET", "/admin/v1/bosses", token: token)
            #expect(reply.status == 401 && reply.slug == "expired-token")
            #expect(reply.header("WWW-Authenticate")?.contains(#"error="invalid_token""#) == true)
        }
    }

    @Test func `an operator ends an adventure once`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let path = "/admin/v1/adventures/\(try await world.journey(party, by: ada))"
            let admin = try await world.operatorToken(.admin)
            let ended = try await world.client.send("POST", "\(path)/end", token: admin)
            #expect(ended.status == 200 && ended.json["outcome"] == "endedByOperator")
            let again = try await world.client.send("POST", "\(path)/end", token: admin)
            #expect(again.status == 409 && again.slug == "adventure-over")
            let events = try await world.client.send("GET", "\(path)/events", token: admin).json["events"]
            #expect(events.array.last?["kind"] == "adventureEnded")
            let shown = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ada.token)
            #expect(shown.json["adventureID"] == .null)
        }
    }

    @Test func `operators see activities by a fingerprint of the token, never by the token`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            let token = "5f1d4c0a77ee"
            _ = try await world.client.send(
                "PUT",
                "/v1/adventures/\(id)/activities/0198a1b2-c3d4-7000-8000-00000000abcd",
                token: ada.token,
                body: [
                    "pushToken": .string(token), "environment": "sandbox", "frequentPushesEnabled": true,
                    "locale": "pt-BR",
                ]
            )
            let viewer = try await world.operatorToken(.viewer)
            let reply = try await world.client.send("GET", "/admin/v1/adventures/\(id)/activities", token: viewer)
            let activity = reply.json["activities"][0]
            #expect(
                activity.keys == [
                    "activityID", "adventureID", "playerID", "state", "environment", "frequentPushesEnabled", "locale",
                    "generation", "tokenFingerprint", "registeredAt", "tokenRegisteredAt", "lastTimestamp",
                    "settledPosition",
                ]
            )
            #expect(activity["playerID"] == .string(ada.id))
            // printf '\x5f\x1d\x4c\x0a\x77\xee' | sha256sum
            #expect(activity["tokenFingerprint"] == "cc867185")
            #expect(!reply.text.contains(token))
        }
    }

    @Test func `an adventure that does not exist is not found`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            for id in ["0198a1b2-0000-7000-8000-000000000001", "seven"] {
                let path = "/admin/v1/adventures/\(id)"
                #expect(try await world.client.send("GET", path, token: admin).slug == "unknown-adventure")
                #expect(try await world.client.send("POST", "\(path)/end", token: admin).slug == "unknown-adventure")
                let activities = try await world.client.send("GET", "\(path)/activities", token: admin)
                #expect(activities.slug == "unknown-adventure")
            }
        }
    }
}
