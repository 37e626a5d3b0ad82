import Foundation
import GameCore
import GameLog
import GameStore
import JSONCoding
import Testing

/// The operators' routes of broadcast channels.
@Suite struct ChannelRouteTests {
    @Test func `operators see channels and request a comparison with APNs, which is in the audit log`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let admin = try await world.operatorToken(.admin, name: "Ada")
            let key = BroadcastChannel.Key(BroadcastChannel.Owner(.raid, UUID()), in: .simulator)
            try await world.store.wantChannels([key], storing: .noMessage)
            _ = try await world.store.keepChannels(in: .simulator, by: UUID(), for: .seconds(10))
            let list = try await world.client.send("GET", "/admin/v1/channels?limit=1", token: viewer)
            #expect(list.status == 200 && list.json["count"] == 1)
            #expect(list.json["channels"][0]["state"] == "wanted")
            #expect(list.json["environments"][0]["environment"] == "simulator")
            #expect(list.json["environments"][0]["comparedAt"] == .null)

            let path = "/admin/v1/channels/reconcile"
            #expect(try await world.client.send("POST", path, token: viewer).status == 403)
            let requested = try await world.client.send("POST", path, token: admin)
            #expect(requested.status == 202 && requested.json["environments"][0]["requestedAt"] != .null)
            let audit = try await world.client.send("GET", "/admin/v1/audit?limit=1", token: viewer)
            #expect(audit.json["entries"][0]["action"] == "channel.reconcile")
        }
    }
}
