import APNsClient
import APNsSimulator
import Cryptography
import Encodings
import Foundation
import FoundationNetworking
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import LiveActivityContent
import Logging
import PostgresClient
import PushDispatch
import RangersMetrics
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import PushDispatcher

/// Channels in a real database and at the simulator of APNs.
@Suite(.timeLimit(.minutes(10)))
struct ChannelKeeperTests {
    @Test func `a channel is created when it is needed, shows the newest state, and is deleted after the last one`()
        async throws
    {
        try await ChannelWorld.with { world in
            let owner = UUID()
            let keeper = ChannelKeeper(
                store: world.game.store,
                clients: [.simulator: world.client],
                bundleID: world.bundleID.description,
                sources: { [world.source] },
                runtime: .system,
                metrics: world.metrics,
                logger: world.game.logs.logger
            )
            try await withThrowingTaskGroup { group in
                group.addTask { await keeper.run() }
                world.show(1, of: owner)
                let channel = try await eventually("the first broadcast", within: .seconds(120)) {
                    try await world.channel(of: owner).flatMap { $0.state == .live ? $0 : nil }
                }
                #expect(try await world.listed() == [channel.channelID])
                // Many states within a second are one broadcast, or two.
                for version in 2...50 { world.show(Int64(version), of: owner, stage: 1) }
                try await eventually("the newest state", within: .seconds(120)) {
                    try await world.channel(of: owner)?.version == 50
                }
                world.show(51, of: owner, stage: 2, isFinal: true)
                try await eventually("the deletion", within: .seconds(120)) {
                    try await world.channel(of: owner)?.state == .deleted
                }
                group.cancelAll()
            }
            #expect(try await world.listed().isEmpty)
            let broadcasts = try await world.broadcasts()
            #expect((4...5).contains(broadcasts.count))
            #expect(broadcasts.first?.priority == 5)
            #expect(broadcasts.last?.event == "end" && broadcasts.last?.priority == 10)
            #expect(broadcasts.dropFirst().first?.priority == 10)
            #expect(broadcasts.allSatisfy { $0.headers.contains(.init(name: "apns-expiration", value: "0")) })
            #expect(try await world.text("/api/violations") == #"{"violations":[]}"#)
            let text = await world.game.registry.text()
            #expect(text.contains(#"rangers_channel_requests_total{request="delete",result="accepted"} 1"#))
        }
    }

    @Test func `a raid's channel shows the common boss until the raid is over`() async throws {
        try await ChannelWorld.with { world in
            let boss = BossCatalogue.all[0].id
            let plan = RaidPlan(boss: boss, health: 5_000, startsAt: nil, duration: .seconds(3_600), regions: [])
            let raid = try await world.game.commands.startRaid(plan, by: .test, dryRun: false)
            let keeper = ChannelKeeper(
                store: world.game.store,
                clients: [.simulator: world.client],
                bundleID: world.bundleID.description,
                sources: { [.raids(in: world.game.store)] },
                runtime: .system,
                logger: world.game.logs.logger
            )
            try await withThrowingTaskGroup { group in
                group.addTask { await keeper.run() }
                try await eventually("the first broadcast", within: .seconds(120)) {
                    try await world.channel(of: raid.id.rawValue)?.state == .live
                }
                _ = try await world.game.commands.stopRaid(raid.id, by: .test)
                try await eventually("the deletion", within: .seconds(120)) {
                    try await world.channel(of: raid.id.rawValue)?.state == .deleted
                }
                group.cancelAll()
            }
            let broadcasts = try await world.broadcasts()
            #expect(broadcasts.first?.event == "update" && broadcasts.last?.event == "end")
            let states = try broadcasts.map { try $0.raid }
            #expect(states.allSatisfy { $0.health == 5_000 && $0.boss.name == boss.name && $0.phase == 1 })
            #expect(states.first?.outcome == nil && states.last?.outcome == "stopped")
            #expect(try await world.text("/api/violations") == #"{"violations":[]}"#)
        }
    }

    @Test func `a kind of owner that cannot be read, and one owner that cannot, stop no other broadcasts`() async throws
    {
        try await ChannelWorld.with { world in
            let (hidden, other) = (UUID(), UUID())
            let failing = ChannelSource(of: .party, storing: .ofSpectators) { _ in
                throw StoreError.newerShard(Shard.all[0], requires: 1_000)
            }
            let keeper = ChannelKeeper(
                store: world.game.store,
                clients: [.simulator: world.client],
                bundleID: world.bundleID.description,
                sources: { [failing, world.source] },
                runtime: .system,
                logger: world.game.logs.logger
            )
            try await withThrowingTaskGroup { group in
                group.addTask { await keeper.run() }
                world.show(1, of: hidden)
                try await eventually("the first broadcast", within: .seconds(120)) {
                    try await world.channel(of: hidden)?.state == .live
                }
                world.hide(hidden)
                // The channels are gone through in the order in which they were wanted.
                for version in 1...2 {
                    world.show(Int64(version), of: other)
                    try await eventually("version \(version) of another owner", within: .seconds(120)) {
                        try await world.channel(of: other)?.version == Int64(version)
                    }
                }
                #expect(try await world.channel(of: hidden)?.state == .live)
                group.cancelAll()
            }
        }
    }

