import Foundation
import HTTPServing
import JSONCoding
import PostgresClient
import Testing

@testable import PartyAPI

/// A lost token is not a lost account.
@Suite struct IdentityTests {
    private static let ada: JSONValue = ["displayName": "Ada", "hero": "spouty"]

    private func register(
        _ body: JSONValue = Self.ada,
        key: String? = nil,
        in world: APIWorld
    ) async throws -> Reply {
        let headers = key.map { ["Idempotency-Key": $0] } ?? [:]
        return try await world.client.send("POST", "/v1/players", body: body, headers: headers)
    }

    private func recover(_ code: String, key: String? = nil, in world: APIWorld) async throws -> Reply {
        let headers = key.map { ["Idempotency-Key": $0] } ?? [:]
        let body: JSONValue = ["recoveryCode": .string(code)]
        return try await world.client.send("POST", "/v1/players/recover", body: body, headers: headers)
    }

    private func status(_ token: String, in world: APIWorld) async throws -> Int {
        try await world.client.send("GET", "/v1/players/me", token: token).status
    }

    private func tokens(_ token: String, in world: APIWorld) async throws -> [JSONValue] {
        try await world.client.send("GET", "/v1/players/me/tokens", token: token).json["tokens"].array
    }

    private func count(_ table: String, in world: APIWorld) async throws -> Int64 {
        let query = Statement("test.count.\(table)", "SELECT count(*) FROM \(table)")
        return try await world.pool.query(PostgresQuery(query))[0].decode(Int64.self)
    }

    // MARK: - Registration

    @Test func `a repeated registration with the same key has the same player and token, also after a crash`()
        async throws
    {
        try await APIWorld.with { world in
            let key = "7d5f0c3a-1be4-4f6d-9a2c-08b1e6d7f359"
            let first = try await register(key: key, in: world)
            #expect(first.status == 201 && first.header("Idempotent-Replayed") == nil)
            let token = first.json["token"].text
            // Only the form of the key differs.
            for other in [key, key.uppercased(), key.replacing("-", with: "")] {
                let repeated = try await register(key: other, in: world)
                #expect(repeated.status == 201 && repeated.json == first.json)
                #expect(repeated.header("Idempotent-Replayed") == "true")
            }
            #expect(try await count("players", in: world) == 1)
            let reused = try await register(["displayName": "Ben", "hero": "ember"], key: key, in: world)
            #expect(reused.status == 422 && reused.slug == "idempotency-key-reused")
            let other = try await register(key: UUID().uuidString, in: world)
            #expect(other.json["playerID"] != first.json["playerID"] && other.json["token"] != first.json["token"])

            // A crash before the last step, and before the step before it.
            for table in ["players", "player_tokens"] {
                let clear = Statement("test.clear.\(table)", "DELETE FROM \(table)")
                _ = try await world.pool.query(PostgresQuery(clear))
            }
            #expect(try await register(key: key, in: world).json == first.json)
            #expect(try await status(token, in: world) == 200)

            // A revoked token does not become valid again.
            #expect(try await world.client.send("DELETE", "/v1/players/me/token", token: token).status == 204)
            #expect(try await register(key: key, in: world).json == first.json)
            #expect(try await status(token, in: world) == 401)

            try await world.pass(.seconds(24 * 60 * 60 + 1))
            let late = try await register(key: key, in: world)
            #expect(late.status == 201 && late.json["playerID"] != first.json["playerID"])
        }
    }

