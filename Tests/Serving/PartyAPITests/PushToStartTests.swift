import Foundation
import GameCore
import GameStore
import JSONCoding
import TestSupport
import Testing

@Suite struct PushToStartTests {
    private static let path = "/v1/players/me/push-to-start-token"

    private func fields(_ token: String, environment: JSONValue = "simulator") -> JSONValue {
        ["pushToken": .string(token), "environment": environment, "frequentPushesEnabled": true]
    }

    /// Returns the tokens that a dispatcher would use.
    private func tokens(of player: TestPlayer, in world: APIWorld) async throws -> [[UInt8]] {
        let id = try #require(PlayerID(player.id))
        return try await world.store.pushToStartRecords(of: [id]).map(\.pushToken)
    }

    @Test func `the newest push-to-start token counts until it is deleted`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            for token in ["00ff", "00ff", "BEEF"] {
                let reply = try await world.client.send("PUT", Self.path, token: ada.token, body: fields(token))
                #expect(reply.status == 200 && reply.json["environment"] == "simulator")
                #expect(reply.json["frequentPushesEnabled"] == true && reply.json["pushToken"] == .null)
            }
            #expect(try await tokens(of: ada, in: world) == [[0xbe, 0xef]])
            for _ in 0..<2 {
                #expect(try await world.client.send("DELETE", Self.path, token: ada.token).status == 204)
                #expect(try await tokens(of: ada, in: world).isEmpty)
            }
            _ = try await world.client.send("PUT", Self.path, token: ada.token, body: fields("cafe"))
            #expect(try await tokens(of: ada, in: world) == [[0xca, 0xfe]])
        }
    }

    @Test func `a token of an environment that no dispatcher sends to is stored, and not routable`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            func isRoutable(_ environment: JSONValue) async throws -> JSONValue {
                let body = fields("00ff", environment: environment)
                let reply = try await world.client.send("PUT", Self.path, token: ada.token, body: body)
                return reply.json["routable"]
            }
            #expect(try await isRoutable("simulator") == false)
            try await world.store.register(
                dispatcher: UUID(),
                knowsAll: true,
                sendingTo: [.simulator],
                for: .seconds(600)
            )
            #expect(try await isRoutable("simulator") == true)
            #expect(try await isRoutable("sandbox") == false)
            #expect(try await tokens(of: ada, in: world) == [[0x00, 0xff]])
        }
    }

    @Test func `a push-to-start token belongs to its player`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            _ = try await world.client.send("PUT", Self.path, token: ada.token, body: fields("00ff"))
            _ = try await world.client.send("DELETE", Self.path, token: ben.token)
            #expect(try await tokens(of: ada, in: world) == [[0x00, 0xff]])
            #expect(try await tokens(of: ben, in: world).isEmpty)
            #expect(try await world.client.send("PUT", Self.path, body: fields("00ff")).status == 401)
        }
    }

    @Test func `all invalid fields are reported at once, without the token`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let body: JSONValue = ["pushToken": "5ecret", "environment": "moon", "locale": "ko"]
            let reply = try await world.client.send("PUT", Self.path, token: ada.token, body: body)
            #expect(reply.status == 422)
            #expect(
                reply.fieldErrors == [
                    "pushToken": "must be 1 to 256 bytes in hexadecimal",
                    "environment": "must be one of production, sandbox, simulator",
                    "frequentPushesEnabled": "is missing",
                    "locale": "is not a field of this request",
                ]
            )
            #expect(!reply.text.contains("5ecret"))
        }
    }

    @Test func `no log line contains the token`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            _ = try await world.client.send("PUT", Self.path, token: ada.token, body: fields("5f1d4c0a77ee"))
            let everything = world.logs.lines.flatMap { [$0.message] + $0.metadata.values }.joined(separator: "\n")
            #expect(everything.contains("push-to-start-token"))
            #expect(!everything.contains("5f1d4c0a77ee"))
        }
    }
}
