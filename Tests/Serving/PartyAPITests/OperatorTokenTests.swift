import GameStore
import JSONCoding
import TestSupport
import Testing

/// The routes with which admins manage operators.
@Suite struct OperatorTokenTests {
    private static let path = "/admin/v1/operators"

    @Test func `an admin creates, lists, rotates and revokes an operator`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin, name: "ada")
            func post(_ path: String, _ body: JSONValue? = nil) async throws -> Reply {
                try await world.client.send("POST", "\(Self.path)\(path)", token: admin, body: body)
            }
            func status(of token: JSONValue) async throws -> Int {
                try await world.client.send("GET", "/admin/v1/bosses", token: token.text).status
            }
            let created = try await post("", ["name": "ben@example.com", "role": "viewer", "lifetimeHours": 2])
            #expect(created.status == 201 && created.header("Cache-Control") == "no-store")
            #expect(created.json["name"] == "ben@example.com" && created.json["role"] == "viewer")
            let expiry = created.json["expiresAt"].text
            let first = created.json["token"]
            #expect(try await status(of: first) == 200)

            let again = try await post("", ["name": "ben@example.com", "role": "admin"])
            #expect(again.status == 409 && again.slug == "operator-exists")

            // The lifetime stays, until a request changes it.
            let renewed = try await post("/ben@example.com/rotate", ["lifetimeHours": .null])
            #expect(renewed.json["expiresAt"].text == expiry)
            let both = try await post("/ben@example.com/rotate", ["lifetimeHours": 1, "neverExpires": true])
            #expect(both.status == 422 && both.fieldErrors.keys.sorted() == ["neverExpires"])
            let rotated = try await post("/ben@example.com/rotate", ["neverExpires": true])
            #expect(rotated.status == 200 && rotated.json["role"] == "viewer" && rotated.json["expiresAt"] == .null)
            #expect(try await status(of: first) == 401)
            #expect(try await status(of: rotated.json["token"]) == 200)

            for _ in 1...2 {
                let revoked = try await post("/ben%40example.com/revoke")
                #expect(revoked.status == 200 && revoked.json["revokedAt"] != .null)
            }
            #expect(try await status(of: rotated.json["token"]) == 401)
            #expect(try await post("/ben@example.com/rotate", [:]).slug == "unknown-operator")
            #expect(try await post("/eve/revoke").slug == "unknown-operator")
            #expect(try await post("/two%20words/revoke").fieldErrors.keys.sorted() == ["name"])

            let list = try await world.client.send("GET", Self.path, token: admin)
            #expect(list.json["operators"].array.map { $0["name"] } == ["ada", "ben@example.com"])
            #expect(!list.text.contains("ero_"))

            let audit = try await world.client.send("GET", "/admin/v1/audit?author=ada", token: admin)
            let entries = audit.json["entries"].array
            #expect(
                entries.map { $0["action"] }
                    == ["operator.revoke", "operator.rotate", "operator.rotate", "operator.create"]
            )
            #expect(entries.allSatisfy { $0["target"] == "operator/ben@example.com" && $0["requestID"] != .null })
            #expect(entries[3]["after"]["expiresAt"].text.prefix(19) == expiry.prefix(19))
            #expect(!audit.text.contains("ero_"))
            #expect(!world.logs.lines.contains { "\($0)".contains("ero_") })
        }
    }

    @Test func `a viewer neither lists nor changes operators`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer, name: "vic")
            let list = try await world.client.send("GET", Self.path, token: viewer)
            #expect(list.status == 403 && list.slug == "admins-only")
            for path in ["", "/vic/rotate", "/vic/revoke"] {
                let reply = try await world.client.send("POST", Self.path + path, token: viewer, body: [:])
                #expect(reply.status == 403 && reply.slug == "viewers-only-read")
            }
        }
    }

    @Test func `the last admin cannot be revoked`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.operatorToken(.admin, name: "ada")
            _ = try await world.operatorToken(.viewer, name: "vic")
            let refused = try await world.client.send("POST", "\(Self.path)/ada/revoke", token: ada)
            #expect(refused.status == 409 && refused.slug == "last-admin")
            let ben: JSONValue = ["name": "ben", "role": "admin"]
            _ = try await world.client.send("POST", Self.path, token: ada, body: ben)
            #expect(try await world.client.send("POST", "\(Self.path)/ada/revoke", token: ada).status == 200)
            #expect(try await world.client.send("GET", Self.path, token: ada).status == 401)
        }
    }

    @Test func `invalid fields of an operator are rejected by name`() async throws {
        try await APIWorld.with { world in
            let admin = try await world.operatorToken(.admin)
            let body: JSONValue = ["name": "two words", "role": "root", "lifetimeHours": 0]
            let reply = try await world.client.send("POST", Self.path, token: admin, body: body)
            #expect(reply.status == 422 && reply.fieldErrors.keys.sorted() == ["lifetimeHours", "name", "role"])
            let text = try await world.client.send("POST", Self.path, token: admin, body: [:]).text
            #expect(text.contains("name") && text.contains("role") && !text.contains("lifetimeHours"))
        }
    }
}
