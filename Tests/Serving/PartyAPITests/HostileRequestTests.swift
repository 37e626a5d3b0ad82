import Foundation
import GameStore
import GameTestSupport
import HTTPServing
import JSONCoding
import PartyAPI
import PostgresClient
import TestSupport
import Testing

/// Requests of an attacker.
@Suite struct HostileRequestTests {
    private static let json = ["Content-Type": "application/json"]
    private static let player = #"{"displayName": "Ada", "hero": "spouty"}"#

    /// Sends header lines unchanged and a JSON body, and returns all bytes until the server closes the connection.
    private func response(_ world: APIWorld, to lines: [String], body: String) async throws -> String {
        let aboutBody = ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"]
        let head = lines + (body.isEmpty ? [] : aboutBody) + ["Connection: close", "", ""]
        return try await RawConnection.open(world.client.port) { client in
            try await client.send(text: head.joined(separator: "\r\n") + body)
            return try await client.readToEnd()
        }
    }

    private func count(_ table: String, in world: APIWorld) async throws -> Int64 {
        let query = PostgresQuery(Statement("test.count.\(table)", "SELECT count(*) FROM \(table)"))
        return try await world.pool.query(query)[0].decode(Int64.self)
    }

    @Test(arguments: ["'); DROP TABLE players;--", "' OR ''='", "$1::text", #"\"; SELECT 1"#, "%s%n", "${jndi:a}"])
    func `SQL has no effect in bodies, headers, paths and queries`(text: String) async throws {
        try await APIWorld.with { world in
            let ada = try await world.player(text)
            let profile = try await world.client.send("GET", "/v1/players/me", token: ada.token)
            #expect(profile.json["displayName"] == .string(text))
            let party: JSONValue = ["name": .string(text)]
            let key = ["Idempotency-Key": text.replacing(" ", with: "_")]
            for _ in 1...2 {
                let made = try await world.client.send(
                    "POST",
                    "/v1/parties",
                    token: ada.token,
                    body: party,
                    headers: key
                )
                #expect(made.status == 201 && made.json["name"] == .string(text))
            }
            #expect(try await count("parties", in: world) == 1)

            let operatorToken = try await world.operatorToken(.viewer)
            let allowed = CharacterSet.alphanumerics
            let inURL = try #require(text.addingPercentEncoding(withAllowedCharacters: allowed))
            for (path, token) in [
                ("/v1/parties/\(inURL)", ada.token), ("/v1/adventures/\(inURL)/events?after=\(inURL)", ada.token),
                ("/admin/v1/audit?author=\(inURL)", operatorToken), ("/admin/v1/parties?after=\(inURL)", operatorToken),
                ("/admin/v1/parties?inviteCode=\(inURL)", operatorToken),
            ] {
                let reply = try await world.client.send("GET", path, token: token)
                #expect([200, 404, 422].contains(reply.status), "\(path): \(reply.text)")
                #expect(!reply.text.contains("\(ada.id)"))
            }
            #expect(try await count("players", in: world) == 1)
        }
    }

    @Test func `no value of a request injects a header or a log line`() async throws {
        try await APIWorld.with(origins: .listed(["https://play.example.com"])) { world in
            let ada = try await world.player()
            let party = try await world.party(of: ada)
            let journey = try await world.journey(party, by: ada)
            let profile = "GET /v1/players/me"
            // For each header, a request whose route reads it, and the status for a malformed value that HTTP allows.
            let readers: [(name: String, request: String, body: String, status: String)] = [
                ("X-Request-Id", profile, "", "200"), ("Origin", profile, "", "200"),
                ("Idempotency-Key", "POST /v1/parties", #"{"name": "Foxes"}"#, "422"),
                ("Last-Event-ID", "GET /v1/adventures/\(journey)/stream", "", "422"),
                ("If-Match", "POST /v1/parties/\(party.id)/invite-code", "", "422"),
            ]
            let values: [(String, isAllowed: Bool)] = [
                ("a%0d%0aSet-Cookie: b=c", true), ("ä", true), ("a\rSet-Cookie: b=c", false),
                ("a\u{0}b", false), ("a\u{7f}b", false), ("\u{1b}[2J", false),
            ]
            for (value, isAllowed) in values {
                for (name, request, body, status) in readers {
                    let lines = [
                        "\(request) HTTP/1.1", "Host: rangers", "Authorization: Bearer \(ada.token)",
                        "\(name): \(value)",
                    ]
                    let response = try await response(world, to: lines, body: body)
                    let received = response.split(separator: " ").dropFirst().first.map(String.init)
                    #expect(received == (isAllowed ? status : "400"), "\(name): \(response)")
                    #expect(!response.lowercased().contains("set-cookie"), "\(name): \(response)")
                    // Only that header is the reason for the rejection.
                    if received == "422" { #expect(response.contains(#""field":"\#(name)""#), "\(response)") }
                }
            }
            for line in world.logs.lines {
                let texts = line.metadata.values + [line.message]
                #expect(texts.allSatisfy { !$0.contains("Set-Cookie") && !$0.contains("\u{1b}") }, "\(line)")
            }
        }
    }

    @Test func `no form of a path reaches a route that the token does not permit`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            let admin = try await world.operatorToken(.admin)
            for path in [
                "/v1/../admin/v1/stats", "/v1/players/../../admin/v1/stats", "/%61dmin/v1/stats", "//admin/v1/stats",
                "/admin//v1/stats", "/admin/v1/stats/", "/admin%2fv1%2fstats", "/v1/%2e%2e/admin/v1/stats",
                "/admin/v1/stats;a=b", "/ADMIN/v1/stats", "/admin/v1/stats%00", "/admin\\v1\\stats",
                "http://127.0.0.1/admin/v1/stats", "/v1/players/me/../../../../etc/passwd", "/docs/../../etc/passwd",
                "/%2e%2e/%2e%2e/etc/passwd", "/v1/parties/..%2fplayers%2fme", "/v1/adventures/%00/stream",
            ] {
                for authorization in ["", "Authorization: Bearer \(ada.token)", "Authorization: Bearer \(admin)"] {
                    // The absolute form of a request target has the same path, and servers must accept it, too.
                    if authorization.hasSuffix(admin), path.hasPrefix("http:") { continue }
                    let lines = ["GET \(path) HTTP/1.1", "Host: rangers", authorization].filter { !$0.isEmpty }
                    let response = try await RawConnection.open(world.client.port) { client in
                        try await client.send(text: (lines + ["Connection: close", "", ""]).joined(separator: "\r\n"))
                        return try await client.readToEnd()
                    }
                    let status = response.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                    #expect(["400", "401", "403", "404", "422"].contains(status), "\(path): \(response)")
                    #expect(!response.contains("root:"))
                }
            }
        }
    }

    @Test func `a token that differs from a valid one in one character is invalid`() async throws {
        try await APIWorld.with { world in
            let token = try await world.player().token
            let admin = try await world.operatorToken(.admin)
            for (good, path) in [(token, "/v1/players/me"), (admin, "/admin/v1/stats")] {
                #expect(try await world.client.send("GET", path, token: good).status == 200)
                for index in [4, 20, good.utf8.count - 1] {
                    var bytes = Array(good.utf8)
                    // The last character has four significant bits; this is another valid one.
                    bytes[index] = bytes[index] == UInt8(ascii: "A") ? UInt8(ascii: "E") : UInt8(ascii: "A")
                    let forged = String(decoding: bytes, as: UTF8.self)
                    let reply = try await world.client.send("GET", path, token: forged)
                    #expect(reply.status == 401 && reply.slug == "invalid-token")
                }
            }
        }
    }

    @Test func `a compressed body is rejected`() async throws {
        try await APIWorld.with { world in
            // Decompressed, the body would register a player.
            let packed = [
                ("gzip", "H4sIAAAAAAACA6tWSsksLshJrPRLzE1VslJQckxJVNJRUMpILcoHcYsL8ktLKpVqAeWs7MgoAAAA"),
                ("deflate", "eJyrVkrJLC7ISaz0S8xNVbJSUHJMSVTSUVDKSC3KB3GLC/JLSyqVagELQQzo"),
            ]
            for (coding, base64) in packed {
                let bytes = try #require(Data(base64Encoded: base64))
                let headers = Self.json.merging(["Content-Encoding": coding]) { $1 }
                let reply = try await world.client.send("POST", "/v1/players", bytes: bytes, headers: headers)
                #expect(reply.status == 415 && reply.slug == "wrong-content-type", "\(coding): \(reply.text)")
                #expect(reply.json["detail"].text.contains("Content-Encoding"))
                #expect(reply.header("Accept-Encoding") == "identity")
            }
            let plain = Self.json.merging(["Content-Encoding": "identity"]) { $1 }
            let reply = try await world.client.send(
                "POST",
                "/v1/players",
                bytes: Data(Self.player.utf8),
                headers: plain
            )
            #expect(reply.status == 201)
        }
    }

    @Test(arguments: [65, 1_000, 30_000])
    func `a body that is nested too deeply is rejected, at any depth`(depth: Int) async throws {
        try await APIWorld.with { world in
            let opened = [String(repeating: "[", count: depth), String(repeating: #"{"":"#, count: depth)]
            let closed = opened[0] + String(repeating: "]", count: depth)
            for value in opened + [closed] {
                for body in [value, #"{"displayName": \#(value)"#] where body.utf8.count <= 64 * 1024 {
                    let reply = try await world.client.send(
                        "POST",
                        "/v1/players",
                        bytes: Data(body.utf8),
                        headers: Self.json
                    )
                    #expect(reply.status == 400 && reply.slug == "malformed-json")
                }
            }
            // The server still works.
            let reply = try await world.client.send(
                "POST",
                "/v1/players",
                bytes: Data(Self.player.utf8),
                headers: Self.json
            )
            #expect(reply.status == 201)
        }
    }

    /// The bodies are valid ones in which bytes were replaced, inserted or removed; a fixed seed selects them.
    @Test func `arbitrary bytes in a body never cause a server error`() async throws {
        let bodies: [(path: String, body: String, status: Int)] = [
            ("/v1/players", Self.player, 201), ("/v1/parties", #"{"name": "Foxes", "capacity": 8}"#, 201),
            ("/v1/parties", #"{"name": "Foxes", "capacity": 1e400}"#, 400),
            ("/v1/parties/join", #"{"inviteCode": "8K3JQ2ZD"}"#, 404),
        ]
        let spices = Array(#""{}[]:,\u0000tfn-+.eE9"#.utf8) + [0x00, 0x7f, 0x80, 0xc0, 0xe2, 0xef, 0xf0, 0xff]
        try await APIWorld.with { world in
            let player = try await world.player()
            let token = player.token
            func send(_ bytes: [UInt8], to path: String) async throws -> Reply {
                try await world.client.send(
                    "POST",
                    path,
                    bytes: Data(bytes),
                    headers: Self.json.merging(["Authorization": "Bearer \(token)"]) { $1 }
                )
            }
            let sync = #"{"deviceID": "\#(player.id)", "running": ["0198a1b2-0000-7000-8000-000000000001"]}"#
            let bodies = bodies + [("/v1/players/me/activities/sync", sync, 200)]
            for (path, body, status) in bodies {
                let reply = try await send(Array(body.utf8), to: path)
                #expect(reply.status == status, "\(path) \(body): \(reply.text)")
            }
            var generator = TestBits(state: 7)
            for _ in 1...250 {
                let (path, good, _) = bodies[Int(generator.next() % UInt64(bodies.count))]
                var bytes = Array(good.utf8)
                for _ in 0...generator.next() % 4 {
                    let index = Int(generator.next() % UInt64(bytes.count))
                    let spice = spices[Int(generator.next() % UInt64(spices.count))]
                    switch generator.next() % 3 {
                    case 0: bytes[index] = spice
                    case 1: bytes.insert(spice, at: index)
                    default: bytes.remove(at: index)
                    }
                }
                let reply = try await send(bytes, to: path)
                #expect([200, 201, 400, 404, 409, 422].contains(reply.status), "\(path) \(bytes): \(reply.text)")
            }
        }
    }
}

/// SplitMix64, a generator whose numbers depend only on its seed.
private struct TestBits {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
