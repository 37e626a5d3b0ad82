import Encodings
import Foundation
import GameTestSupport
import HTTPServing
import JSONCoding
import PostgresClient
import TestSupport
import Testing

@testable import PartyAPI

/// A player signs in with Apple on another phone, or after the token is lost.
@Suite struct AppleAccountTests {
    private static let path = "/v1/players/me/apple-account"

    private func body(_ identity: TestApple.Identity, nonce: String? = nil) -> JSONValue {
        ["identityToken": .string(identity.token), "nonce": .string(nonce ?? identity.nonce)]
    }

    private func link(
        _ identity: TestApple.Identity,
        to player: TestPlayer,
        headers: [String: String] = [:],
        in world: APIWorld
    ) async throws -> Reply {
        try await world.client.send("PUT", Self.path, token: player.token, body: body(identity), headers: headers)
    }

    private func signIn(
        _ identity: TestApple.Identity,
        nonce: String? = nil,
        key: String? = nil,
        in world: APIWorld
    ) async throws -> Reply {
        let headers = key.map { ["Idempotency-Key": $0] } ?? [:]
        let body = body(identity, nonce: nonce)
        return try await world.client.send("POST", "/v1/players/sign-in", body: body, headers: headers)
    }

    private func status(_ token: String, in world: APIWorld) async throws -> Int {
        try await world.client.send("GET", "/v1/players/me", token: token).status
    }

    private func stored(in world: APIWorld) async throws -> String {
        let dump = Statement(
            "test.dump",
            """
            SELECT coalesce((SELECT string_agg(a::text, ' ') FROM apple_accounts AS a), '')
                || coalesce((SELECT string_agg(k::text, ' ') FROM idempotency_keys AS k), '')
            """
        )
        return try await world.pool.query(PostgresQuery(dump))[0].decode(String.self)
    }

    @Test func `a player who has linked an account signs in with it on another phone, and the first keeps its token`()
        async throws
    {
        let apple = try TestApple()
        try await APIWorld.with(apple: apple.signIn) { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let unknown = try await signIn(try apple.identity(of: "ada"), in: world)
            #expect(unknown.status == 404 && unknown.slug == "unknown-apple-account")
            #expect(try await link(try apple.identity(of: "ada"), to: ada, in: world).status == 204)
            #expect(try await link(try apple.identity(of: "ada"), to: ada, in: world).status == 204)
            #expect(try await link(try apple.identity(of: "ben"), to: ben, in: world).status == 204)

            let other = try await signIn(try apple.identity(of: "ada"), in: world)
            #expect(other.status == 201 && other.json["playerID"] == .string(ada.id))
            #expect(try await status(other.json["token"].text, in: world) == 200)
            #expect(try await status(ada.token, in: world) == 200)
            let bens = try await signIn(try apple.identity(of: "ben"), in: world)
            #expect(bens.json["playerID"] == .string(ben.id))
        }
    }

    @Test func `an identity token signs in once, and a repetition with the same key gets the same token`() async throws
    {
        let apple = try TestApple()
        try await APIWorld.with(apple: apple.signIn) { world in
            let ada = try await world.player("Ada")
            let (old, linking) = (try apple.identity(), try apple.identity())
            #expect(try await link(linking, to: ada, in: world).status == 204)
            // The tokens of the link and before it are used up.
            for identity in [old, linking] {
                let replayed = try await signIn(identity, in: world)
                #expect(replayed.status == 422 && replayed.slug == "invalid-identity-token")
                #expect(replayed.json["detail"].text.contains("was used before"))
            }
            let identity = try apple.identity()
            let first = try await signIn(identity, key: "sign-in", in: world)
            #expect(first.status == 201)
            let repeated = try await signIn(identity, key: "sign-in", in: world)
            #expect(repeated.json == first.json && repeated.header("Idempotent-Replayed") == "true")
            #expect(try await signIn(identity, key: "another", in: world).slug == "invalid-identity-token")
            #expect(try await signIn(identity, in: world).slug == "invalid-identity-token")

            // Of concurrent attempts with one token, one succeeds.
            let next = try apple.identity()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<10 { group.addTask { try await self.signIn(next, in: world).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 422, count: 9))

            // Only the hash of the account is stored, and neither token.
            let stored = try await stored(in: world)
            #expect(stored.contains(ada.id) && !stored.contains(String(first.json["token"].text.dropFirst(4))))
            #expect(!stored.contains("eyJ") && !stored.contains(identity.nonce))
        }
    }

