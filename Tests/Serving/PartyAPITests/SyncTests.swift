import GameCore
import GameLog
import GameStore
import GameTestSupport
import JSONCoding
import Testing

@Suite struct SyncTests {
    private static let path = "/v1/players/me/activities/sync"

    private static func fields(_ number: Int, on device: String) -> JSONValue {
        [
            "deviceID": .string(device), "pushToken": .string("00f\(number)"), "environment": "simulator",
            "frequentPushesEnabled": true,
        ]
    }

    /// The age from which a sync releases an activity that is not running.
    private static let margin = Duration.seconds(30)

    private func id(_ number: Int) -> String { "0198a1b2-c3d4-7000-8000-00000000abc\(number)" }

    private func register(
        _ number: Int,
        of player: TestPlayer,
        on device: String? = nil,
        for adventure: String,
        in world: APIWorld
    ) async throws {
        let path = "/v1/adventures/\(adventure)/activities/\(id(number))"
        let reply = try await world.client.send(
            "PUT",
            path,
            token: player.token,
            body: Self.fields(number, on: device ?? player.id)
        )
        #expect(reply.status == 201)
    }

    /// Returns the numbers of the live activities among 0 to 9.
    private func live(of adventures: String..., in world: APIWorld) async throws -> [Int] {
        var live: [String] = []
        for adventure in adventures {
            let adventureID = try #require(AdventureID(adventure))
            live += try await world.store.activities(of: adventureID).filter { $0.state == .live }.map { "\($0.id)" }
        }
        return (0...9).filter { live.contains(id($0)) }
    }

    private func sync(_ running: [Int], _ player: TestPlayer, in world: APIWorld) async throws -> Set<JSONValue> {
        let body: JSONValue = [
            "deviceID": .string(player.id), "running": .array(running.map { .string(id($0)) }),
        ]
        let reply = try await world.client.send("POST", Self.path, token: player.token, body: body)
        #expect(reply.status == 200 && reply.json.keys == ["released", "unknown", "live"])
        return Set(reply.json["released"].array)
    }

    @Test func `a sync releases exactly the activities that the device no longer shows, in every party`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let first = try await world.journey(try await world.party(of: ada, ben), by: ada)
            let second = try await world.journey(try await world.party(of: ada), by: ada)
            for number in 0...1 { try await register(number, of: ada, for: first, in: world) }
            try await register(2, of: ada, for: second, in: world)
            try await register(3, of: ben, for: first, in: world)
            try await world.pass(Self.margin)
            #expect(try await sync([1], ada, in: world) == [.string(id(0)), .string(id(2))])
            #expect(try await live(of: first, second, in: world) == [1, 3])
            // A repeated sync has no further effect.
            #expect(try await sync([1], ada, in: world) == [])
            #expect(try await sync([1, 7], ada, in: world) == [])
            #expect(try await live(of: first, second, in: world) == [1, 3])
        }
    }

    @Test func `a sync names the activities that get no pushes`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let adventure = try await world.journey(try await world.party(of: ada, ben), by: ada)
            for number in 0...1 { try await register(number, of: ada, for: adventure, in: world) }
            try await register(2, of: ben, for: adventure, in: world)
            let path = "/v1/adventures/\(adventure)/activities/\(id(1))"
            #expect(try await world.client.send("DELETE", path, token: ada.token).status == 204)
            let body: JSONValue = [
                "deviceID": .string(ada.id), "running": .array((0...3).map { .string(id($0)) }),
            ]
            let reply = try await world.client.send("POST", Self.path, token: ada.token, body: body)
            // The activity of another player, and one that was never registered, look the same.
            #expect(reply.json["unknown"] == .array((1...3).map { .string(id($0)) }))
            #expect(reply.json["live"] == [.string(id(0))])
        }
    }

    @Test func `a sync leaves the activities of the player's other devices as they are`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let adventure = try await world.journey(try await world.party(of: ada), by: ada)
            let tablet = "0198a1b2-0000-7000-8000-0000000000bb"
            let (adaID, tabletID) = (try #require(PlayerID(ada.id)), try #require(DeviceID(tablet)))
            try await world.commands.device(tabletID, of: adaID)
            try await register(0, of: ada, for: adventure, in: world)
            try await register(1, of: ada, on: tablet, for: adventure, in: world)
            try await world.pass(Self.margin)
            #expect(try await sync([], ada, in: world) == [.string(id(0))])
            #expect(try await live(of: adventure, in: world) == [1])
            let stranger: JSONValue = ["deviceID": "0198a1b2-0000-7000-8000-0000000000cc", "running": []]
            let reply = try await world.client.send("POST", Self.path, token: ada.token, body: stranger)
            #expect(reply.status == 404 && reply.slug == "unknown-device")
        }
    }

    @Test func `an activity registered less than 30 seconds before a sync is kept until the next one`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let adventure = try await world.journey(try await world.party(of: ada), by: ada)
            try await register(0, of: ada, for: adventure, in: world)
            try await world.pass(.seconds(29))
            try await register(1, of: ada, for: adventure, in: world)
            #expect(try await sync([], ada, in: world) == [])
            #expect(try await live(of: adventure, in: world) == [0, 1])
            try await world.pass(.seconds(1))
            #expect(try await sync([], ada, in: world) == [.string(id(0))])
            try await world.pass(.seconds(29))
            #expect(try await sync([], ada, in: world) == [.string(id(1))])
            #expect(try await live(of: adventure, in: world) == [])
        }
    }

    @Test func `a released activity is logged once`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let adventure = try await world.journey(try await world.party(of: ada), by: ada)
            let shard = try #require(AdventureID(adventure)).shard
            try await register(0, of: ada, for: adventure, in: world)
            try await world.pass(Self.margin)
            for _ in 0..<2 { _ = try await sync([], ada, in: world) }
            let released = try await world.store.log(of: shard, after: 0, limit: 1_000).compactMap {
                record -> String? in
                guard case .activityReleased(let id) = record.content else { return nil }
                return "\(id)"
            }
            #expect(released == [id(0)])
        }
    }

    @Test func `a player without parties has no activities to release`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            #expect(try await sync([0], ada, in: world) == [])
        }
    }

    @Test(
        arguments: [
            "seven", ["seven"], [7], [["0198a1b2-c3d4-7000-8000-00000000abcd"]], .null,
            .array(Array(repeating: "0198a1b2-c3d4-7000-8000-00000000abcd", count: 101)),
        ] as [JSONValue]
    )
    func `a malformed list of identifiers is rejected`(running: JSONValue) async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let body: JSONValue = ["deviceID": .string(ada.id), "running": running]
            let reply = try await world.client.send("POST", Self.path, token: ada.token, body: body)
            #expect(reply.status == 422)
            #expect(reply.fieldErrors == ["running": "must be a list of at most 100 UUIDs"])
        }
    }
}
