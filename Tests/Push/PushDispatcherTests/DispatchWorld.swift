import APNsClient
import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import GameTestSupport
import HTTP2Transport
import Logging
import PostgresClient
import PushCadence
import RangersMetrics
import ServiceLifecycle
import ServiceRuntime
import TestSupport
import Testing

@testable import PushDispatcher

/// A database, a peer in the place of APNs, and dispatchers between them; time is real, since leases are.
final class DispatchWorld: Sendable {
    /// The database and the game.
    private let game: World
    let apns: RecordingAPNs
    private let client: APNsClient
    private let metrics: DispatcherMetrics

    var store: GameStore { game.store }
    var commands: GameCommands { game.commands }
    var logs: LogRecorder { game.logs }
    /// The metrics of all dispatchers of this world.
    var registry: MetricRegistry { game.registry }
    private var pool: PostgresPool { game.pool }
    private var runtime: Runtime { game.runtime }

    /// Runs a test's body with a world that is torn down afterwards.
    static func with(_ body: @Sendable (DispatchWorld) async throws -> Void) async throws {
        let authority = try CertificateAuthority(name: "Test", validDays: 1)
        let apns = RecordingAPNs()
        let server = try HTTP2Server(
            configuration: .init(host: "127.0.0.1", port: 0, identity: try authority.issueIdentity(for: ["127.0.0.1"])),
            handler: apns
        )
        let folder = FileManager.default.temporaryDirectory.appending(path: "dispatch-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let caFile = folder.appending(path: "ca.pem")
        try authority.certificatePEM.write(to: caFile, atomically: true, encoding: .utf8)

        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        var configuration = APNsClient.Configuration(
            environment: .simulator,
            host: "127.0.0.1",
            port: server.port,
            caFile: caFile.path(percentEncoded: false),
            providerKey: try ProviderKey(pem: testKey, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        )
        configuration.requestTimeout = .milliseconds(500)
        let client = try APNsClient(
            configuration: configuration,
            now: { Int64(Date().timeIntervalSince1970) },
            logger: logger
        )
        var options = World.Options()
        options.clock = .running()
        options.settings.bossTurn = .seconds(60)
        options.randomBits = Runtime.system.randomBits
        try await World.with(options) { game in
            try await withThrowingTaskGroup { group in
                group.addTask { try await client.run() }
                try await body(DispatchWorld(game: game, apns: apns, client: client))
                group.cancelAll()
            }
        }
        await server.stop()
    }

    private init(game: World, apns: RecordingAPNs, client: APNsClient) {
        self.game = game
        metrics = DispatcherMetrics(in: game.registry)
        self.apns = apns
        self.client = client
    }

    /// Runs a body while a dispatcher runs, which is stopped in good order afterwards.
    func dispatching(
        policy: CadencePolicy = CadencePolicy(),
        documentInterval: Duration = .zero,
        drainLimit: Duration = .seconds(11),
        routeLimits: CircuitBreaker.Limits = CircuitBreaker.Limits(),
        _ body: @Sendable () async throws -> Void
    ) async throws {
        var settings = settings(policy: policy)
        settings.documentInterval = documentInterval
        settings.drainLimit = drainLimit
        settings.routeLimits = routeLimits
        let dispatcher = PushDispatcher(
            store: store,
            clients: clients,
            settings: settings,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            metrics: metrics,
            logger: logs.logger
        )
        try await withThrowingTaskGroup { group in
            group.addTask { await dispatcher.run() }
            try await body()
            group.cancelAll()
        }
    }

    private func settings(policy: CadencePolicy) -> DispatcherSettings {
        DispatcherSettings(
            pollInterval: .milliseconds(20),
            settleInterval: .milliseconds(50),
            pauseAfterStop: .milliseconds(40),
            policy: policy,
            bundleID: "com.example.rangers"
        )
    }

    var clients: [PushEnvironment: APNsClient] { [.simulator: client] }

    private var routes: RouteBoard {
        RouteBoard(of: clients, limits: CircuitBreaker.Limits(), metrics: metrics, logger: logs.logger)
    }

    /// What starts cards, without a dispatcher.
    var starter: CardStarter { starter(over: routes) }

    /// What starts cards where routes have been judged.
    func starter(over routes: RouteBoard) -> CardStarter {
        CardStarter(
            store: store,
            clients: clients,
            routes: routes,
            settings: settings(policy: .withoutGrace),
            runtime: runtime,
            metrics: metrics,
            logger: logs.logger
        )
    }

    /// A dispatcher's loop whose pushes and wishes for cards go where they are told; else nobody reads them.
    func loop(
        sending outgoing: AsyncStream<OutgoingPush>.Continuation = AsyncStream.makeStream().continuation,
        wishing wishes: AsyncStream<CardWish>.Continuation = AsyncStream.makeStream().continuation,
        drainLimit: Duration = .seconds(11),
        mostUnderWay: Int = 4_000
    ) -> DispatchLoop {
        var settings = settings(policy: .withoutGrace)
        settings.drainLimit = drainLimit
        settings.mostUnderWay = mostUnderWay
        return DispatchLoop(
            store: store,
            leaseStore: store,
            settings: settings,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            holder: UUID(),
            answers: AnswerBox(),
            environments: [.simulator],
            routes: routes,
            outgoing: outgoing,
            wishes: wishes,
            metrics: metrics,
            logger: logs.logger
        )
    }

    /// The lease of a shard runs out at once.
    func lapseLease(of shard: Shard) async throws {
        let lapse = Statement(
            "test.lapseLease",
            "UPDATE leases SET expires_at = '1970-01-01 00:00:00+00' WHERE shard = $1"
        )
        _ = try await pool.query(PostgresQuery(lapse, Int16(shard.rawValue)))
    }

    /// Lets every question about push-to-start fail for a while.
    func withoutPushToStart(_ body: () async throws -> Void) async throws {
        try await rename("push_to_start", to: "push_to_start_away")
        try await body()
        try await rename("push_to_start_away", to: "push_to_start")
    }

    /// Lets every question about leases fail for a while.
    func withoutLeases(_ body: () async throws -> Void) async throws {
        try await rename("leases", to: "leases_away")
        try await body()
        try await rename("leases_away", to: "leases")
    }

    /// Lets every question about activities fail for a while.
    func withoutActivities(_ body: () async throws -> Void) async throws {
        try await rename("activities", to: "activities_away")
        try await body()
        try await rename("activities_away", to: "activities")
    }

    /// Holds the rows of all activities, as somebody at a console may, while a body runs.
    func withLockedActivities<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                PostgresQuery(Statement("test.lockActivities", "SELECT FROM activities FOR UPDATE"))
            )
            return try await body()
        }
    }

    /// Holds the row of a shard's lease, as somebody at a console may, while a body runs.
    func withLockedLease<Result: Sendable>(of shard: Shard, _ body: () async throws -> Result) async throws -> Result {
        try await pool.withTransaction { connection in
            let lock = Statement("test.lockLease", "SELECT FROM leases WHERE shard = $1 FOR UPDATE")
            _ = try await connection.query(PostgresQuery(lock, Int16(shard.rawValue)))
            return try await body()
        }
    }

    private func rename(_ table: String, to name: String) async throws {
        _ = try await pool.query(
            PostgresQuery(Statement("test.rename.\(name)", "ALTER TABLE \(table) RENAME TO \(name)"))
        )
    }

    /// A party of two that fights; turns are a minute long, so that nothing happens but what the test does.
    func fight() async throws -> (stored: StoredAdventure, party: PartyID, players: [PlayerID]) {
        var players: [PlayerID] = []
        for name in ["Ada", "Ben"] {
            let hash = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            players.append(try await commands.register(displayName: Name(name), hero: "spouty", tokenHash: hash).id)
        }
        let answer = try await commands.createParty(named: Name("Test"), capacity: 8, founder: players[0], request: nil)
        {
            CommandResponse(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)")
        }
        let parts = answer.body.split(separator: " ")
        let party = try #require(PartyID(String(parts[0])))
        _ = try await commands.join(
            code: InviteCode(rawValue: String(parts[1])),
            player: players[1],
            request: nil
        ) { _ in CommandResponse(status: 200, body: "") }
        let stored = try await commands.startBossFight(of: party, against: BossCatalogue.all[0].id, by: .test)
        return (stored, party, players)
    }

    /// A fight of a new party of one, in another shard.
    func fight(of player: PlayerID, notIn shard: Shard) async throws -> StoredAdventure {
        while true {
            let stored = try await anotherFight(of: player)
            if stored.id.shard != shard { return stored }
        }
    }

    /// A fight of a new party of one.
    func anotherFight(of player: PlayerID) async throws -> StoredAdventure {
        let answer = try await commands.createParty(named: Name("Another"), capacity: 1, founder: player, request: nil)
        {
            CommandResponse(status: 201, body: "\($0.id)")
        }
        return try await commands.startBossFight(
            of: try #require(PartyID(answer.body)),
            against: BossCatalogue.all[0].id,
            by: .test
        )
    }

    /// Gives a player a push-to-start token.
    func keepPushToStart(
        _ token: [UInt8],
        of player: PlayerID,
        in environment: PushEnvironment = .simulator
    ) async throws {
        try await store.storePushToStartToken(
            token,
            of: player,
            environment: environment,
            frequentPushesEnabled: true
        )
    }

    /// Whether a dispatcher has read all of an adventure's shard, and owes nothing there.
    func isSettled(_ stored: StoredAdventure) async throws -> Bool {
        let rows = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.isSettled",
                    "SELECT l.checkpoint = s.head FROM leases AS l JOIN shards AS s USING (shard) WHERE s.shard = $1"
                ),
                Int16(stored.id.shard.rawValue)
            )
        )
        return try #require(rows.first).decode(Bool.self)
    }

    /// How many shards each dispatcher sends for, the fewest first.
    func shardsByHolder() async throws -> [Int] {
        let rows = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.shardsByHolder",
                    "SELECT count(*) FROM leases WHERE holder IS NOT NULL GROUP BY holder ORDER BY count(*)"
                )
            )
        )
        return try rows.map { Int(try $0.decode(Int64.self)) }
    }

    /// Lets the next dispatcher read the log of an adventure's shard from the beginning.
    func forgetCheckpoint(of stored: StoredAdventure) async throws {
        _ = try await pool.query(
            PostgresQuery(
                Statement("test.forgetCheckpoint", "UPDATE leases SET checkpoint = 0 WHERE shard = $1"),
                Int16(stored.id.shard.rawValue)
            )
        )
    }

    /// Makes the beginning of the adventure in the log older.
    func ageBeginning(of stored: StoredAdventure, bySeconds seconds: Int64) async throws {
        _ = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.ageBeginning",
                    """
                    UPDATE events SET at = at - $3 * interval '1 second'
                    WHERE shard = $1 AND adventure_id = $2 AND sequence = 1
                    """
                ),
                Int16(stored.id.shard.rawValue),
                stored.id.rawValue,
                seconds
            )
        )
    }

    /// Registers a phone with a token.
    func register(
        _ token: [UInt8],
        as id: ActivityID,
        of player: PlayerID,
        for stored: StoredAdventure,
        in environment: PushEnvironment = .simulator
    ) async throws {
        let registration = ActivityRegistration(
            id: id,
            pushToken: token,
            environment: environment,
            frequentPushesEnabled: true,
            locale: nil
        )
        _ = try await commands.register(registration, for: stored.id, by: player, request: nil) { _, _ in
            CommandResponse(status: 201, body: "")
        }
    }

    /// Makes an activity as old as if it had been registered so many seconds earlier.
    func age(_ id: ActivityID, of stored: StoredAdventure, bySeconds seconds: Int64) async throws {
        _ = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.age",
                    """
                    UPDATE activities SET registered_at = registered_at - $4 * interval '1 second'
                    WHERE shard = $1 AND adventure_id = $2 AND activity_id = $3
                    """
                ),
                Int16(stored.id.shard.rawValue),
                stored.id.rawValue,
                id.rawValue,
                Double(seconds)
            )
        )
    }

    /// A player's command.
    func run(_ command: Command, by player: PlayerID, in stored: StoredAdventure) async throws {
        _ = try await commands.run(command, in: stored.id, by: player, request: nil) { _, _ in
            CommandResponse(status: 200, body: "")
        }
    }

    /// What is written of what was decided for an activity.
    func decisions(for id: ActivityID, of stored: StoredAdventure) async throws -> [DecisionRecord] {
        try await store.decisions(for: id, of: stored.id).map { DecisionLog(encoded: $0).decisions } ?? []
    }

    /// Makes an entry of the adventure's log what a newer version might have written.
    func breakLog(of stored: StoredAdventure) async throws {
        _ = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.breakLog",
                    """
                    UPDATE events SET kind = 'heroFlew', body = '{"kind":"heroFlew"}'
                    WHERE shard = $1 AND adventure_id = $2 AND sequence = 2
                    """
                ),
                Int16(stored.id.shard.rawValue),
                stored.id.rawValue
            )
        )
    }

    /// The state of a stored activity.
    func activity(_ id: ActivityID, of stored: StoredAdventure) async throws -> Activity {
        try #require(try await store.activities([id], of: stored.id).first)
    }
}