    @Test func `an account belongs to one player, and a player has one account`() async throws {
        let apple = try TestApple()
        try await APIWorld.with(apple: apple.signIn) { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            #expect(try await link(try apple.identity(of: "ada"), to: ada, in: world).status == 204)
            let taken = try await link(try apple.identity(of: "ada"), to: ben, in: world)
            #expect(taken.status == 409 && taken.slug == "apple-account-taken")
            #expect(taken.json["detail"].text.hasPrefix("Another player"))
            let second = try await link(try apple.identity(of: "eve"), to: ada, in: world)
            #expect(second.status == 409 && second.json["detail"].text.hasPrefix("You have linked another"))

            // Of players who race for an account, one gets it.
            var players: [TestPlayer] = []
            for _ in 0..<6 { players.append(try await world.player("Eve")) }
            let racing = try players.map { ($0, try apple.identity(of: "eve")) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for (player, identity) in racing {
                    group.addTask { try await self.link(identity, to: player, in: world).status }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [204] + Array(repeating: 409, count: 5))

            for _ in 0..<2 {
                #expect(try await world.client.send("DELETE", Self.path, token: ada.token).status == 204)
            }
            #expect(try await signIn(try apple.identity(of: "ada"), in: world).slug == "unknown-apple-account")
            #expect(try await link(try apple.identity(of: "ada"), to: ben, in: world).status == 204)
        }
    }

    @Test func `only a fresh token of Apple for this app and nonce is accepted, and none is logged`() async throws {
        let (apple, impostor) = (try TestApple(), try TestApple())
        try await APIWorld.with(apple: apple.signIn) { world in
            let ada = try await world.player("Ada")
            #expect(try await link(try apple.identity(), to: ada, in: world).status == 204)
            let identity = try apple.identity()
            let otherNonce = try await signIn(identity, nonce: "another", in: world)
            #expect(otherNonce.status == 422 && otherNonce.json["detail"].text.hasPrefix("Its nonce is not"))
            impostor.clock.advance(by: .seconds(5))
            for reply in [
                try await signIn(try impostor.identity(), in: world),
                try await link(try impostor.identity(), to: ada, in: world),
            ] {
                #expect(reply.status == 422 && reply.json["detail"].text.hasPrefix("Its signature is invalid"))
            }
            apple.clock.advance(by: .seconds(660))
            let late = try await signIn(identity, in: world)
            #expect(late.status == 422 && late.json["detail"].text.hasPrefix("It has expired"))

            let fields = try await world.client.send(
                "POST",
                "/v1/players/sign-in",
                body: ["identityToken": .string(String(repeating: "a", count: 4097)), "nonce": ""]
            )
            #expect(fields.status == 422 && fields.slug == "invalid-fields")
            #expect(fields.fieldErrors.keys.sorted() == ["identityToken", "nonce"])
            let lines = world.logs.lines.map { "\($0.message) \($0.metadata)" }.joined(separator: "\n")
            #expect(!lines.contains("eyJ") && !lines.contains(identity.nonce))
        }
    }

    @Test func `an erased player leaves no account behind, and an export has it`() async throws {
        let apple = try TestApple()
        try await APIWorld.with(apple: apple.signIn) { world in
            let ada = try await world.player("Ada")
            #expect(try await link(try apple.identity(), to: ada, in: world).status == 204)
            let export = try await world.client.send("GET", "/v1/players/me/export", token: ada.token).json
            #expect(export["appleAccount"].keys == ["linkedAt"])
            #expect(try await world.client.send("DELETE", "/v1/players/me", token: ada.token).status == 204)
            #expect(try await !stored(in: world).contains(ada.id))
            #expect(try await signIn(try apple.identity(), in: world).slug == "unknown-apple-account")
        }
    }

    @Test func `sign-ins are limited by address like recovery codes`() async throws {
        let apple = try TestApple()
        let limits = RequestLimits(wrongCode: RateLimit(perSecond: 1, burst: 3))
        try await APIWorld.with(apple: apple.signIn, limits: limits) { world in
            for _ in 0..<3 { #expect(try await signIn(try apple.identity(), in: world).status == 404) }
            let refused = try await signIn(try apple.identity(), in: world)
            #expect(refused.status == 429 && refused.json["detail"].text.contains("sign-ins"))
        }
    }

    @Test func `without keys of Apple, Sign in with Apple is off`() async throws {
        let apple = try TestApple()
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            for reply in [
                try await signIn(try apple.identity(), in: world),
                try await link(try apple.identity(), to: ada, in: world),
            ] {
                #expect(reply.status == 404 && reply.slug == "apple-sign-in-off")
                #expect(reply.json["detail"].text.contains("RANGERS_APPLE_KEYS"))
            }
            #expect(try await world.client.send("DELETE", Self.path, token: ada.token).status == 204)
        }
    }
}
