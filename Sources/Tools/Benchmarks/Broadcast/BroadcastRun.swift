import APNsClient
import Cryptography
import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import PostgresClient
import ServiceRuntime
import SimulatedPlayers

/// The measurement of `broadcast`.
struct BroadcastRun {
    /// PostgreSQL records when each transaction committed.
    private static let postgres = BenchmarkPostgres.statistics.merging(["track_commit_timestamp": "on"]) { $1 }
    private static let read = Statement(
        "bench.raidCommit",
        """
        SELECT dealt, outcome IS NOT NULL, pg_xact_commit_timestamp(xmin) FROM raids WHERE shard = $1 AND raid_id = $2
        """
    )
    /// The time between two reads of the raid: states come once a second.
    private static let poll = Duration.milliseconds(10)
    /// The time for anything that takes seconds.
    private static let limit = Duration.seconds(120)
    private static let author = AuditAuthor(program: "rangers-bench", user: "bench")

    let subscribers: Int
    let phones: Int
    let parties: Int
    let seconds: Int
    let tokens: Int

    func measure() async throws -> BroadcastResult {
        let server = try await BenchmarkPostgres(settings: Self.postgres)
        let launcher = try await ServiceLauncher()
        let (log, state) = try await play(on: server, launcher)
        let naive = TokenPushes(count: tokens, payload: Array(state.utf8))
        return BroadcastResult(
            subscribers: subscribers,
            phones: phones,
            parties: parties,
            seconds: seconds,
            log: log,
            tokens: tokens,
            pushSeconds: try await naive.send(by: launcher)
        )
    }

    /// Plays the raid, with a node that broadcasts it.
    /// - Returns: the broadcasts, and the payload of the last one before the end.
    private func play(
        on server: BenchmarkPostgres,
        _ launcher: ServiceLauncher
    ) async throws -> (log: BroadcastLog, state: String) {
        let simulator = try launcher.startSimulator(["--logged-pushes", "\(2 * seconds + 1_000)"])
        defer { simulator.kill() }
        let ports = try await simulator.ports()
        // The boss survives the measurement.
        let game = RaidRun(parties: parties, seconds: 2 * seconds + 60, connections: 4)
        let uri = try await server.create("broadcast")
        let store = game.store(uri)
        let commands = GameCommands(
            store: store,
            settings: GameSettings(),
            runtime: .system,
            wakeSignal: WakeSignal()
        )
        let raid = try await game.load(uri, store, commands)
        let node = try launcher.startNode(
            "api,engine,dispatcher",
            on: uri,
            apnsPort: ports.apnsPort,
            interval: nil,
            settings: ["RANGERS_APNS_CHANNELS_PORT": "\(ports.channelsPort ?? 0)"]
        )
        defer { node.kill() }
        _ = try await node.ports()

        let client = SimulatorClient(at: try ports.httpURL)
        try await subscribe(to: try await channel(of: raid, in: store), of: raid, with: client)
        // The rounds since the start of the raid are added up at once, which is no part of the measurement.
        try await wait("the rounds of the raid are not added up") {
            guard let read = try await store.raid(raid.id) else { return false }
            return read.schedule.end(ofRound: read.round) + .seconds(2) > Runtime.system.now()
        }
        let first = try await client.lastPushNumber()
        let commits = try await commits(of: raid, uri, store, commands)
        try await wait("the channel is not deleted after the raid") {
            try await store.channels(of: raid.channelOwner).allSatisfy { $0.state == .deleted }
        }
        let broadcasts = try await client.pushes(after: first)
        let state = broadcasts.last { $0.kind == .update }?.payload
        guard let state else { throw BenchmarkFailure("the raid was not broadcast: \(node.output)") }
        return (BroadcastLog(broadcasts, of: commits, to: subscribers), state)
    }

    private func wait(_ failure: String, for condition: () async throws -> Bool) async throws {
        let holds = try await Polling.until(within: Self.limit, every: .milliseconds(50), condition)
        guard holds else { throw BenchmarkFailure(failure) }
    }

    /// Waits until APNs has created the raid's channel.
    private func channel(of raid: Raid, in store: GameStore) async throws -> String {
        var id: String?
        try await wait("the raid has no channel") {
            id = try await store.channels(of: raid.channelOwner).first?.channelID
            return id != nil
        }
        return id ?? ""
    }

