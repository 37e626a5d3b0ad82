import JSONCoding
import Testing

@Suite struct PartyTests {
    @Test func `a founder leads the party, and its members read it`() async throws {
        try await APIWorld.with { world in
            let founder = try await world.player("Ada", hero: "ember")
            let body: JSONValue = ["name": "The Rangers", "capacity": 4]
            let created = try await world.client.send("POST", "/v1/parties", token: founder.token, body: body)
            #expect(created.status == 201)
            #expect(
                created.json.keys == ["partyID", "name", "inviteCode", "leaderID", "capacity", "members", "version"]
            )
            #expect(created.json["name"] == "The Rangers")
            #expect(created.json["capacity"] == 4)
            #expect(created.json["leaderID"] == .string(founder.id))
            let member: JSONValue = [
                "playerID": .string(founder.id),
                "displayName": "Ada",
                "hero": ["id": "ember", "name": "Ember", "avatar": "🦊", "level": 1],
            ]
            #expect(created.json["members"] == [member])

            let path = "/v1/parties/\(created.json["partyID"].text)"
            #expect(try await world.client.send("GET", path, token: founder.token).json == created.json)
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: founder.token)
            #expect(list.json == ["parties": [created.json]])
        }
    }

    @Test func `a party holds eight unless its founder wants fewer`() async throws {
        try await APIWorld.with { world in
            let token = try await world.player().token
            let standard = try await world.client.send("POST", "/v1/parties", token: token, body: ["name": "A"])
            #expect(standard.json["capacity"] == 8)
            for capacity in [0, 9, -1] {
                let body: JSONValue = ["name": "A", "capacity": .number(Double(capacity))]
                let reply = try await world.client.send("POST", "/v1/parties", token: token, body: body)
                #expect(reply.status == 422)
                #expect(reply.fieldErrors == ["capacity": "must be a whole number from 1 to 8"])
            }
        }
    }

    @Test func `a friend joins by the code in any case, and joining twice changes nothing`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada)
            let code = party.inviteCode.lowercased().prefix(4) + "-" + party.inviteCode.lowercased().dropFirst(4)
            let body: JSONValue = ["inviteCode": .string(String(code))]
            let first = try await world.client.send("POST", "/v1/parties/join", token: ben.token, body: body)
            #expect(first.status == 200)
            #expect(first.json["members"].array.map { $0["playerID"].text } == [ada.id, ben.id])
            let second = try await world.client.send("POST", "/v1/parties/join", token: ben.token, body: body)
            #expect(second.status == 200 && second.json == first.json)
        }
    }

    @Test func `a code that no party has is not found`() async throws {
        try await APIWorld.with { world in
            let token = try await world.player().token
            for code in ["ZZZZZZZZ", "too short", ""] {
                let body: JSONValue = ["inviteCode": .string(code)]
                let reply = try await world.client.send("POST", "/v1/parties/join", token: token, body: body)
                #expect(reply.status == 404 && reply.slug == "unknown-invite-code")
            }
        }
    }

    @Test func `a full party refuses one more`() async throws {
        try await APIWorld.with { world in
            let party = try await world.party(of: try await world.player(), try await world.player(), capacity: 2)
            let reply = try await world.join(party, try await world.player())
            #expect(reply.status == 409 && reply.slug == "party-full")
        }
    }

    @Test func `a member can leave, the longest-standing member leads next, and the last one disbands the party`()
        async throws
    {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let path = "/v1/parties/\(party.id)"
            let left = try await world.client.send("DELETE", "\(path)/members/\(ada.id)", token: ada.token)
            #expect(left.status == 204 && left.text.isEmpty)
            #expect(try await world.client.send("GET", path, token: ben.token).json["leaderID"] == .string(ben.id))
            #expect(try await world.client.send("GET", path, token: ada.token).slug == "unknown-party")
            let list = try await world.client.send("GET", "/v1/players/me/parties", token: ada.token)
            #expect(list.json == ["parties": []])

            _ = try await world.client.send("DELETE", "\(path)/members/\(ben.id)", token: ben.token)
            #expect(try await world.client.send("GET", path, token: ben.token).slug == "unknown-party")
            #expect(try await world.join(party, ada).slug == "unknown-invite-code")
        }
    }

    @Test func `only the leader removes members`() async throws {
        try await APIWorld.with { world in
            let (ada, ben, cem) = (
                try await world.player("Ada"), try await world.player("Ben"), try await world.player("Cem")
            )
            let party = try await world.party(of: ada, ben, cem)
            let members = "/v1/parties/\(party.id)/members"
            let refused = try await world.client.send("DELETE", "\(members)/\(cem.id)", token: ben.token)
            #expect(refused.status == 403 && refused.slug == "leader-only")
            #expect(try await world.client.send("DELETE", "\(members)/\(cem.id)", token: ada.token).status == 204)
            let again = try await world.client.send("DELETE", "\(members)/\(cem.id)", token: ada.token)
            #expect(again.status == 404 && again.slug == "unknown-member")
        }
    }

    @Test func `the leader hands over to a member`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let path = "/v1/parties/\(party.id)/leader"
            let stranger: JSONValue = ["playerID": .string(try await world.player("Eve").id)]
            #expect(
                try await world.client.send("POST", path, token: ada.token, body: stranger).slug == "unknown-member"
            )
            let toBen: JSONValue = ["playerID": .string(ben.id)]
            let reply = try await world.client.send("POST", path, token: ada.token, body: toBen)
            #expect(reply.status == 200 && reply.json["leaderID"] == .string(ben.id))
            #expect(try await world.client.send("POST", path, token: ada.token, body: toBen).slug == "leader-only")
        }
    }

    @Test func `a new invite code ends the old one`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada)
            let path = "/v1/parties/\(party.id)/invite-code"
            let renewed = try await world.client.send("POST", path, token: ada.token)
            #expect(renewed.status == 200)
            #expect(try await world.join(party, ben).slug == "unknown-invite-code")
            let body: JSONValue = ["inviteCode": renewed.json["inviteCode"]]
            #expect(try await world.client.send("POST", "/v1/parties/join", token: ben.token, body: body).status == 200)
            #expect(try await world.client.send("POST", path, token: ben.token).slug == "leader-only")
        }
    }

    @Test func `a stranger gets the same response as for a party that does not exist`() async throws {
        try await APIWorld.with { world in
            let party = try await world.party(of: try await world.player())
            let eve = try await world.player("Eve")
            func bodies(_ id: String) async throws -> [String] {
                let path = "/v1/parties/\(id)"
                let journey: JSONValue = ["kind": "journey", "region": "meadow"]
                let leader: JSONValue = ["playerID": .string(eve.id)]
                var replies = [try await world.client.send("GET", path, token: eve.token)]
                replies.append(
                    try await world.client.send("POST", "\(path)/adventures", token: eve.token, body: journey)
                )
                replies.append(try await world.client.send("POST", "\(path)/leader", token: eve.token, body: leader))
                replies.append(try await world.client.send("POST", "\(path)/invite-code", token: eve.token))
                replies.append(try await world.client.send("DELETE", "\(path)/members/\(eve.id)", token: eve.token))
                #expect(replies.allSatisfy { $0.status == 404 })
                return replies.map(\.text)
            }
            let existing = try await bodies(party.id)
            #expect(existing == (try await bodies("0198a1b2-0000-7000-8000-000000000001")))
        }
    }
}
