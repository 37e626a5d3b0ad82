import Foundation
import GameStore
import HTTPServing
import JSONCoding
import TestSupport
import Testing

@testable import PartyAPI

/// Rate limits over real connections; the clock hardly advances, so the buckets do not refill by themselves.
@Suite struct LimitTests {
    private static let proxies = [AddressRange("127.0.0.0/8")].compactMap { $0 }

    @Test func `a token beyond its limit is rejected, and accepted again later`() async throws {
        let limits = RequestLimits(token: RateLimit(perSecond: 1, burst: 5))
        try await APIWorld.with(limits: limits) { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            func profile(_ player: TestPlayer) async throws -> Reply {
                try await world.client.send("GET", "/v1/players/me", token: player.token)
            }
            for remaining in (0..<5).reversed() {
                let reply = try await profile(ada)
                #expect(reply.status == 200)
                #expect(reply.header("RateLimit-Limit") == "5")
                #expect(reply.header("RateLimit-Remaining") == "\(remaining)")
                #expect(reply.header("RateLimit-Reset") == "\(5 - remaining)")
            }
            for _ in 0..<3 {
                let reply = try await profile(ada)
                #expect(reply.status == 429 && reply.slug == "too-many-requests")
                #expect(reply.header("Retry-After") == "1")
                #expect(reply.json["detail"].text.hasPrefix("Your token has sent"))
                #expect(reply.header("RateLimit-Remaining") == "0" && reply.header("RateLimit-Reset") == "5")
                #expect(reply.header("X-Request-Id") != nil)
            }
            #expect(try await profile(ben).status == 200)
            try await world.pass(.seconds(1))
            #expect(try await profile(ada).status == 200)
            #expect(try await profile(ada).status == 429)
        }
    }

    @Test func `an address counts across tokens, and is the last one that is not a trusted proxy`() async throws {
        let limits = RequestLimits(address: RateLimit(perSecond: 1, burst: 3), trustedProxies: Self.proxies)
        try await APIWorld.with(limits: limits) { world in
            func ask(_ path: String, from forwardedFor: String, token: String? = nil) async throws -> Reply {
                let headers = ["X-Forwarded-For": forwardedFor]
                return try await world.client.send("GET", path, token: token, headers: headers)
            }
            // Guessed tokens, missing tokens and unknown paths all count.
            let guess = "erp_" + String(repeating: "A", count: 43)
            #expect(try await ask("/v1/players/me", from: "203.0.113.9", token: guess).status == 401)
            #expect(try await ask("/v1/nowhere", from: "203.0.113.9").status == 404)
            #expect(try await ask("/docs", from: "198.51.100.1, 203.0.113.9").status == 200)
            let refused = try await ask("/v1/nowhere", from: "198.51.100.2, 203.0.113.9", token: guess)
            #expect(refused.status == 429 && refused.header("RateLimit-Limit") == "3")
            #expect(refused.json["detail"].text.hasPrefix("Your address has sent more requests"))
            #expect(try await ask("/v1/nowhere", from: "203.0.113.10").status == 404)
            for host in 1...3 { _ = try await ask("/v1/nowhere", from: "2001:db8::\(host)") }
            #expect(try await ask("/v1/nowhere", from: "2001:db8::9").status == 429)
            #expect(try await ask("/v1/nowhere", from: "2001:db8:0:1::9").status == 404)
        }
    }