extension CadencePolicy {
    /// The defaults, but a card is started without waiting for the app.
    static var withoutGrace: Self {
        var policy = Self()
        policy.pushToStart.grace = .zero
        return policy
    }
}

/// An identifier that no other test uses.
func newActivity() -> ActivityID { ActivityID(rawValue: UUID()) }

/// A token that no other test uses.
func newToken() -> [UInt8] { (0..<80).map { _ in UInt8.random(in: .min ... .max) } }

/// Made with `openssl genpkey` for these tests; it signs for nobody.
private let testKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOLOUE9+bD9bkOtGn
    E6ZQgLd/KbP4MjiCa1ZBh+PwBD2hRANCAATzofnrStS08rwx2ndARYaThbpQipPn
    DMNp8LSQwwIbmkUx9UePsWxmb2/l1u6LZCXtdIBXZ6cPy9bEWEhF+frg
    -----END PRIVATE KEY-----
    """

extension GameCommands {
    /// Has an activity pushed, without a key.
    /// - Returns: the position of the log that asks for it.
    func push(_ event: RequestedPush.Event, to id: ActivityID, by author: AuditAuthor) async throws -> Int64 {
        let answer = try await push(event, to: id, by: author, request: nil) { position in
            CommandResponse(status: 202, body: "\(position)")
        }
        return try #require(Int64(answer.body))
    }
}
