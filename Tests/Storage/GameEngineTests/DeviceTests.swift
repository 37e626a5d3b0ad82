import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@Suite struct DeviceTests {
    private func start(_ seconds: Int, on device: Device) -> PushToStart {
        var generator = SeededGenerator(seed: UInt64(seconds))
        let shard = Shard(rawValue: 3)
        return PushToStart(
            .adventure(
                AdventureID(at: noon, in: shard, using: &generator),
                PartyID(at: noon, in: shard, using: &generator)
            ),
            at: noon + .seconds(seconds)
        )
    }

    private var noon: Timestamp { Timestamp(epochSeconds: 1_800_000_000) }

    private func only(_ player: PlayerID, in world: World) async throws -> Device {
        let devices = try await world.store.devices(of: player)
        return try #require(devices.count == 1 ? devices.first : nil)
    }

    @Test func `claimed starts stay with the device when its token changes, and a claim on a changed device fails`()
        async throws
    {
        try await World.with { world in
            let ada = try await world.player()
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let read = try await only(ada, in: world)
            // Registering the same again invalidates no claim.
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let starts = [start(0, on: read), start(1, on: read)]
            #expect(try await world.store.claimStart(starts, for: read))
            #expect(try await world.store.claimStart([], for: read) == false)
            try await world.commands.device(of: ada, pushToStartToken: [2])
            let device = try await only(ada, in: world)
            #expect(device.starts == starts && device.pushToStartToken == [2])
            try await world.store.removePushToStartToken(of: read)
            #expect(try await world.store.startableDevices(of: [ada]).map(\.id) == [device.id])
            try await world.store.removePushToStartToken(of: device)
            #expect(try await world.store.startableDevices(of: [ada]).isEmpty)
            #expect(try await only(ada, in: world).starts == starts)
        }
    }

    @Test func `a device that asks for raids is stored as such, with the raids started on it`() async throws {
        try await World.with { world in
            let ada = try await world.player()
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let plain = try await only(ada, in: world)
            #expect(!plain.followsRaids)
            try await world.commands.device(of: ada, followsRaids: true, pushToStartToken: [1])
            let device = try await only(ada, in: world)
            #expect(device.followsRaids && device.version == plain.version + 1)
            var generator = SeededGenerator(seed: 7)
            let raid = PushToStart(.raid(RaidID(at: noon, using: &generator)), at: noon)
            let starts = [start(0, on: device), raid, start(1, on: device)]
            #expect(try await world.store.claimStart(starts, for: device))
            #expect(try await world.store.startableDevices(of: [ada]).map(\.starts) == [starts])
            // A registration without the field asks for none, and keeps the starts.
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let newest = try await only(ada, in: world)
            #expect(!newest.followsRaids && newest.starts == starts)
        }
    }

    @Test func `of several concurrent claims, one succeeds`() async throws {
        try await World.with { world in
            let ada = try await world.player()
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let read = try await only(ada, in: world)
            let claims = try await withThrowingTaskGroup { group in
                for second in 0..<8 {
                    group.addTask { try await world.store.claimStart([start(second, on: read)], for: read) ? 1 : 0 }
                }
                return try await group.reduce(0, +)
            }
            #expect(claims == 1)
            #expect(try await only(ada, in: world).starts.count == 1)
        }
    }

    @Test func `a token belongs to the device that registered it last, whichever player's it is`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player(), try await world.player("Ben"))
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let tablet = DeviceID(rawValue: ben.rawValue)
            try await world.commands.device(tablet, of: ada, pushToStartToken: [2])
            #expect(try await world.store.startableDevices(of: [ada]).count == 2)
            try await world.commands.device(of: ben, pushToStartToken: [1])
            #expect(
                try await world.store.startableDevices(of: [ada, ben]).compactMap(\.pushToStartToken) == [[2], [1]]
            )
            try await world.commands.device(of: ada, pushToStartToken: [2])
            let devices = try await world.store.devices(of: ada)
            #expect(devices.map(\.pushToStartToken) == [[2], nil])
            // A device with Live Activities off starts none.
            try await world.commands.device(of: ada, pushToStartToken: [2], liveActivitiesEnabled: false)
            #expect(try await world.store.startableDevices(of: [ada]).isEmpty)
        }
    }

    @Test func `a player has ten devices at most, and the removal of one makes room`() async throws {
        try await World.with { world in
            let ada = try await world.player()
            var generator = world.runtime.generator()
            let ids = (0...GameCommands.maxDevices).map { _ in
                DeviceID(rawValue: ActivityID(at: noon, using: &generator).rawValue)
            }
            for id in ids.dropLast() { try await world.commands.device(id, of: ada) }
            await #expect(throws: CommandError.tooManyDevices) { try await world.commands.device(ids[10], of: ada) }
            try await world.commands.device(ids[0], of: ada)
            #expect(try await world.commands.removeDevice(ids[0], of: ada, request: nil).status == 204)
            await #expect(throws: CommandError.unknownDevice) {
                try await world.commands.removeDevice(ids[0], of: ada, request: nil)
            }
            try await world.commands.device(ids[10], of: ada)
            #expect(Set(try await world.store.devices(of: ada).map(\.id)) == Set(ids.dropFirst()))
        }
    }

    /// Registers an activity of a device.
    private func register(
        _ number: UInt8,
        on device: DeviceID,
        token: [UInt8]? = nil,
        startsAt: Timestamp? = nil,
        of adventure: AdventureID,
        by player: PlayerID,
        in world: World
    ) async throws -> ActivityID {
        let id = ActivityID(rawValue: device.rawValue.replacingLastByte(by: number))
        let registration = ActivityRegistration(
            id: id,
            deviceID: device,
            pushToken: token ?? [number] + Array("\(device)".utf8),
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil,
            startsAt: startsAt
        )
        _ = try await world.commands.register(registration, for: adventure, by: player, request: nil) { _, _ in
            EncodedResponse(status: 201, body: "")
        }
        return id
    }

    @Test func `a tablet beside a phone has activities of its own, five at most, and is synced by itself`() async throws
    {
        try await World.with { world in
            let (ada, ben) = (try await world.player(), try await world.player("Ben"))
            let (phone, tablet) = (DeviceID(rawValue: ada.rawValue), DeviceID(rawValue: ben.rawValue))
            let journey = try await world.startJourney(try await world.party(of: [ada])).id
            await #expect(throws: CommandError.unknownDevice) {
                try await register(1, on: phone, of: journey, by: ada, in: world)
            }
            try await world.commands.device(phone, of: ada)
            try await world.commands.device(tablet, of: ada)
            // A device of another player.
            try await world.commands.device(DeviceID(rawValue: journey.rawValue), of: ben)
            await #expect(throws: CommandError.unknownDevice) {
                try await register(1, on: DeviceID(rawValue: journey.rawValue), of: journey, by: ada, in: world)
            }
            for number in UInt8(1)...5 { _ = try await register(number, on: phone, of: journey, by: ada, in: world) }
            await #expect(throws: CommandError.tooManyActivities) {
                try await register(6, on: phone, of: journey, by: ada, in: world)
            }
            let onTablet = try await register(1, on: tablet, of: journey, by: ada, in: world)
            world.clock.advance(by: GameCommands.listMargin + .seconds(1))
            let unknown = ActivityID(rawValue: journey.rawValue)
            let running = [ActivityID(rawValue: phone.rawValue.replacingLastByte(by: 5)), unknown]
            let synced = try await world.commands.releaseActivities(of: ada, on: phone, butFor: Set(running))
            #expect(synced.released.count == 4 && synced.unknown == [unknown])
            #expect(synced.live.map(\.id) == [running[0]])
            #expect(try await world.store.activity(onTablet, of: journey)?.state == .live)
            _ = try await world.commands.removeDevice(tablet, of: ada, request: nil)
            #expect(try await world.store.activity(onTablet, of: journey)?.state == .released)
        }
    }

    @Test func `a repeated removal releases nothing of a device that was registered again`() async throws {
        try await World.with { world in
            let ada = try await world.player()
            let journey = try await world.startJourney(try await world.party(of: [ada])).id
            let removal = IdempotentRequest(key: "remove", hash: [1])
            let phone = try await world.commands.device(of: ada)
            let first = try await register(1, on: phone, of: journey, by: ada, in: world)
            #expect(try await world.commands.removeDevice(phone, of: ada, request: removal).isReplayed == false)
            #expect(try await world.store.activity(first, of: journey)?.state == .released)
            try await world.commands.device(phone, of: ada)
            let second = try await register(2, on: phone, of: journey, by: ada, in: world)
            #expect(try await world.commands.removeDevice(phone, of: ada, request: removal).isReplayed)
            #expect(try await world.store.activity(second, of: journey)?.state == .live)
            #expect(try await world.store.devices(of: ada).map(\.id) == [phone])
        }
    }

    /// Runs a request until it waits for a shard's lock, then another one, and then the rest of the first.
    /// - Returns: the first request's error; nil if it succeeded.
    private func interleave(
        at shard: Shard,
        in world: World,
        _ first: @escaping @Sendable () async throws -> Void,
        _ second: @escaping @Sendable () async throws -> Void
    ) async throws -> (any Error)? {
        let lock = Statement("test.lockShard", "SELECT shard FROM shards WHERE shard = $1 FOR UPDATE")
        let waits = Statement(
            "test.waits",
            "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        let request = try await world.pool.withTransaction { connection in
            _ = try await connection.query(PostgresQuery(lock, Int16(shard.rawValue)))
            let request = Task { try await first() }
            try await eventually("the first request waits") {
                !(try await world.pool.query(PostgresQuery(waits))).isEmpty
            }
            try await second()
            return request
        }
        do { try await request.value } catch { return error }
        return nil
    }

    @Test(arguments: [true, false])
    func `no live activity stays without its device, however a registration meets the device's removal`(
        removalWaits: Bool
    ) async throws {
        try await World.with { world in
            let ada = try await world.player()
            var party = try await world.party(of: [ada])
            while party.id.shard == ada.shard { party = try await world.party(of: [ada]) }
            let journey = try await world.startJourney(party).id
            let phone = DeviceID(rawValue: ada.rawValue)
            let remove: @Sendable () async throws -> Void = {
                _ = try await world.commands.removeDevice(phone, of: ada, request: nil)
            }
            var error: (any Error)?
            var number: UInt8 = 0
            // On a busy machine, the first request may have given up before the second one was done.
            repeat {
                try await world.commands.device(phone, of: ada)
                number += 1
                let register: @Sendable () async throws -> Void = { [number] in
                    _ = try await self.register(number, on: phone, of: journey, by: ada, in: world)
                }
                error =
                    if removalWaits {
                        try await interleave(at: ada.shard, in: world, remove, register)
                    } else {
                        try await interleave(at: journey.shard, in: world, register, remove)
                    }
            } while error is StoreError
            #expect(removalWaits ? error == nil : error as? CommandError == .unknownDevice)
            #expect(try await world.store.devices(of: ada).isEmpty)
            let id = ActivityID(rawValue: phone.rawValue.replacingLastByte(by: number))
            #expect(try await world.store.activity(id, of: journey)?.state == .released)
        }
    }

    @Test func `an activity that is stored uses the quota, even if the release of another one with its token fails`()
        async throws
    {
        var options = World.Options()
        options.quotas = Quotas(activities: 9)
        try await World.with(options) { world in
            let ada = try await world.player()
            let phone = try await world.commands.device(of: ada)
            let former = try await world.startJourney(try await world.party(of: [ada])).id
            var party = try await world.party(of: [ada])
            while party.id.shard == former.shard { party = try await world.party(of: [ada]) }
            let journey = try await world.startJourney(party).id
            _ = try await register(1, on: phone, token: [7], of: former, by: ada, in: world)
            let remove = Statement("test.removeShard", "DELETE FROM shards WHERE shard = $1")
            _ = try await world.pool.query(PostgresQuery(remove, Int16(former.shard.rawValue)))
            await #expect(throws: StoreError.self) {
                try await register(2, on: phone, token: [7], of: journey, by: ada, in: world)
            }
            let id = ActivityID(rawValue: phone.rawValue.replacingLastByte(by: 2))
            #expect(try await world.store.activity(id, of: journey)?.state == .live)
            let used = Statement("test.used", "SELECT used FROM quotas WHERE kind = 'activity'")
            #expect(try await world.pool.query(PostgresQuery(used)).map { try $0.decode(Int32.self) } == [2])
        }
    }

    @Test func `a token of another environment is another token, though it has the same bytes`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player(), try await world.player("Ben"))
            try await world.commands.device(of: ada, in: .production, pushToStartToken: [1])
            try await world.commands.device(of: ben, in: .sandbox, pushToStartToken: [1])
            #expect(try await only(ada, in: world).pushToStartToken == [1])
            #expect(try await only(ben, in: world).pushToStartToken == [1])
            // What APNs says of one token does not concern the other.
            let former = try await only(ada, in: world)
            try await world.commands.device(of: ada, in: .sandbox, pushToStartToken: [1])
            try await world.store.removePushToStartToken(of: former)
            #expect(try await only(ada, in: world).pushToStartToken == [1])
            #expect(try await only(ben, in: world).pushToStartToken == nil)
        }
    }

    @Test func `running and new activities get what rings on their device, and the log announces a change`()
        async throws
    {
        try await World.with { world in
            let (ada, ben) = (try await world.player(), try await world.player("Ben"))
            let (phone, tablet) = (DeviceID(rawValue: ada.rawValue), DeviceID(rawValue: ben.rawValue))
            let night = AlertPreferences(quietHours: .init(from: 1_320, to: 420, timeZone: "Asia/Seoul"))
            try await world.commands.device(phone, of: ada)
            try await world.commands.device(tablet, of: ada, alertPreferences: night)
            let journey = try await world.startJourney(try await world.party(of: [ada])).id
            let onPhone = try await register(1, on: phone, of: journey, by: ada, in: world)
            let onTablet = try await register(1, on: tablet, of: journey, by: ada, in: world)
            func preferences(_ id: ActivityID) async throws -> AlertPreferences? {
                try await world.store.activity(id, of: journey)?.alertPreferences
            }
            #expect(try await preferences(onPhone) == AlertPreferences())
            #expect(try await preferences(onTablet) == night)

            func head() async throws -> Int64 { try await world.store.heads(of: [journey.shard])[0].head }
            let before = try await head()
            let muted = AlertPreferences(muted: [.boss])
            for _ in 0..<2 { try await world.commands.device(phone, of: ada, alertPreferences: muted) }
            #expect(try await preferences(onPhone) == muted)
            #expect(try await preferences(onTablet) == night)
            // Once: the second request has changed nothing.
            #expect(try await head() == before + 1)
            #expect(try await world.store.activity(onPhone, of: journey)?.generation == 1)
        }
    }

    @Test func `a scheduled activity announces its start, and stays on its device`() async throws {
        try await World.with { world in
            let ada = try await world.player()
            let phone = try await world.commands.device(of: ada)
            let tablet = try await world.commands.device(DeviceID(rawValue: try await world.player().rawValue), of: ada)
            let journey = try await world.startJourney(try await world.party(of: [ada])).id
            let start = world.clock.now + .seconds(3_600)
            let id = try await register(1, on: phone, startsAt: start, of: journey, by: ada, in: world)
            #expect(try await world.store.activity(id, of: journey)?.startedAt == start)
            _ = try await register(1, on: phone, startsAt: start + .seconds(60), of: journey, by: ada, in: world)
            let activity = try #require(try await world.store.activity(id, of: journey))
            #expect(activity.startedAt == start + .seconds(60) && activity.generation == 1)
            let moved = ActivityRegistration(
                id: id,
                deviceID: tablet,
                pushToken: activity.pushToken,
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: nil
            )
            await #expect(throws: CommandError.deviceFixed) {
                try await world.commands.register(moved, for: journey, by: ada, request: nil) { _, _ in
                    EncodedResponse(status: 200, body: "")
                }
            }
        }
    }
}

extension UUID {
    fileprivate func replacingLastByte(by number: UInt8) -> UUID {
        var bytes = uuid
        bytes.15 = number
        return UUID(uuid: bytes)
    }
}