    private func subscribe(to channelID: String, of raid: Raid, with client: SimulatorClient) async throws {
        for number in 0..<phones {
            let phone = try await client.addPhone(label: "\(number)", locale: "en", frequentPushesEnabled: true)
            _ = try await client.start(
                ActivityID(rawValue: UUID()),
                of: AdventureID(rawValue: raid.id.rawValue),
                on: phone,
                heroName: "Bench",
                partyName: "All parties",
                following: channelID
            )
        }
        try await client.setSubscribers(of: channelID, to: subscribers - phones)
    }

    /// Reads what is committed for the time of the measurement, stops the raid, and reads its last state.
    private func commits(
        of raid: Raid,
        _ uri: String,
        _ store: GameStore,
        _ commands: GameCommands
    ) async throws -> RaidCommits {
        let pool = BenchmarkPostgres.pool(uri)
        var commits = RaidCommits()
        func read() async throws -> Bool {
            let query = PostgresQuery(Self.read, Int16(raid.id.shard.rawValue), raid.id.rawValue)
            guard let row = try await pool.query(query).first else { throw BenchmarkFailure("the raid is not stored") }
            let (dealt, isOver, at) = try row.decode(Int64.self, Bool.self, PostgresTimestamp.self)
            let moment = Timestamp(microseconds: at.microseconds)
            // As `ChannelSource.raids` counts versions.
            commits.note(RaidCommits.State(version: Int(dealt) + (isOver ? 2 : 1), at: moment))
            if let channel = try await store.channels(of: raid.channelOwner).first {
                commits.note(limit: channel.broadcastAfter)
            }
            return isOver
        }
        let end = ContinuousClock.now + .seconds(seconds)
        while .now < end {
            guard try await !read() else { throw BenchmarkFailure("the raid ended too early") }
            try await Task.sleep(for: Self.poll)
        }
        _ = try await commands.stopRaid(raid.id, by: Self.author)
        try await wait("the raid did not end") { try await read() }
        return commits
    }
}

/// What a raid would be without channels: its state as a push to each token.
struct TokenPushes: Sendable {
    /// The pushes after which the client is connected.
    private static let warmUp = 1_000
    /// Long, so that a slow machine gives a low figure and not a failure.
    private static let timeout = Duration.seconds(600)

    let count: Int
    let payload: [UInt8]

    /// Sends the pushes to a server that accepts all of them.
    /// - Returns: the time until the last one was accepted, in seconds.
    /// - Throws: ``BenchmarkFailure`` if one is not accepted.
    func send(by launcher: ServiceLauncher) async throws -> Double {
        let server = try launcher.startAcceptingServer()
        defer { server.kill() }
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            host: "127.0.0.1",
            port: try await server.port(),
            caFile: launcher.authority,
            providerKey: try ProviderKey(pem: P256PrivateKey.generate().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        )
        configuration.requestTimeout = Self.timeout
        let client = try APNsClient(
            configuration: configuration,
            now: { Runtime.system.now().epochSeconds },
            logger: silentLogger
        )
        let pushes = try (0..<count).map(push)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            try await send(Array(pushes.prefix(Self.warmUp)), with: client)
            let start = ContinuousClock.now
            try await send(pushes, with: client)
            return (.now - start) / .seconds(1)
        }
    }

    private func push(_ number: Int) throws -> APNsPush {
        var token = [UInt8](repeating: 0xaa, count: 32)
        for index in 0..<4 { token[index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        guard let deviceToken = DeviceToken(bytes: token) else { throw BenchmarkFailure("no token") }
        return APNsPush(
            deviceToken: deviceToken,
            topic: "com.example.emoji-rangers.push-type.liveactivity",
            priority: .low,
            expirationEpochSeconds: 0,
            id: UUID(),
            payload: payload
        )
    }

    private func send(_ pushes: [APNsPush], with client: APNsClient) async throws {
        for outcome in await client.send(pushes) {
            guard case .accepted = outcome else { throw BenchmarkFailure("A push was not accepted: \(outcome)") }
        }
    }
}
