import GameStore
import GameTestSupport
import HTTPServing
import TestSupport
import Testing

@testable import PartyAPI

@Suite struct CrossOriginTests {
    private static let page = "https://play.example.com"

    private func preflight(_ path: String, from origin: String, to world: APIWorld) async throws -> Reply {
        let headers = ["Origin": origin, "Access-Control-Request-Method": "POST"]
        return try await world.client.send("OPTIONS", path, headers: headers)
    }

    @Test func `a page of an allowed origin can use the API`() async throws {
        try await APIWorld.with(origins: .listed([Self.page])) { world in
            let reply = try await preflight("/v1/parties", from: Self.page, to: world)
            #expect(reply.status == 204)
            #expect(reply.header("Access-Control-Allow-Origin") == Self.page)
            #expect(reply.header("Access-Control-Allow-Methods") == "GET, HEAD, POST, PUT, PATCH, DELETE")
            let allowed = try #require(reply.header("Access-Control-Allow-Headers")?.lowercased())
            for name in ["authorization", "content-type", "idempotency-key", "if-match", "last-event-id"] {
                #expect(allowed.contains(name))
            }
            #expect(reply.header("Access-Control-Max-Age") == "7200")
            #expect(reply.header("Vary") == "Origin")
            #expect(reply.header("Access-Control-Allow-Credentials") == nil)
            let player = try await world.player()
            let profile = try await world.client.send(
                "GET",
                "/v1/players/me",
                token: player.token,
                headers: ["Origin": Self.page]
            )
            #expect(profile.status == 200 && profile.header("Access-Control-Allow-Origin") == Self.page)
            let exposed = try #require(profile.header("Access-Control-Expose-Headers"))
            for name in ["ETag", "Idempotent-Replayed", "RateLimit-Remaining", "Retry-After", "X-Request-Id"] {
                #expect(exposed.contains(name))
            }
        }
    }

    @Test func `a page can read error responses, including those of rate limits`() async throws {
        let limits = RequestLimits(address: RateLimit(perSecond: 1, burst: 1))
        try await APIWorld.with(limits: limits, origins: .listed([Self.page])) { world in
            for status in [404, 429] {
                let reply = try await world.client.send("GET", "/v1/nowhere", headers: ["Origin": Self.page])
                #expect(reply.status == status)
                #expect(reply.header("Access-Control-Allow-Origin") == Self.page)
            }
        }
    }

    @Test func `pages of other origins are not allowed, and operators' routes allow no page`() async throws {
        try await APIWorld.with(origins: .listed([Self.page])) { world in
            for origin in ["https://evil.example.com", "http://play.example.com", Self.page + ":8443", "null"] {
                let reply = try await preflight("/v1/parties", from: origin, to: world)
                #expect(reply.status == 405 && reply.slug == "wrong-method")
                #expect(reply.header("Access-Control-Allow-Origin") == nil)
                #expect(reply.header("Vary") == "Origin")
            }
            let operators = try await preflight("/admin/v1/boss-fights", from: Self.page, to: world)
            #expect(operators.status == 405 && operators.header("Access-Control-Allow-Origin") == nil)
            // Without the headers of a preflight request, OPTIONS is a method like any other.
            let plain = try await world.client.send("OPTIONS", "/v1/parties", headers: ["Origin": Self.page])
            #expect(plain.status == 405)
        }
    }

    @Test func `no other form of an operators' path allows a page`() async throws {
        try await APIWorld.with(origins: .all) { world in
            let admin = try await world.operatorToken(.admin)
            func get(_ path: String) async throws -> String {
                try await RawConnection.open(world.client.port) { client in
                    try await client.send(
                        "GET \(path) HTTP/1.1",
                        "Host: rangers",
                        "Origin: \(Self.page)",
                        "Authorization: Bearer \(admin)",
                        "Connection: close",
                        ""
                    )
                    return try await client.readToEnd()
                }
            }
            for path in [
                "//admin/v1/stats", "///admin/v1/stats", "/admin//v1/stats", "/admin/v1//stats", "/admin/v1/stats/",
            ] {
                let response = try await get(path)
                #expect(
                    response.hasPrefix("HTTP/1.1 404 ") && response.contains(":unknown-route\""),
                    "\(path): \(response)"
                )
                #expect(!response.lowercased().contains("access-control-allow-origin"), "\(path): \(response)")
            }
            let response = try await get("/admin/v1/stats")
            #expect(
                response.hasPrefix("HTTP/1.1 200 ") && !response.lowercased().contains("access-control-allow-origin")
            )
        }
    }

    @Test func `every page is allowed if all origins are`() async throws {
        try await APIWorld.with(origins: .all) { world in
            let reply = try await preflight("/v1/parties", from: "null", to: world)
            #expect(reply.status == 204 && reply.header("Access-Control-Allow-Origin") == "*")
            #expect(reply.header("Vary") == nil)
        }
    }

    @Test func `no page is allowed by default`() async throws {
        try await APIWorld.with { world in
            let reply = try await preflight("/v1/parties", from: Self.page, to: world)
            #expect(reply.status == 405)
            #expect(reply.header("Access-Control-Allow-Origin") == nil && reply.header("Vary") == nil)
        }
    }
}
