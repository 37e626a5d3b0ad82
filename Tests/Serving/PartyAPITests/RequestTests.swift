import Encodings
import Foundation
import GameCore
import GameStore
import GameTestSupport
import JSONCoding
import TestSupport
import Testing

@Suite struct RequestTests {
    private static let json = ["Content-Type": "application/json"]

    private static let player = #"{"displayName": "Ada", "hero": "spouty"}"#

    private func post(_ body: String, to world: APIWorld, headers: [String: String] = json) async throws -> Reply {
        try await world.client.send("POST", "/v1/players", bytes: Data(body.utf8), headers: headers)
    }

    @Test func `malformed JSON is reported with its position`() async throws {
        try await APIWorld.with { world in
            let bodies = [
                (
                    "{\n  \"displayName\": Ada\n}",
                    "Malformed JSON at line 2, column 18: expected a value."
                ),
                ("[1, 2]", "The body must be a JSON object: {…}."),
                ("7", "The body must be a JSON object: {…}."),
                ("null", "The body must be a JSON object: {…}."),
            ]
            for (body, detail) in bodies {
                let reply = try await post(body, to: world)
                #expect(reply.status == 400 && reply.slug == "malformed-json")
                #expect(reply.json["detail"] == .string(detail))
            }
        }
    }

    @Test func `missing, misspelled and mistyped fields are all reported by name`() async throws {
        try await APIWorld.with { world in
            let reply = try await post(#"{"displayname": "Ada", "hero": {"id": "spouty"}, "extra": [1]}"#, to: world)
            #expect(reply.status == 422 && reply.slug == "invalid-fields")
            #expect(reply.fieldErrors.keys.sorted() == ["displayName", "displayname", "extra", "hero"])
            #expect(reply.fieldErrors["displayName"] == "is missing")
            #expect(reply.fieldErrors["displayname"] == "is not a field of this request")
            #expect(reply.json.keys == ["type", "title", "status", "detail", "errors"])
            #expect(reply.json["status"] == 422)
            #expect(reply.json["type"] == "urn:emoji-rangers:problem:invalid-fields")
        }
    }

    @Test func `a body over 64 KiB is rejected, with or without Content-Length`() async throws {
        try await APIWorld.with { world in
            let filler = String(repeating: "a", count: 64 * 1024)
            let large = Data(#"{"displayName": "\#(filler)", "hero": "spouty"}"#.utf8)
            let withLength = try await world.client.send("POST", "/v1/players", bytes: large, headers: Self.json)
            #expect(withLength.status == 413 && withLength.slug == "body-too-large")
            let withoutLength = try await world.client.send("POST", "/v1/players", streaming: large, headers: Self.json)
            #expect(withoutLength.status == 413 && withoutLength.slug == "body-too-large")
            let spaces = String(repeating: " ", count: 64 * 1024 - 42)
            let fitting = Data((Self.player + spaces).utf8)
            let fits = try await world.client.send("POST", "/v1/players", bytes: fitting, headers: Self.json)
            #expect(fits.status == 201)
        }
    }

    @Test func `a body must be declared as JSON`() async throws {
        try await APIWorld.with { world in
            for type in [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
                let reply = try await post(Self.player, to: world, headers: type.map { ["Content-Type": $0] } ?? [:])
                #expect(reply.status == 415 && reply.slug == "wrong-content-type")
            }
            for type in [
                "Application/JSON; charset=utf-8", "application/json;charset=\"UTF-8\"", "application/json; version=1",
            ] {
                #expect(try await post(Self.player, to: world, headers: ["Content-Type": type]).status == 201)
            }
            for charset in ["latin1", "utf-16", ""] {
                let type = "application/json; charset=\(charset)"
                let reply = try await post(Self.player, to: world, headers: ["Content-Type": type])
                #expect(reply.status == 415 && reply.json["detail"].text.hasPrefix("Send the JSON in UTF-8"))
            }
        }
    }

    @Test func `an unknown path gets 404 with or without a token`() async throws {
        try await APIWorld.with { world in
            for token in [nil, try await world.player().token] {
                for path in ["/", "/v1", "/v1/players/you", "/v2/players", "/v1/parties/1/2/3", "/admin/v1"] {
                    let reply = try await world.client.send("GET", path, token: token)
                    #expect(reply.status == 404 && reply.slug == "unknown-route")
                    #expect(reply.json["detail"].text.contains("/docs"))
                }
            }
        }
    }

    @Test func `a method that a path does not allow gets 405 with the allowed methods`() async throws {
        try await APIWorld.with { world in
            let requests = [
                ("GET", "/v1/players", "POST"), ("PUT", "/v1/players/me", "GET, HEAD, PATCH, DELETE"),
                ("GET", "/v1/parties/join", "POST"), ("PATCH", "/v1/adventures/1/activities/2", "PUT, DELETE"),
                ("POST", "/healthz", "GET, HEAD"), ("DELETE", "/admin/v1/boss-fights", "POST"),
            ]
            for (method, path, allowed) in requests {
                let reply = try await world.client.send(method, path)
                #expect(reply.status == 405 && reply.slug == "wrong-method")
                #expect(reply.header("Allow") == allowed)
            }
        }
    }

    @Test func `an unknown method gets 501 with the known methods`() async throws {
        try await APIWorld.with { world in
            for path in ["/v1/players/me", "/nowhere"] {
                let reply = try await world.client.send("PROPFIND", path)
                #expect(reply.status == 501 && reply.slug == "unknown-method")
                #expect(
                    reply.json["detail"]
                        == "The known methods are GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE, QUERY."
                )
            }
        }
    }

    @Test func `an unknown query parameter is rejected by name`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let adventure = try await world.journey(try await world.party(of: ada), by: ada)
            func errors(_ path: String) async throws -> [String: String] {
                let reply = try await world.client.send("GET", path, token: ada.token)
                #expect(reply.status == 422 && reply.slug == "invalid-fields")
                return reply.fieldErrors
            }
            #expect(try await errors("/v1/players/me?x") == ["x": "is not a parameter of this request"])
            let events = "/v1/adventures/\(adventure)/events"
            #expect(try await errors(events + "?afer=1&limit=2") == ["afer": "is not a parameter of this request"])
            #expect(try await errors(events + "?after=1&after=2") == ["after": "must not be repeated"])
            for number in ["", "-1", "%2B1", "1.0", "0x1", "99999999999999999999"] {
                let reason = "must be a whole number from 0 to 2147483647"
                #expect(try await errors(events + "?after=\(number)") == ["after": reason])
            }
        }
    }

    @Test func `a malformed identifier in a path is rejected by name`() async throws {
        try await APIWorld.with { world in
            let (ada, admin) = (try await world.player(), try await world.operatorToken(.admin))
            let id = "0198a1b2-0000-7000-8000-000000000001"
            for operation in try Contract.shared.get().operations {
                let names = operation.parameters.filter { $0["in"] == "path" }.map { $0["name"].text }
                for name in names where name.hasSuffix("ID") {
                    let path = operation.path.replacing("{\(name)}", with: "seven").replacing(/{\w+}/, with: id)
                    let media = operation.node["requestBody"]["content"]["application/json"]
                    let body = [media["example"], media["examples"].fields.first?.value["value"] ?? .null]
                        .first { $0 != .null }
                    let token = path.hasPrefix("/admin") ? admin : ada.token
                    let reply = try await world.client.send(operation.method, path, token: token, body: body)
                    #expect(reply.status == 422 && reply.fieldErrors == [name: "must be a UUID"], "\(path)")
                }
            }
        }
    }

    @Test func `HEAD has the response of GET without its body`() async throws {
        try await APIWorld.with { world in
            let reply = try await world.client.send("HEAD", "/v1/heroes", token: try await world.player().token)
            #expect(reply.status == 200 && reply.text.isEmpty)
        }
    }

    @Test func `a missing token gets 401`() async throws {
        try await APIWorld.with { world in
            for path in ["/v1/players/me", "/v1/heroes", "/admin/v1/bosses"] {
                for headers in [[:], ["Authorization": "Basic YTpi"], ["Authorization": "Bearer"]] {
                    let reply = try await world.client.send("GET", path, headers: headers)
                    #expect(reply.status == 401 && reply.slug == "missing-token")
                    #expect(reply.header("WWW-Authenticate") == #"Bearer realm="emoji-rangers""#)
                }
            }
        }
    }

    @Test func `an unknown, revoked or other kind of token is invalid`() async throws {
        try await APIWorld.with { world in
            let player = try await world.player().token
            let admin = try await world.operatorToken(.admin, name: "Olga")
            let revoked = try await world.operatorToken(.admin, name: "Rev")
            _ = try await world.store.revoke(operator: "Rev", by: .test)
            let nobodys = "erp_" + String(repeating: "A", count: 43)
            let pairs = [
                ("/v1/players/me", nobodys), ("/v1/players/me", "erp_short"), ("/v1/players/me", admin),
                ("/admin/v1/bosses", player), ("/admin/v1/bosses", revoked),
            ]
            for (path, token) in pairs {
                let reply = try await world.client.send("GET", path, token: token)
                #expect(reply.status == 401 && reply.slug == "invalid-token")
                #expect(reply.header("WWW-Authenticate")?.contains(#"error="invalid_token""#) == true)
                #expect(!reply.text.contains(token))
            }
            // The name of the scheme is case-insensitive.
            let headers = ["Authorization": "bearer \(player)"]
            #expect(try await world.client.send("GET", "/v1/players/me", headers: headers).status == 200)
        }
    }

    @Test func `a request identifier is returned, or generated if there is none that is fit for a log`() async throws {
        try await APIWorld.with { world in
            func id(_ given: String?) async throws -> String? {
                let headers = given.map { ["X-Request-Id": $0] } ?? [:]
                return try await world.client.send("GET", "/v1/nowhere", headers: headers).header("X-Request-Id")
            }
            #expect(try await id("trace-1.a_B") == "trace-1.a_B")
            for hostile in [nil, "two words", "{\"a\":1}", String(repeating: "x", count: 129)] {
                let made = try #require(try await id(hostile))
                #expect(UUID(uuidString: made) != nil && made == made.lowercased())
            }
        }
    }
}
