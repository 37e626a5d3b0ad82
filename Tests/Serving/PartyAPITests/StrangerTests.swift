import JSONCoding
import Testing

/// Every route of a party, an adventure or an activity, called by a player who is not in it.
@Suite struct StrangerTests {
    private static let routes: [(method: String, path: String, body: JSONValue?)] = [
        ("GET", "/v1/parties/PARTY", nil),
        ("DELETE", "/v1/parties/PARTY/members/MEMBER", nil),
        ("POST", "/v1/parties/PARTY/leader", ["playerID": "MEMBER"]),
        ("POST", "/v1/parties/PARTY/invite-code", nil),
        ("POST", "/v1/parties/PARTY/spectators", nil),
        ("DELETE", "/v1/parties/PARTY/spectators", nil),
        ("POST", "/v1/parties/PARTY/adventures", ["kind": "journey", "region": "meadow"]),
        ("GET", "/v1/adventures/ADVENTURE", nil),
        ("GET", "/v1/adventures/ADVENTURE/events", nil),
        ("GET", "/v1/adventures/ADVENTURE/stream", nil),
        ("POST", "/v1/adventures/ADVENTURE/commands", ["type": "potion"]),
        (
            "PUT", "/v1/adventures/ADVENTURE/activities/ACTIVITY",
            ["deviceID": "CALLER", "pushToken": "0a", "environment": "simulator", "frequentPushesEnabled": true]
        ),
        ("DELETE", "/v1/adventures/ADVENTURE/activities/ACTIVITY", nil),
    ]

    @Test(arguments: Self.routes.indices)
    func `a non-member gets the same response as for an unknown identifier`(index: Int) async throws {
        let route = Self.routes[index]
        try await APIWorld.with { world in
            let (ada, ben, eve) = (
                try await world.player("Ada"), try await world.player("Ben"), try await world.player("Eve")
            )
            let party = try await world.party(of: ada, ben)
            let journey = try await world.journey(party, by: ada)
            let activity = "0198a1b2-0000-7000-8000-0000000000aa"
            let push: JSONValue = [
                "deviceID": .string(ada.id), "pushToken": "0b", "environment": "simulator",
                "frequentPushesEnabled": true,
            ]
            let activityPath = "/v1/adventures/\(journey)/activities/\(activity)"
            #expect(try await world.client.send("PUT", activityPath, token: ada.token, body: push).status == 201)
            // Former members get the same responses as strangers.
            _ = try await world.client.send("DELETE", "/v1/parties/\(party.id)/members/\(ben.id)", token: ben.token)

            func ask(_ player: TestPlayer, party: String, adventure: String) async throws -> Reply {
                let path = route.path.replacing("PARTY", with: party).replacing("ADVENTURE", with: adventure)
                    .replacing("ACTIVITY", with: activity).replacing("MEMBER", with: ada.id)
                var body = route.body == ["playerID": "MEMBER"] ? ["playerID": .string(ada.id)] : route.body
                if case .object(var fields)? = body, fields["deviceID"] != nil {
                    fields["deviceID"] = .string(player.id)
                    body = .object(fields)
                }
                return try await world.client.send(route.method, path, token: player.token, body: body)
            }
            let nowhere = "0198a1b2-0000-7000-8000-000000000001"
            let unknown = try await ask(eve, party: nowhere, adventure: nowhere)
            #expect(unknown.status == 404)
            for player in [eve, ben] {
                let reply = try await ask(player, party: party.id, adventure: journey)
                // A player with a former seat may release the activity, which does not exist.
                let isOwnPast = player.id == ben.id && route.method == "DELETE" && route.path.contains("activities")
                #expect(reply.status == 404)
                #expect(isOwnPast || reply.text == unknown.text)
            }
        }
    }

    @Test func `lists contain no party of other players`() async throws {
        try await APIWorld.with { world in
            let (ada, eve) = (try await world.player("Ada"), try await world.player("Eve"))
            let party = try await world.party(of: ada)
            let parties = try await world.client.send("GET", "/v1/players/me/parties", token: eve.token)
            #expect(parties.json == ["parties": []])
            let export = try await world.client.send("GET", "/v1/players/me/export", token: eve.token)
            #expect(!export.text.contains(party.id) && !export.text.contains("Ada"))
        }
    }
}