    @Test func `leftovers at APNs are deleted, lost channels are created anew, and one dispatcher keeps them`()
        async throws
    {
        try await ChannelWorld.with { world in
            let owner = UUID()
            let (first, second) = (world.channels(), world.channels())
            try await world.game.store.wantChannels([world.key(owner)], storing: .noMessage)
            await first.renew()
            await first.keep()
            await second.renew()
            #expect(first.isHeld && !second.isHeld)
            let created = try #require(try await world.channel(of: owner))
            #expect(created.state == .created)

            // A dispatcher died after APNs had created a channel, and a channel was deleted elsewhere.
            let leftover = try await world.client.createChannel(of: world.bundleID, storing: .noMessage)
            let lost = try #require(created.channelID.flatMap { APNsChannel.ID($0) })
            try await world.client.deleteChannel(lost, of: world.bundleID)
            try await world.age()
            for _ in 0..<2 {
                _ = try await world.game.store.requestChannelReconciliation(by: .test)
                await first.renew()
                await first.keep()
            }
            try await eventually("another channel", within: .seconds(60)) {
                await first.keep()
                return try await world.channel(of: owner)?.state == .created
            }
            let anew = try await world.channel(of: owner)?.channelID
            #expect(anew != lost.description && anew != leftover.id.description)
            #expect(try await world.listed() == [anew])
            let keeping = try #require(try await world.game.store.channelKeepings().first)
            #expect(keeping.comparison?.listed == 1 && keeping.comparison?.lost == 1)

            // The next dispatcher takes over at once after a graceful stop.
            await first.release()
            await second.renew()
            #expect(second.isHeld)

            // One that broadcasts nothing deletes nothing: the channel may belong to another service.
            await second.release()
            let third = world.channels(deletingUnknown: false)
            let foreign = try await world.client.createChannel(of: world.bundleID, storing: .noMessage)
            for _ in 0..<2 {
                _ = try await world.game.store.requestChannelReconciliation(by: .test)
                await third.renew()
                await third.keep()
            }
            #expect(try await world.listed().contains(foreign.id.description))
            #expect(try await world.game.store.channelKeepings().first?.comparison?.unknown == 1)
        }
    }
}

/// A database, a simulator of APNs, and a client of it.
private struct ChannelWorld: Sendable {
    struct Broadcast: Decodable {
        struct Header: Decodable, Equatable {
            let name: String
            let value: String
        }

        let priority: Int
        let event: String
        let headers: [Header]
        let payload: String

        /// The state that the broadcast has, of a raid.
        var raid: RaidActivityState {
            get throws {
                struct Payload: Decodable {
                    struct APS: Decodable {
                        let state: RaidActivityState

                        enum CodingKeys: String, CodingKey { case state = "content-state" }
                    }

                    let aps: APS
                }
                return try JSONDecoder().decode(Payload.self, from: Data(payload.utf8)).aps.state
            }
        }
    }

    let game: World
    let listening: APNsSimulator.Listening
    let client: APNsClient
    let bundleID: BundleID
    let metrics: DispatcherMetrics
    private let contents = Contents()

    private final class Contents: Sendable {
        let byOwner = Mutex<[UUID: ChannelContent]>([:])
        let unreadable = Mutex<Set<UUID>>([])
    }

