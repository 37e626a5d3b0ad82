import Foundation
import GameCore
import GameLog
import GameStore
import HTTPServing
import JSONCoding
import PartyAPI
import PostgresClient
import TestSupport
import Testing

/// A party with spectators, who have neither an account nor a token.
@Suite struct SpectatorTests {
    private static func open(_ party: TestParty, by player: TestPlayer, _ world: APIWorld) async throws -> Reply {
        try await world.client.send("POST", "/v1/parties/\(party.id)/spectators", token: player.token)
    }

    @Test func `anyone with the link sees the adventure without players, until the leader closes it`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben", hero: "ember"))
            let party = try await world.party(of: ada, ben)
            #expect(try await Self.open(party, by: ben, world).slug == "leader-only")
            let opened = try await Self.open(party, by: ada, world)
            let link = opened.json["link"].text
            #expect(opened.status == 201 && opened.json["channels"] == [:])
            let again = try await Self.open(party, by: ada, world)
            #expect(again.status == 200 && again.json == opened.json)
            let path = "/v1/spectators/\(link)"
            #expect(try await world.client.send("GET", path).json == ["channels": [:]])
            #expect(try await world.client.send("GET", "\(path)/events").status == 204)

            let fight = try await world.bossFight(party)
            let policy: JSONValue = ["type": "policy", "policy": "skip"]
            let commands = "/v1/adventures/\(fight)/commands"
            #expect(try await world.client.send("POST", commands, token: ben.token, body: policy).status < 300)
            let watched = try await world.client.send("GET", path)
            #expect(watched.json["adventure"]["adventureID"].text == fight)
            #expect(watched.json["adventure"]["heroes"].array.map { $0["hero"]["id"] } == ["spouty", "ember"])
            let secrets = [ada.id, ben.id, party.id, party.inviteCode, "Ada", "Ben", "Test party", "potion", "policy"]
            for secret in secrets { #expect(!watched.text.contains(secret), "\(secret)") }

            try await EventStreamClient.open(
                "\(path)/events",
                at: world.client.port,
                headers: [:],
                receiveBufferBytes: nil
            ) { stream in
                #expect(stream.status == 200)
                #expect(try await stream.events(through: 1).events.map { $0["kind"] } == ["adventureStarted"])
                try await world.pass(.seconds(15))
                let more = try await world.client.send("GET", path).json["adventure"]["sequence"].number
                let events = try await stream.events(through: Int(more)).events
                #expect(!events.isEmpty && events.allSatisfy { $0["kind"] != "policyChosen" })
                let closed = try await world.client.send(
                    "DELETE",
                    "/v1/parties/\(party.id)/spectators",
                    token: ada.token
                )
                #expect(closed.status == 204)
                #expect(try await stream.events().end == "closed")
            }
            for path in [path, "\(path)/events", "/v1/spectators/ers_x", "/v1/spectators/\(ada.token)"] {
                #expect(try await world.client.send("GET", path).slug == "unknown-link")
            }
            // A former link is worth nothing when the party is open again.
            let next = try await Self.open(party, by: ada, world)
            #expect(next.status == 201 && next.json["link"].text != link)
            #expect(try await world.client.send("GET", path).slug == "unknown-link")
            #expect(!world.logs.lines.contains { "\($0)".contains(link) })
        }
    }

    @Test func `a party gets channels when a spectator looks at its adventure`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: ada)
            let link = try await Self.open(party, by: ada, world).json["link"].text
            let path = "/v1/spectators/\(link)"
            let id = try #require(PartyID(party.id))
            func environments() async throws -> [PushEnvironment] {
                let channels = try await world.store.channels(of: BroadcastChannel.Owner(.party, id.rawValue))
                #expect(channels.allSatisfy { $0.state == .wanted && $0.storagePolicy == .ofSpectators })
                return channels.map(\.key.environment)
            }
            _ = try await world.store.keepChannels(in: .sandbox, by: UUID(), for: .seconds(3_600))
            #expect(try await world.client.send("GET", path).status == 200)
            #expect(try await environments().isEmpty)
            _ = try await world.journey(party, by: ada)
            #expect(try await environments().isEmpty)
            for _ in 0..<2 {
                #expect(try await world.client.send("GET", path).json["channels"] == [:])
                // No dispatcher creates channels of other environments.
                #expect(try await environments() == [.sandbox])
            }
        }
    }

    @Test func `the link of a leader who hands the party over is worth nothing`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let path = "/v1/spectators/\(try await Self.open(party, by: ada, world).json["link"].text)"
            let leader = "/v1/parties/\(party.id)/leader"
            func handOver(to player: TestPlayer) async throws {
                let body: JSONValue = ["playerID": .string(player.id)]
                #expect(try await world.client.send("POST", leader, token: ada.token, body: body).status == 200)
            }
            try await handOver(to: ada)
            #expect(try await world.client.send("GET", path).status == 200)
            try await handOver(to: ben)
            #expect(try await world.client.send("GET", path).slug == "unknown-link")
            #expect(try await Self.open(party, by: ben, world).status == 201)
        }
    }

    @Test func `nothing is left when the leader leaves, or when the party is disbanded`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let party = try await world.party(of: ada, ben)
            let rows = Statement("test.spectators", "SELECT count(*) FROM spectators")
            func count() async throws -> Int64 { try await world.pool.query(PostgresQuery(rows))[0].decode(Int64.self) }
            _ = try await Self.open(party, by: ada, world)
            #expect(try await count() == 1)
            #expect(try await world.client.send("DELETE", "/v1/players/me", token: ada.token).status < 300)
            #expect(try await count() == 0)
            _ = try await Self.open(party, by: ben, world)
            #expect(try await count() == 1)
            let members = "/v1/parties/\(party.id)/members/\(ben.id)"
            #expect(try await world.client.send("DELETE", members, token: ben.token).status == 204)
            #expect(try await count() == 0)
        }
    }

    @Test func `an address has a limit of wrong links, and of streams with a link`() async throws {
        let limits = RequestLimits(wrongCode: RateLimit(perSecond: 1, burst: 3))
        var streams = StreamSettings(pollInterval: .milliseconds(10))
        streams.maxStreamsPerPlayer = 1
        try await APIWorld.with(streams: streams, limits: limits) { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: ada)
            _ = try await world.journey(party, by: ada)
            let link = try await Self.open(party, by: ada, world).json["link"].text
            let path = "/v1/spectators/\(link)"
            for _ in 0..<5 { #expect(try await world.client.send("GET", path).status == 200) }
            try await EventStreamClient.open(
                "\(path)/events",
                at: world.client.port,
                headers: [:],
                receiveBufferBytes: nil
            ) { stream in
                let second = try await world.client.send("GET", "\(path)/events")
                #expect(stream.status == 200 && second.status == 429)
            }
            for _ in 0..<3 { _ = try await world.client.send("GET", "/v1/spectators/ers_x") }
            #expect(try await world.client.send("GET", "/v1/spectators/ers_x").status == 429)
        }
    }
}
