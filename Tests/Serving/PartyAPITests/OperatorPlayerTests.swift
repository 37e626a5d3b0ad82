import GameStore
import JSONCoding
import PostgresClient
import Testing

/// The operators' routes of players.
@Suite struct OperatorPlayerTests {
    private static let unknown = "/admin/v1/players/0198a1b2-0000-7000-8000-000000000001"
    private static let activity = "0198a1b2-0000-7000-8000-0000000000aa"
    private static let phone = "0198a1b2-0000-7000-8000-0000000000bb"

    private func path(_ player: TestPlayer) -> String { "/admin/v1/players/\(player.id)" }

    /// Registers a device of a player, and its activity of an adventure.
    private func show(_ adventure: String, on device: String, of player: TestPlayer, in world: APIWorld) async throws {
        let phone: JSONValue = [
            "environment": "simulator", "liveActivitiesEnabled": true, "frequentPushesEnabled": true,
            "pushToStartToken": "feedfacebead",
        ]
        let devicePath = "/v1/players/me/devices/\(device)"
        #expect(try await world.client.send("PUT", devicePath, token: player.token, body: phone).status == 201)
        let activity: JSONValue = [
            "deviceID": .string(device), "pushToken": "feedfacecafe", "environment": "simulator",
            "frequentPushesEnabled": true,
        ]
        let path = "/v1/adventures/\(adventure)/activities/\(Self.activity)"
        #expect(try await world.client.send("PUT", path, token: player.token, body: activity).status == 201)
    }

    /// Returns the entries of the audit log about players, newest first.
    private func audit(_ token: String, in world: APIWorld) async throws -> [JSONValue] {
        try await world.client.send("GET", "/admin/v1/audit", token: token).json["entries"].array
            .filter { $0["target"].text.hasPrefix("player/") }
    }

    @Test func `players are found by name, invite code and every identifier, each with what led to them`() async throws
    {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let (ada, ben) = (try await world.player("Ada Lovelace"), try await world.player("adam"))
            _ = try await world.player("Bea")
            let party = try await world.party(of: ada, ben)
            let journey = try await world.journey(party, by: ada)
            try await show(journey, on: Self.phone, of: ben, in: world)
            func find(_ query: String) async throws -> JSONValue {
                let reply = try await world.client.send("GET", "/admin/v1/players?\(query)", token: viewer)
                #expect(reply.status == 200, "\(reply.text)")
                return reply.json
            }
            func names(_ text: String) async throws -> [String] {
                try await find("text=\(text)")["players"].array.map { player in
                    "\(player["displayName"].text): "
                        + player["foundBy"].array.map(\.text).joined(separator: " ")
                }
            }
            #expect(try await names("ADA") == ["Ada Lovelace: name", "adam: name"])
            #expect(try await names("ada%20l") == ["Ada Lovelace: name"])
            #expect(try await names("lovelace").isEmpty)
            #expect(try await names("%25").isEmpty)
            #expect(
                Set(try await names(party.inviteCode.lowercased())) == ["Ada Lovelace: inviteCode", "adam: inviteCode"]
            )
            #expect(Set(try await names(journey)) == ["Ada Lovelace: adventure", "adam: adventure"])
            #expect(try await names(Self.phone) == ["adam: device"])
            #expect(try await names(Self.activity) == ["adam: activity"])
            // Each player of these tests has a device with the player's identifier.
            #expect(try await names(ada.id) == ["Ada Lovelace: player device"])
            #expect(try await names(party.id).isEmpty)
            let first = try await find("text=ad&limit=1")
            #expect(first["players"].array.map { $0["playerID"].text } == [ada.id] && first["more"] == true)
            #expect(try await find("text=ad&limit=2")["more"] == false)