    static func with(_ body: @Sendable @escaping (ChannelWorld) async throws -> Void) async throws {
        let key = try P256PrivateKey.generate()
        let bundleID = try #require(BundleID("com.example.rangers"))
        var configuration = APNsSimulator.Configuration(
            bundleID: bundleID.description,
            keys: [SenderKey(key: try key.publicKey(), keyID: "ABCDE12345", teamID: "TEAM123456")]
        )
        configuration.httpPort = 0
        let (opened, continuation) = AsyncStream.makeStream(of: APNsSimulator.Listening.self)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let simulator = try APNsSimulator(configuration: configuration, logger: logger) { continuation.yield($0) }
        let caFile = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).pem")
        defer { try? FileManager.default.removeItem(at: caFile) }
        try await withThrowingTaskGroup { group in
            group.addTask {
                // If it fails before it listens, the loop below must end, too.
                defer { continuation.finish() }
                try await simulator.run()
            }
            for await listening in opened {
                try listening.certificateAuthorityPEM.write(to: caFile, atomically: true, encoding: .utf8)
                var configuration = APNsClient.Configuration(
                    environment: .simulator,
                    port: listening.apnsPort,
                    caFile: caFile.path(percentEncoded: false),
                    providerKey: try ProviderKey(pem: key.pem, keyID: "ABCDE12345", teamID: "TEAM123456")
                )
                configuration.channelPort = listening.channelsPort
                let client = try APNsClient(
                    configuration: configuration,
                    now: { Int64(Date().timeIntervalSince1970) },
                    logger: logger
                )
                group.addTask { try await client.run() }
                try await World.with { game in
                    let metrics = DispatcherMetrics(in: game.registry)
                    try await body(
                        ChannelWorld(
                            game: game,
                            listening: listening,
                            client: client,
                            bundleID: bundleID,
                            metrics: metrics
                        )
                    )
                }
                break
            }
            group.cancelAll()
        }
    }

    private init(
        game: World,
        listening: APNsSimulator.Listening,
        client: APNsClient,
        bundleID: BundleID,
        metrics: DispatcherMetrics
    ) {
        self.game = game
        self.listening = listening
        self.client = client
        self.bundleID = bundleID
        self.metrics = metrics
    }

    /// The contents of ``show(_:of:stage:isFinal:)``.
    var source: ChannelSource {
        ChannelSource(of: .raid, storing: .noMessage) { [contents] _ in
            ChannelContents(
                contents.byOwner.withLock { Array($0.values) },
                unreadable: contents.unreadable.withLock { $0 }
            )
        }
    }

    /// The channels of one dispatcher.
    func channels(deletingUnknown deletesUnknown: Bool = true) -> EnvironmentChannels {
        EnvironmentChannels(
            environment: .simulator,
            store: game.store,
            client: ChannelClient(client: client, bundleID: bundleID, metrics: metrics),
            runtime: .system,
            metrics: metrics,
            logger: game.logs.logger,
            deletesUnknown: deletesUnknown,
            keepingDuration: .seconds(3_600)
        )
    }

    func key(_ owner: UUID) -> BroadcastChannel.Key {
        BroadcastChannel.Key(BroadcastChannel.Owner(.raid, owner), in: .simulator)
    }

    func channel(of owner: UUID) async throws -> BroadcastChannel? {
        try await game.store.channels(of: key(owner).owner).first
    }

    /// The identifiers of the channels at APNs.
    func listed() async throws -> [String?] {
        try await client.channels(of: bundleID).map(\.description)
    }

    /// Sets the state of an owner.
    func show(_ version: Int64, of owner: UUID, stage: Int = 0, isFinal: Bool = false) {
        let text = LocalizableText(key: "The journey is completed!")
        let state = AdventureAttributes.ContentState(
            heroes: [],
            boss: nil,
            turn: nil,
            event: text,
            tick: 0,
            sequence: Int(version),
            outcome: nil,
            currentHealthLevel: 1
        )
        let content = ChannelContent(
            of: owner,
            ChannelBroadcast(version: version, stage: stage, isFinal: isFinal),
            contentState: EncodedContentState(state).bytes(currentHealthLevel: 1),
            alert: LiveActivityPayload.Alert(title: text, body: text, sound: nil)
        )
        contents.byOwner.withLock { $0[owner] = content }
    }

    /// Makes the state of an owner unreadable.
    func hide(_ owner: UUID) {
        contents.unreadable.withLock { _ = $0.insert(owner) }
        contents.byOwner.withLock { $0[owner] = nil }
    }

    /// Makes all channels a minute older.
    func age() async throws {
        let statement = Statement(
            "test.ageChannels",
            "UPDATE channels SET created_at = created_at - interval '1 minute'"
        )
        _ = try await game.pool.query(PostgresQuery(statement))
    }

    /// Returns the text at a path of the simulator's API.
    func text(_ path: String) async throws -> String {
        let url = try #require(URL(string: "http://\(listening.httpHost):\(listening.httpPort)\(path)"))
        return String(decoding: try await URLSession.shared.data(from: url).0, as: UTF8.self)
    }

    /// Returns the broadcasts that the simulator received, the oldest first.
    func broadcasts() async throws -> [Broadcast] {
        struct Log: Decodable { let pushes: [Broadcast] }
        return try JSONDecoder().decode(Log.self, from: Data(try await text("/api/pushes").utf8)).pushes
    }
}
