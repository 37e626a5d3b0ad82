import GameStore
import JSONCoding
import Testing

@Suite struct OperatorTests {
    @Test func `an operator starts a boss fight by identifier or by code`() async throws {
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
            let party = "is required unless 'inviteCode' is present; they exclude each other"
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

    @Test func `a replaced code is unknown to operators`() async throws {
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
            let campaign: JSONValue = ["name": "may", "boss": "glitch"]
            let begin = try await world.client.send("POST", "/admin/v1/campaigns", token: viewer, body: campaign)
            #expect(begin.status == 403 && begin.slug == "viewers-only-read")
            // Viewers may ask for a dry run.
            let end = try await world.client.send("POST", "\(adventure)/end?dryRun=true", token: viewer)
            #expect(end.status == 200 && end.json["dryRun"] == true)
            let dry: JSONValue = ["name": "may", "boss": "glitch", "dryRun": true]
            let rehearsal = try await world.client.send("POST", "/admin/v1/campaigns", token: viewer, body: dry)
            #expect(rehearsal.status == 200 && rehearsal.json["dryRun"] == true && rehearsal.json["busy"] == 1)
            for value in ["false", "", "maybe"] {
                let path = "\(adventure)/end?dryRun=\(value)"
                #expect(try await world.client.send("POST", path, token: viewer).status != 200)
            }
            #expect(try await world.client.send("GET", adventure, token: viewer).json["status"] == "running")
        }
    }

    @Test func `no route accepts the wrong kind of token, and no change a viewer's`() async throws {
        let operations = try Contract.shared.get().operations.filter {
            $0.path.contains("/v1/") && $0.node["security"] != []
        }
        let forOperators = operations.filter { $0.path.hasPrefix("/admin/") }
        #expect(forOperators.count > 20 && operations.count > forOperators.count + 15)
        try await APIWorld.with { world in
            let player = try await world.player().token
            let viewer = try await world.operatorToken(.viewer)
            let admin = try await world.operatorToken(.admin, name: "Ada")
            for operation in operations {
                let path = operation.path.replacing(/{\w+}/, with: "0198a1b2-0000-7000-8000-000000000001")
                let other = operation.path.hasPrefix("/admin/") ? player : admin
                for token in [nil, other] {
                    let reply = try await world.client.send(operation.method, path, token: token)
                    #expect(reply.status == 401, "\(operation.method) \(path)")
                    #expect(token == nil || reply.json["detail"].text.contains("ero_"), "\(path)")
                }
            }
            for operation in forOperators where operation.method != "GET" {
                let path = operation.path.replacing(/{\w+}/, with: "0198a1b2-0000-7000-8000-000000000001")
                // The body of a campaign can ask for a dry run.
                let body: JSONValue = ["name": "may", "boss": "glitch"]
                let reply = try await world.client.send(
                    operation.method,
                    path,
                    token: viewer,
                    body: operation.node["requestBody"] == .null ? nil : body
                )
                #expect(reply.status == 403 && reply.slug == "viewers-only-read", "\(operation.method) \(path)")
            }
        }
    }

    @Test func `an expired token is rejected with its own problem`() async throws {
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

    @Test func `a repeated change with its key is made once, even if it were possible again`() async throws {
        try await APIWorld.with { world in
            let (admin, other) = (
                try await world.operatorToken(.admin), try await world.operatorToken(.admin, name: "Rev")
            )
            let party = try await world.party(of: try await world.player())
            func post(_ path: String, _ body: JSONValue? = nil, key: String, by token: String) async throws -> Reply {
                let headers = ["Idempotency-Key": key]
                return try await world.client.send(
                    "POST",
                    "/admin/v1/\(path)",
                    token: token,
                    body: body,
                    headers: headers
                )
            }
            let fight: JSONValue = ["boss": "glitch", "partyID": .string(party.id)]
            // A dry run does not use the idempotency key.
            #expect(try await post("boss-fights?dryRun=true", fight, key: "a", by: admin).status == 200)
            let started = try await post("boss-fights", fight, key: "a", by: admin)
            #expect(started.status == 201)
            let end = "adventures/\(started.json["adventureID"].text)/end"
            let ended = try await post(end, key: "b", by: admin)
            #expect(ended.status == 200)
            // The fight is over. Without the keys, the first request would start another fight, and the second one
            // would be refused.
            for (again, first) in [
                (try await post("boss-fights", fight, key: "a", by: admin), started),
                (try await post(end, key: "b", by: admin), ended),
            ] {
                #expect(again.status == first.status && again.text == first.text)
            }
            let reused = try await post(
                "boss-fights",
                ["boss": "cinderwing", "partyID": .string(party.id)],
                key: "a",
                by: admin
            )
            #expect(reused.status == 422 && reused.slug == "idempotency-key-reused")
            let malformed = try await post(end, key: "two words", by: admin)
            #expect(malformed.slug == "invalid-fields")
            // Keys of different callers are independent.
            #expect(try await post("boss-fights", fight, key: "a", by: other).status == 201)
            let disband = "parties/\(party.id)/disband"
            let disbanded = try await post(disband, key: "c", by: admin)
            #expect(try await post(disband, key: "c", by: admin).text == disbanded.text && disbanded.status == 200)
            let audit = try await world.client.send("GET", "/admin/v1/audit", token: admin).json["entries"].array
            #expect(
                audit.map { $0["action"] } == [
                    "party.disband", "adventure.end", "boss.start", "adventure.end", "boss.start", "operator.create",
                    "operator.create",
                ]
            )
        }
    }