    @Test func `concurrent registrations with the same key make one player`() async throws {
        try await APIWorld.with { world in
            let key = UUID().uuidString
            let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
                for _ in 0..<12 { group.addTask { try await self.register(key: key, in: world) } }
                return try await group.reduce(into: [Reply]()) { $0.append($1) }
            }
            #expect(Set(replies.map(\.text)).count == 1 && replies.allSatisfy { $0.status == 201 })
            #expect(try await count("players", in: world) == 1)
            #expect(try await count("player_tokens", in: world) == 1)
            #expect(try await status(replies[0].json["token"].text, in: world) == 200)
        }
    }

    @Test(arguments: [
        "1", "my-key", "00000000-0000-0000-0000-000000000001", "11111111-1111-4111-8111-111111111111",
        "00000000000000000000000000000000", "7d5f0c3a-1be4-4f6d-9a2c-08b1e6d7f35", "7d5f0c3a1be44f6d9a2c08b1e6d7f35x",
    ])
    func `a registration takes only random UUIDs as keys`(key: String) async throws {
        try await APIWorld.with { world in
            let reply = try await register(key: key, in: world)
            #expect(reply.status == 422 && reply.slug == "invalid-fields")
            #expect(try #require(reply.fieldErrors["Idempotency-Key"]).hasPrefix("must be a random UUID"))
        }
    }

    @Test func `neither keys nor secrets are stored`() async throws {
        try await APIWorld.with { world in
            let key = UUID().uuidString.lowercased()
            let first = try await register(key: key, in: world)
            let token = first.json["token"].text
            let headers = ["Idempotency-Key": "exchange"]
            let path = "/v1/players/me/token"
            let next = try await world.client.send("POST", path, token: token, headers: headers).json["token"].text
            let recovered = try await recover(first.json["recoveryCode"].text, key: "recovery", in: world)
            let dump = Statement(
                "test.dump",
                """
                SELECT (SELECT string_agg(r::text, ' ') FROM registrations AS r)
                    || (SELECT string_agg(k::text, ' ') FROM idempotency_keys AS k)
                    || (SELECT string_agg(t::text, ' ') FROM player_tokens AS t)
                    || (SELECT string_agg(c::text, ' ') FROM recovery_codes AS c)
                """
            )
            let stored = try await world.pool.query(PostgresQuery(dump))[0].decode(String.self)
            #expect(stored.contains("exchange") && stored.contains(first.json["playerID"].text))
            let secrets =
                [token, next, recovered.json["token"].text].map { String($0.dropFirst(4)) }
                + [first, recovered].map { $0.json["recoveryCode"].text.replacing("-", with: "") }
                + [key.replacing("-", with: "")]
            for secret in secrets {
                #expect(
                    secret.count >= 25 && !stored.replacing("-", with: "").contains(secret.replacing("-", with: ""))
                )
            }
        }
    }

    // MARK: - Recovery

    @Test func `a recovery code is used up by the first use of its token, and other devices keep theirs`() async throws
    {
        try await APIWorld.with { world in
            let ada = try await register(in: world)
            let (code, old) = (ada.json["recoveryCode"].text, ada.json["token"].text)
            #expect(code.wholeMatch(of: /([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}/) != nil)
            // As a person types it.
            let typed = " " + code.lowercased().replacing("-", with: " – ").replacing("0", with: "o") + "\n"
            let lost = try await recover(typed, in: world)
            #expect(lost.status == 201 && lost.json["playerID"] == ada.json["playerID"])
            // The response was lost: the code is still valid, and the unused token is not, nor its code.
            let found = try await recover(code, in: world)
            #expect(found.status == 201 && found.json["token"] != lost.json["token"])
            #expect(try await status(lost.json["token"].text, in: world) == 401)
            #expect(try await recover(lost.json["recoveryCode"].text, in: world).slug == "unknown-recovery-code")
            #expect(try await recover(code, key: "again", in: world).status == 201)

            let last = try await recover(code, key: "last", in: world)
            let repeated = try await recover(code, key: "last", in: world)
            #expect(repeated.json == last.json && repeated.header("Idempotent-Replayed") == "true")
            let token = last.json["token"].text
            #expect(try await status(token, in: world) == 200)
            #expect(try await status(old, in: world) == 200)
            let used = try await recover(code, in: world)
            #expect(used.status == 404 && used.slug == "unknown-recovery-code")
            // Also with the key whose response had the token: a used code gives it to no one else.
            #expect(try await recover(code, key: "last", in: world).slug == "unknown-recovery-code")
            // The newest code is the only one.
            #expect(try await recover(found.json["recoveryCode"].text, in: world).status == 404)
            #expect(try await recover(last.json["recoveryCode"].text, in: world).status == 201)
            #expect(try await count("recovery_codes", in: world) == 2)
        }
    }

    @Test func `a signed-in player replaces the recovery code at once`() async throws {
        try await APIWorld.with { world in
            let ada = try await register(in: world)
            let (code, token) = (ada.json["recoveryCode"].text, ada.json["token"].text)
            // A token that was issued for the old code does not end the new one.
            let early = try await recover(code, in: world)
            let path = "/v1/players/me/recovery-code"
            let headers = ["Idempotency-Key": "code"]
            let renewed = try await world.client.send("POST", path, token: token, headers: headers)
            #expect(renewed.status == 200 && renewed.json.keys == ["recoveryCode"])
            #expect(try await world.client.send("POST", path, token: token, headers: headers).json == renewed.json)
            #expect(try await recover(code, in: world).status == 404)
            #expect(try await status(early.json["token"].text, in: world) == 200)
            let recovered = try await recover(renewed.json["recoveryCode"].text, in: world)
            #expect(recovered.status == 201 && recovered.json["playerID"] == ada.json["playerID"])
        }
    }

    @Test func `guessed recovery codes are limited by address, and tell nothing`() async throws {
        let limits = RequestLimits(wrongCode: RateLimit(perSecond: 1, burst: 4))
        try await APIWorld.with(limits: limits) { world in
            let ada = try await register(in: world)
            let code = ada.json["recoveryCode"].text
            let unknown = try await recover("ABCDE-ABCDE-ABCDE-ABCDE-ABCDE", in: world)
            let malformed = try await recover("Ada's code", in: world)
            #expect(unknown.status == 404 && unknown.json == malformed.json)
            let used = try await recover(code, in: world)
            #expect(try await status(used.json["token"].text, in: world) == 200)
            #expect(try await recover(code, in: world).json == unknown.json)
            // Right codes count, too.
            let refused = try await recover(used.json["recoveryCode"].text, in: world)
            #expect(refused.status == 429 && refused.slug == "too-many-requests")
            try await world.pass(.seconds(1))
            #expect(try await recover(used.json["recoveryCode"].text, in: world).status == 201)
        }
    }

    @Test func `recoveries and first uses of their tokens at the same time lose no player`() async throws {
        try await APIWorld.with { world in
            let ada = try await register(in: world)
            var code = ada.json["recoveryCode"].text
            for _ in 0..<20 {
                let held = code
                let next = try await recover(held, in: world)
                async let used = status(next.json["token"].text, in: world)
                async let repeated = recover(held, in: world)
                let (use, again) = try await (used, repeated)
                #expect([200, 401].contains(use) && [201, 404].contains(again.status), "\(use) \(again.text)")
                // The newest token is valid, and so is the code that came with it.
                let newest = again.status == 201 ? again : next
                #expect(try await status(newest.json["token"].text, in: world) == 200)
                code = newest.json["recoveryCode"].text
                #expect(try await count("recovery_codes", in: world) == 1)
            }
        }
    }

    // MARK: - Tokens

    @Test func `tokens are listed without their secrets, and revoked one by one or all others at once`() async throws {
        try await APIWorld.with { world in
            let ada = try await register(in: world)
            let phone = ada.json["token"].text
            let recovered = try await recover(ada.json["recoveryCode"].text, in: world)
            let tablet = recovered.json["token"].text
            let unused = try await tokens(phone, in: world)
            #expect(unused.map { $0["isCurrent"] } == [false, true] && unused[0]["lastUsedAt"] == .null)
            #expect(try await status(tablet, in: world) == 200)
            let watch = try await recover(recovered.json["recoveryCode"].text, in: world).json["token"].text

            try await world.pass(.seconds(2 * 24 * 60 * 60))
            let listed = try await tokens(tablet, in: world)
            #expect(listed.map { $0["isCurrent"] } == [false, true, false])
            #expect(Set(listed.map { $0["tokenID"].text }).count == 3)
            // The token of the request was used just now, and the others days ago or never.
            #expect(listed[1]["lastUsedAt"].text > listed[2]["lastUsedAt"].text && listed[0]["lastUsedAt"] == .null)
            #expect(listed[2]["tokenID"] == unused[1]["tokenID"])

            let path = "/v1/players/me/tokens/\(listed[2]["tokenID"].text)"
            let headers = ["Idempotency-Key": "revoke"]
            for _ in 0..<2 {
                let reply = try await world.client.send("DELETE", path, token: tablet, headers: headers)
                #expect(reply.status == 204)
            }
            #expect(try await status(phone, in: world) == 401)
            let gone = try await world.client.send("DELETE", path, token: tablet)
            #expect(gone.status == 404 && gone.slug == "unknown-token")

            // The token of another player is unknown, too.
            let ben = try await world.player("Ben")
            let other = try await tokens(ben.token, in: world)[0]["tokenID"].text
            let foreign = try await world.client.send("DELETE", "/v1/players/me/tokens/\(other)", token: tablet)
            #expect(foreign.slug == "unknown-token")

            #expect(try await world.client.send("DELETE", "/v1/players/me/tokens", token: tablet).status == 204)
            #expect(try await tokens(tablet, in: world).count == 1)
            #expect(try await status(watch, in: world) == 401)
            #expect(try await status(ben.token, in: world) == 200)
        }
    }

    @Test func `a token beyond the maximum revokes the one that was used longest ago`() async throws {
        try await APIWorld.with { world in
            let ada = try await register(in: world)
            var (code, issued) = (ada.json["recoveryCode"].text, [ada.json["token"].text])
            for _ in 0..<21 {
                try await world.pass(.seconds(60))
                let recovered = try await recover(code, in: world)
                issued.append(recovered.json["token"].text)
                code = recovered.json["recoveryCode"].text
                #expect(try await status(issued[issued.count - 1], in: world) == 200)
            }
            #expect(try await tokens(issued[21], in: world).count == 20)
            #expect(try await status(issued[0], in: world) == 401)
            #expect(try await status(issued[1], in: world) == 401)
            #expect(try await status(issued[2], in: world) == 200)
        }
    }

    @Test func `a token exchange that is repeated with its key has the same token`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            func exchange(_ key: String) async throws -> Reply {
                let headers = ["Idempotency-Key": key]
                return try await world.client.send("POST", "/v1/players/me/token", token: ada.token, headers: headers)
            }
            let lost = try await exchange("first")
            let found = try await exchange("first")
            #expect(found.json == lost.json && found.header("Idempotent-Replayed") == "true")
            #expect(try await exchange("second").json != lost.json)
            #expect(try await status(lost.json["token"].text, in: world) == 401)
        }
    }

    @Test func `an erasure leaves no code and no registration, and an export shows when each was issued`() async throws
    {
        try await APIWorld.with { world in
            let key = UUID().uuidString
            let ada = try await register(key: key, in: world)
            let token = ada.json["token"].text
            let export = try await world.client.send("GET", "/v1/players/me/export", token: token).json
            #expect(export["recoveryCodes"].array.count == 1 && export["tokens"][0]["lastUsedAt"] != .null)
            #expect(try await world.client.send("DELETE", "/v1/players/me", token: token).status == 204)
            for table in ["registrations", "recovery_codes", "player_tokens", "players"] {
                #expect(try await count(table, in: world) == 0, "\(table)")
            }
            #expect(try await recover(ada.json["recoveryCode"].text, in: world).status == 404)
            // The key is free again.
            #expect(try await register(key: key, in: world).json["playerID"] != ada.json["playerID"])
        }
    }
}