    @Test func `registrations are limited by address`() async throws {
        let limits = RequestLimits(registration: RateLimit(perSecond: 1, burst: 3), trustedProxies: Self.proxies)
        try await APIWorld.with(limits: limits) { world in
            func register(from address: String, hero: JSONValue = "spouty") async throws -> Reply {
                let body: JSONValue = ["displayName": "Ada", "hero": hero]
                return try await world.client.send(
                    "POST",
                    "/v1/players",
                    body: body,
                    headers: ["X-Forwarded-For": address]
                )
            }
            let first = try await register(from: "203.0.113.9")
            #expect(first.status == 201 && first.header("RateLimit-Limit") == "3")
            #expect(first.header("RateLimit-Remaining") == "2")
            #expect(try await register(from: "203.0.113.9", hero: "nobody").status == 422)
            #expect(try await register(from: "203.0.113.9").status == 201)
            let refused = try await register(from: "203.0.113.9")
            #expect(
                refused.status == 429 && refused.slug == "too-many-requests" && refused.header("Retry-After") == "1"
            )
            #expect(refused.json["detail"].text.hasPrefix("Your address has registered more players"))
            #expect(try await register(from: "203.0.113.10").status == 201)
            // Other requests are not affected.
            let token = first.json["token"].text
            let headers = ["X-Forwarded-For": "203.0.113.9"]
            #expect(try await world.client.send("GET", "/v1/players/me", token: token, headers: headers).status == 200)
            try await world.pass(.seconds(1))
            #expect(try await register(from: "203.0.113.9").status == 201)
            #expect(try await register(from: "203.0.113.9").status == 429)
        }
    }

    @Test func `wrong codes are limited by address across players, and right codes do not count`()
        async throws
    {
        let limits = RequestLimits(wrongCode: RateLimit(perSecond: 1, burst: 3))
        try await APIWorld.with(limits: limits) { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: ada)
            func guess(_ code: String = "00000000") async throws -> Reply {
                let stranger = try await world.player("Eve")
                return try await world.join(TestParty(id: "", inviteCode: code), stranger)
            }
            // More than the burst: no join by the right code counts.
            for _ in 0..<5 { #expect(try await world.join(party, ada).status == 200) }
            #expect(try await world.client.send("POST", "/v1/parties/join").status == 401)
            for code in ["00000000", "no code", "00000001"] { #expect(try await guess(code).status == 404) }
            let refused = try await guess()
            #expect(
                refused.status == 429 && refused.slug == "too-many-requests" && refused.header("Retry-After") == "1"
            )
            #expect(refused.header("RateLimit-Limit") == "3")
            #expect(refused.json["detail"].text.hasPrefix("Your address has sent more wrong invite codes"))
            try await world.pass(.seconds(1))
            #expect(try await world.join(party, try await world.player("Ben")).status == 200)
            #expect(try await guess().status == 404)
            #expect(try await guess().status == 429)
        }
    }

    @Test func `concurrent guesses do not exceed the limit`() async throws {
        let limits = RequestLimits(wrongCode: RateLimit(perSecond: 1, burst: 5))
        try await APIWorld.with(limits: limits) { world in
            let eve = try await world.player("Eve")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<30 {
                    group.addTask { try await world.join(TestParty(id: "", inviteCode: "00000000"), eve).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 404 } == 5)
            #expect(statuses.count { $0 == 429 } == 25)
        }
    }

    @Test func `health checks have no rate limit`() async throws {
        let limits = RequestLimits(address: RateLimit(perSecond: 1, burst: 1))
        try await APIWorld.with(limits: limits) { world in
            for _ in 0..<5 {
                for path in ["/healthz", "/readyz"] {
                    let reply = try await world.client.send("GET", path)
                    #expect(reply.status == 200 && reply.header("RateLimit-Limit") == nil)
                }
            }
            #expect(try await world.client.send("GET", "/docs").status == 200)
            #expect(try await world.client.send("GET", "/docs").status == 429)
            #expect(try await world.client.send("GET", "/readyz").status == 200)
        }
    }

    @Test func `operators' tokens have the same limit`() async throws {
        let limits = RequestLimits(token: RateLimit(perSecond: 1, burst: 1))
        try await APIWorld.with(limits: limits) { world in
            let token = try await world.operatorToken(.viewer)
            #expect(try await world.client.send("GET", "/admin/v1/bosses", token: token).status == 200)
            #expect(try await world.client.send("GET", "/admin/v1/bosses", token: token).status == 429)
        }
    }

    @Test func `without limits there are no rate limit headers`() async throws {
        try await APIWorld.with { world in
            let reply = try await world.client.send("GET", "/v1/players/me", token: try await world.player().token)
            #expect(reply.status == 200 && reply.header("RateLimit-Limit") == nil)
        }
    }

    @Test func `of 60 concurrent requests as many are accepted as the bucket holds`() async throws {
        let limits = RequestLimits(token: RateLimit(perSecond: 1, burst: 20))
        try await APIWorld.with(limits: limits) { world in
            let player = try await world.player()
            let client = world.client.with(connections: 60)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<60 {
                    group.addTask { try await client.send("GET", "/v1/heroes", token: player.token).status }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 20)
            #expect(statuses.count { $0 == 429 } == 40)
        }
    }

    @Test func `an untrusted proxy with a private address is logged once`() async throws {
        let limits = RequestLimits(address: RateLimit(perSecond: 10, burst: 10))
        try await APIWorld.with(limits: limits) { world in
            for _ in 0..<3 {
                _ = try await world.client.send("GET", "/docs", headers: ["X-Forwarded-For": "203.0.113.9"])
            }
            let warnings = world.logs.lines.filter { $0.message.contains("RANGERS_TRUSTED_PROXIES") }
            #expect(warnings.map { $0.metadata["proxy"] } == ["127.0.0.1"])
        }
    }
}