    @Test func `two requests for a push with one key are one push`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            let activity = "0198a1b2-c3d4-7000-8000-00000000abcd"
            _ = try await world.client.send(
                "PUT",
                "/v1/adventures/\(id)/activities/\(activity)",
                token: ada.token,
                body: [
                    "deviceID": .string(ada.id), "pushToken": "5f1d4c0a77ee", "environment": "sandbox",
                    "frequentPushesEnabled": true,
                ]
            )
            let admin = try await world.operatorToken(.admin)
            func push(_ key: String) async throws -> JSONValue {
                try await world.client.send(
                    "POST",
                    "/admin/v1/activities/\(activity)/pushes",
                    token: admin,
                    headers: ["Idempotency-Key": key]
                ).json["position"]
            }
            let first = try await push("a")
            #expect(first != .null)
            #expect(try await push("a") == first)
            #expect(try await push("b") != first)
        }
    }

    @Test func `operators get problem details of their own`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let nobody = "0198a1b2-0000-7000-8000-000000000001"
            let party = try await world.party(of: try await world.player())
            _ = try await world.bossFight(party)
            let fight: JSONValue = ["boss": "glitch", "partyID": .string(party.id)]
            let lost: JSONValue = ["boss": "glitch", "inviteCode": "ABCD2345"]
            for reply in [
                try await world.client.send("GET", "/admin/v1/parties/\(nobody)", token: admin),
                try await world.client.send("GET", "/admin/v1/adventures/\(nobody)", token: admin),
                try await world.client.send("GET", "/admin/v1/activities/\(nobody)", token: admin),
                try await world.client.send("POST", "/admin/v1/activities/\(nobody)/pushes", token: admin),
                try await world.client.send("POST", "/admin/v1/boss-fights", token: admin, body: fight),
                try await world.client.send("POST", "/admin/v1/boss-fights", token: admin, body: lost),
                try await world.client.send("GET", "/admin/v1/bosses", token: "ero_nobody"),
            ] {
                let detail = reply.json["detail"].text
                #expect(
                    !detail.isEmpty && detail.firstMatch(of: /(?i)\b(you|your|phone's|PUT|Players)\b/) == nil,
                    "\(detail)"
                )
            }
            // Players get the details for players.
            let ada = try await world.player()
            let reply = try await world.client.send("GET", "/v1/parties/\(nobody)", token: ada.token)
            #expect(reply.json["detail"] == "It does not exist, or you are not in it.")
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
                    "deviceID": .string(ada.id), "pushToken": .string(token), "environment": "sandbox",
                    "frequentPushesEnabled": true, "locale": "pt-BR",
                ]
            )
            let viewer = try await world.operatorToken(.viewer)
            let reply = try await world.client.send("GET", "/admin/v1/adventures/\(id)/activities", token: viewer)
            let activity = reply.json["activities"][0]
            #expect(
                activity.keys == [
                    "activityID", "adventureID", "playerID", "deviceID", "state", "environment",
                    "frequentPushesEnabled", "locale", "generation", "tokenFingerprint", "registeredAt",
                    "tokenRegisteredAt", "lastTimestamp",
                    "acknowledgedAt",
                ]
            )
            #expect(activity["playerID"] == .string(ada.id) && activity["deviceID"] == .string(ada.id))
            // printf '\x5f\x1d\x4c\x0a\x77\xee' | sha256sum
            #expect(activity["tokenFingerprint"] == "cc867185")
            #expect(!reply.text.contains(token))
        }
    }

    @Test func `an adventure that does not exist is not found`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let path = "/admin/v1/adventures/0198a1b2-0000-7000-8000-000000000001"
            #expect(try await world.client.send("GET", path, token: admin).slug == "unknown-adventure")
            #expect(try await world.client.send("POST", "\(path)/end", token: admin).slug == "unknown-adventure")
            let activities = try await world.client.send("GET", "\(path)/activities", token: admin)
            #expect(activities.slug == "unknown-adventure")
        }
    }
}