            // A party that has the name of a player as its code finds both.
            let invited = try await world.player(party.inviteCode)
            #expect(try await find("text=\(party.inviteCode)")["players"].array.count == 3)
            #expect(try await names(invited.id) == ["\(party.inviteCode): player device"])
            for (query, errors) in [
                ("", ["text": "is missing"]), ("text=", ["text": "must have at least one visible character"]),
                (
                    "text=a%00",
                    ["text": "must not contain control characters such as line feeds or direction overrides"]
                ),
                ("text=a&limit=0", ["limit": "must be a whole number from 1 to 1000"]),
            ] {
                let reply = try await world.client.send("GET", "/admin/v1/players?\(query)", token: viewer)
                #expect(reply.status == 422 && reply.fieldErrors == errors, "\(query): \(reply.text)")
            }
        }
    }

    @Test func `a player is shown with parties, devices and live activities, without tokens`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let ada = try await world.player("Ada")
            let (running, idle) = (try await world.party(of: ada), try await world.party(of: ada))
            let journey = try await world.journey(running, by: ada)
            try await show(journey, on: Self.phone, of: ada, in: world)
            let reply = try await world.client.send("GET", path(ada), token: viewer)
            let player = reply.json
            #expect(player["displayName"] == "Ada" && player["hero"]["level"] == 1 && player["tokens"] == 1)
            let adventures = Dictionary(
                player["parties"].array.map { ($0["partyID"].text, $0["adventureID"]) },
                uniquingKeysWith: { $1 }
            )
            #expect(adventures == [running.id: .string(journey), idle.id: .null])
            #expect(Set(player["devices"].array.map { $0["deviceID"].text }) == [ada.id, Self.phone])
            #expect(player["activities"].array.map { $0["activityID"].text } == [Self.activity])
            #expect(!reply.text.contains("feedface") && !reply.text.contains("erp_"))
            let unknown = try await world.client.send("GET", Self.unknown, token: viewer)
            #expect(unknown.status == 404 && unknown.slug == "unknown-player")
        }
    }

    @Test func `a renamed player has the name everywhere, and the audit log has the reason and no name`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let ada = try await world.player("Insult")
            let party = try await world.party(of: ada)
            func rename(_ name: String, key: String? = nil, query: String = "") async throws -> Reply {
                try await world.client.send(
                    "POST",
                    path(ada) + "/rename\(query)",
                    token: admin,
                    body: ["displayName": .string(name), "reason": "ticket 812"],
                    headers: key.map { ["Idempotency-Key": $0] } ?? [:]
                )
            }
            func name() async throws -> JSONValue {
                try await world.client.send("GET", "/v1/players/me", token: ada.token).json["displayName"]
            }
            let dry = try await rename("Ranger", query: "?dryRun=true")
            #expect(dry.status == 200 && dry.json["dryRun"] == true && dry.json["changes"].array.count == 1)
            #expect(try await name() == "Insult")

            let refused = try await rename("two\nlines")
            #expect(refused.status == 422 && refused.fieldErrors.keys.sorted() == ["displayName"])
            let renamed = try await rename(" Ranger ", key: "k1")
            #expect(renamed.status == 200 && renamed.json["changes"].array.count == 1)
            #expect(try await name() == "Ranger")
            let members = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ada.token).json[
                "members"
            ]
            #expect(members[0]["displayName"] == "Ranger")

            // A repeated request changes nothing, not even while the party is on an adventure; nor does the same name.
            #expect(try await rename("Ranger").json["changes"].array.isEmpty)
            _ = try await world.journey(party, by: ada)
            let repeated = try await rename(" Ranger ", key: "k1")
            #expect(repeated.header("Idempotent-Replayed") == "true" && repeated.text == renamed.text)
            #expect(try await rename("Other", key: "k1").slug == "idempotency-key-reused")
            let busy = try await rename("Other")
            #expect(busy.status == 409 && busy.slug == "on-adventure" && busy.json["detail"].text.contains("end it"))
            #expect(try await rename("Other", query: "?dryRun=true").slug == "on-adventure")

            let entries = try await audit(admin, in: world)
            #expect(entries.map { $0["action"] } == ["player.rename"])
            #expect(entries[0]["target"] == .string("player/\(ada.id)") && entries[0]["before"] == ["version": "1"])
            #expect(entries[0]["after"] == ["reason": "ticket 812", "version": "2"])
        }
    }

    @Test func `a player who is signed out has no valid token, and comes back with the recovery code`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let body: JSONValue = ["displayName": "Ada", "hero": "spouty"]
            let registered = try await world.client.send("POST", "/v1/players", body: body).json
            let code: JSONValue = ["recoveryCode": registered["recoveryCode"]]
            let recovered = try await world.client.send("POST", "/v1/players/recover", body: code).json
            let tokens = [registered["token"].text, recovered["token"].text]
            func status(_ token: String) async throws -> Int {
                try await world.client.send("GET", "/v1/players/me", token: token).status
            }
            for token in tokens { #expect(try await status(token) == 200) }

            let path = "/admin/v1/players/\(registered["playerID"].text)/sign-out"
            func signOut(key: String? = nil) async throws -> Reply {
                let headers = key.map { ["Idempotency-Key": $0] } ?? [:]
                let reason: JSONValue = ["reason": "lost phone"]
                return try await world.client.send("POST", path, token: admin, body: reason, headers: headers)
            }
            let reply = try await signOut(key: "k1")
            #expect(reply.status == 200 && reply.json["changes"][0]["before"] == ["tokens": "2"])
            for token in tokens { #expect(try await status(token) == 401) }
            #expect(try await signOut().json["changes"].array.isEmpty)

            let newCode: JSONValue = ["recoveryCode": recovered["recoveryCode"]]
            let back = try await world.client.send("POST", "/v1/players/recover", body: newCode)
            #expect(back.status == 201 && back.json["playerID"] == registered["playerID"])
            #expect(try await status(back.json["token"].text) == 200)
            // The repeated request gets its old response, and revokes no newer token.
            #expect(try await signOut(key: "k1").header("Idempotent-Replayed") == "true")
            #expect(try await status(back.json["token"].text) == 200)
            #expect(try await audit(admin, in: world).map { $0["action"] } == ["player.signOut"])
        }
    }

    @Test func `an admin exports what the player's own export has, and each page is in the audit log`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let ada = try await world.player("Ada")
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            try await show(journey, on: Self.phone, of: ada, in: world)
            func fields(_ reply: Reply) -> JSONValue {
                guard case .object(var fields) = reply.json else { return .null }
                fields["exportedAt"] = nil
                return .object(fields)
            }
            let own = try await world.client.send("GET", "/v1/players/me/export", token: ada.token)
            let export = try await world.client.send("GET", path(ada) + "/export", token: admin)
            #expect(export.status == 200 && fields(export) == fields(own) && export.text.contains("feedfacecafe"))
            let next = try await world.client.send(
                "GET",
                path(ada) + "/export?after=h\(String(repeating: "f", count: 32))",
                token: admin
            )
            #expect(next.status == 200 && next.json["parties"].array.isEmpty)
            let entries = try await audit(admin, in: world)
            #expect(entries.map { $0["action"] } == ["player.export", "player.export"])
            #expect(entries[0]["target"] == .string("player/\(ada.id)"))

            let viewer = try await world.operatorToken(.viewer, name: "Vera")
            let refused = try await world.client.send("GET", path(ada) + "/export", token: viewer)
            #expect(refused.status == 403 && refused.slug == "admins-only")
            #expect(try await world.client.send("GET", Self.unknown + "/export", token: admin).slug == "unknown-player")
            #expect(try await audit(admin, in: world).count == 2)
        }
    }

    @Test func `an erased player is gone, and a repeated request gets the same response`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let journey = try await world.journey(party, by: ada)
            try await show(journey, on: Self.phone, of: ada, in: world)
            func erase(key: String? = nil, query: String = "") async throws -> Reply {
                try await world.client.send(
                    "POST",
                    path(ada) + "/erase\(query)",
                    token: admin,
                    body: ["reason": "ticket 813"],
                    headers: key.map { ["Idempotency-Key": $0] } ?? [:]
                )
            }
            #expect(try await erase(query: "?dryRun=true").json["changes"][0]["action"] == "player.erase")
            #expect(try await world.client.send("GET", "/v1/players/me", token: ada.token).status == 200)

            let erased = try await erase(key: "k1")
            #expect(erased.status == 200 && erased.json["changes"][0]["after"] == ["reason": "ticket 813"])
            #expect(try await world.client.send("GET", "/v1/players/me", token: ada.token).slug == "invalid-token")
            #expect(try await world.client.send("GET", path(ada), token: admin).slug == "unknown-player")
            #expect(try await world.client.send("GET", path(ada) + "/devices", token: admin).json["devices"] == [])
            let members = try await world.client.send("GET", "/v1/parties/\(party.id)", token: ben.token).json[
                "members"
            ]
            #expect(members.array.map { $0["displayName"] } == ["Ben"])

            let repeated = try await erase(key: "k1")
            #expect(repeated.header("Idempotent-Replayed") == "true" && repeated.text == erased.text)
            #expect(try await erase().slug == "unknown-player")
            #expect(try await audit(admin, in: world).map { $0["action"] } == ["player.erase"])
        }
    }

    @Test func `an erasure whose node stopped after the decision is completed`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let ada = try await world.player("Ada")
            let fail = "ALTER TABLE devices RENAME TO hidden_devices"
            _ = try await world.pool.query(PostgresQuery(Statement("test.hide", fail)))
            let body: JSONValue = ["reason": "ticket 814"]
            let key = ["Idempotency-Key": "k1"]
            let path = path(ada) + "/erase"
            let broken = try await world.client.send("POST", path, token: admin, body: body, headers: key)
            #expect(broken.status == 500)
            let heal = "ALTER TABLE hidden_devices RENAME TO devices"
            _ = try await world.pool.query(PostgresQuery(Statement("test.heal", heal)))
            // The same request completes it, and so would the worker.
            let repeated = try await world.client.send("POST", path, token: admin, body: body, headers: key)
            #expect(repeated.status == 200 && repeated.json["changes"][0]["action"] == "player.erase")
            let devices = try await world.client.send("GET", self.path(ada) + "/devices", token: admin)
            #expect(devices.json["devices"] == [])
            #expect(try await world.store.oldestErasure() != nil)
        }
    }

    @Test func `viewers change no player, and unknown players and missing reasons are rejected by name`() async throws {
        try await APIWorld.with { world in
            let (admin, viewer) = (
                try await world.operatorToken(.admin), try await world.operatorToken(.viewer, name: "Vera")
            )
            let ada = try await world.player("Ada")
            for (action, body) in [
                ("rename", ["displayName": "Ranger", "reason": "r"]), ("sign-out", ["reason": "r"]),
                ("erase", ["reason": "r"]),
            ] as [(String, JSONValue)] {
                func send(_ path: String, _ token: String, _ body: JSONValue) async throws -> Reply {
                    try await world.client.send("POST", "\(path)/\(action)", token: token, body: body)
                }
                #expect(try await send(path(ada), viewer, body).slug == "viewers-only-read", "\(action)")
                let unknown = try await send(Self.unknown, admin, body)
                #expect(unknown.status == 404 && unknown.slug == "unknown-player", "\(action)")
                let name: JSONValue = action == "rename" ? ["displayName": "Ranger"] : [:]
                #expect(try await send(path(ada), admin, name).fieldErrors == ["reason": "is missing"], "\(action)")
                #expect(
                    try await send("/admin/v1/players/7", admin, body).fieldErrors == ["playerID": "must be a UUID"]
                )
            }
            #expect(try await world.client.send("GET", "/v1/players/me", token: ada.token).json["version"] == 1)
            #expect(try await audit(admin, in: world).isEmpty)
        }
    }
}
