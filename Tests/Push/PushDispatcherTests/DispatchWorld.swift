import APNsClient
import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import HTTP2Transport
import Logging
import PostgresClient
import PushCadence
import PushDispatch
import RangersMetrics
import ServiceLifecycle
import ServiceRuntime
import TestSupport
import Testing

@testable import PushDispatcher

/// A database, a peer in place of APNs, and dispatchers between them; the clock is real, since leases use the
/// database's.
final class DispatchWorld: Sendable {
    /// The database and the game.
    let game: World
    let apns: RecordingAPNs
    /// The server in front of it.
    let server: RestartableAPNs
    private let client: APNsClient
    let metrics: DispatcherMetrics

    var store: GameStore { game.store }
    var commands: GameCommands { game.commands }
    var logs: LogRecorder { game.logs }
    /// The metrics of all dispatchers of this world.
    var registry: MetricRegistry { game.registry }
    var pool: PostgresPool { game.pool }
    var runtime: Runtime { game.runtime }

    /// Runs a test with a world that is torn down afterwards.
    static func with(_ body: @Sendable (DispatchWorld) async throws -> Void) async throws {
        let authority = try CertificateAuthority(name: "Test", validDays: 1)
        let apns = RecordingAPNs()
        let server = try RestartableAPNs(apns, identity: try authority.issueIdentity(for: ["127.0.0.1"]))
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
        options.settings.bossTurn = .seconds(600)
        options.randomBits = Runtime.system.randomBits
        try await World.with(options) { game in
            try await withThrowingTaskGroup { group in
                group.addTask { try await client.run() }
                try await body(DispatchWorld(game: game, apns: apns, server: server, client: client))
                group.cancelAll()
            }
        }
        await server.stop()
    }

    private init(game: World, apns: RecordingAPNs, server: RestartableAPNs, client: APNsClient) {
        self.game = game
        self.server = server
        metrics = DispatcherMetrics(in: game.registry)
        self.apns = apns
        self.client = client
    }

    /// Runs a dispatcher during `body`, and stops it gracefully afterwards.
    func dispatching(
        policy: CadencePolicy = CadencePolicy(),
        lazyFlushInterval: Duration = .zero,
        drainLimit: Duration = .seconds(11),
        breakerLimits: CircuitBreaker.Limits = CircuitBreaker.Limits(),
        leaseDuration: Duration = .seconds(5),
        _ body: @Sendable () async throws -> Void
    ) async throws {
        var settings = settings(policy: policy)
        settings.leaseDuration = leaseDuration
        settings.lazyFlushInterval = lazyFlushInterval
        settings.drainLimit = drainLimit
        settings.breakerLimits = breakerLimits
        let dispatcher = dispatcher(settings)
        try await withThrowingTaskGroup { group in
            group.addTask { await dispatcher.run() }
            try await body()
            group.cancelAll()
        }
    }

    /// Creates the commands of an API that knows rules up to a version.
    func commands(knowing version: RulesVersion) -> GameCommands {
        var store = self.store
        store.version = version
        return GameCommands(store: store, settings: game.settings, runtime: runtime, wakeSignal: WakeSignal())
    }

    /// Creates a dispatcher that knows rules up to a version.
    func dispatcher(knowing version: RulesVersion) -> PushDispatcher {
        var store = self.store
        store.version = version
        return dispatcher(settings(policy: .withoutGracePeriod), over: store)
    }

    private func dispatcher(_ settings: DispatcherSettings, over store: GameStore? = nil) -> PushDispatcher {
        PushDispatcher(
            store: store ?? self.store,
            clients: clients,
            settings: settings,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            metrics: metrics,
            logger: logs.logger
        )
    }

    func settings(policy: CadencePolicy) -> DispatcherSettings {
        DispatcherSettings(
            pollInterval: .milliseconds(20),
            flushInterval: .milliseconds(50),
            openBreakerDelay: .milliseconds(40),
            policy: policy,
            bundleID: "com.example.rangers"
        )
    }

    var clients: [PushEnvironment: APNsClient] { [.simulator: client] }

    var breakers: CircuitBreakers {
        CircuitBreakers(of: clients, limits: CircuitBreaker.Limits(), metrics: metrics, logger: logs.logger)
    }

    /// A starter of activities without a dispatcher.
    var starter: ActivityStarter { starter(over: breakers) }

    /// Creates a starter of activities with circuit breakers.
    func starter(over breakers: CircuitBreakers) -> ActivityStarter {
        ActivityStarter(
            store: store,
            clients: clients,
            breakers: breakers,
            settings: settings(policy: .withoutGracePeriod),
            runtime: runtime,
            metrics: metrics,
            logger: logs.logger
        )
    }

    /// Creates the loop of a dispatcher whose pushes and start requests go to the given continuations.
    ///
    /// Its presence is not renewed by itself, and must last for the whole test, also on a busy machine.
    func loop(
        sending outgoing: AsyncStream<[OutgoingPush]>.Continuation = AsyncStream.makeStream().continuation,
        requesting startRequests: AsyncStream<StartRequest>.Continuation = AsyncStream.makeStream().continuation,
        drainLimit: Duration = .seconds(11),
        maxInFlight: Int = 4_000,
        leaseDuration: Duration = .seconds(3_600)
    ) -> DispatchLoop {
        var settings = settings(policy: .withoutGracePeriod)
        settings.drainLimit = drainLimit
        settings.maxInFlight = maxInFlight
        settings.leaseDuration = leaseDuration
        let alerts = AsyncStream<AlertWork>.makeStream().continuation
        return DispatchLoop(of: dispatcher(settings), sending: outgoing, requesting: startRequests, alerting: alerts)
    }

    /// Makes the dispatcher that holds a shard expire at once.
    func lapse(holderOf shard: Shard) async throws {
        let lapse = Statement(
            "test.lapse",
            """
            UPDATE dispatchers SET expires_at = '1970-01-01 00:00:00+00'
            WHERE holder = (SELECT holder FROM leases WHERE shard = $1)
            """
        )
        _ = try await pool.query(PostgresQuery(lapse, Int16(shard.rawValue)))
    }

    /// Runs `body` while every query of push-to-start tokens fails.
    func withoutPushToStart(_ body: () async throws -> Void) async throws {
        try await rename("devices", to: "devices_away")
        try await body()
        try await rename("devices_away", to: "devices")
    }

    /// Runs `body` while every query of dispatchers fails.
    func withoutDispatchers(_ body: () async throws -> Void) async throws {
        try await rename("dispatchers", to: "dispatchers_away")
        try await body()
        try await rename("dispatchers_away", to: "dispatchers")
    }

    /// Runs `body` while every query of activities fails.
    func withoutActivities(_ body: () async throws -> Void) async throws {
        try await rename("activities", to: "activities_away")
        try await body()
        try await rename("activities_away", to: "activities")
    }

    /// Runs `body` while another transaction has locked the rows of all activities.
    func withLockedActivities<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                PostgresQuery(Statement("test.lockActivities", "SELECT FROM activities FOR UPDATE"))
            )
            return try await body()
        }
    }

    /// Runs `body` while another transaction has locked the table of decisions.
    func withLockedDecisions<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await pool.withTransaction { connection in
            _ = try await connection.query(
                PostgresQuery(Statement("test.lockDecisions", "LOCK TABLE activity_decisions IN ACCESS EXCLUSIVE MODE"))
            )
            return try await body()
        }
    }

    /// Returns whether a query waits for the lock of the table of decisions.
    func isWaitingForDecisions() async throws -> Bool {
        let waiting = Statement(
            "test.isWaitingForDecisions",
            "SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'activity_decisions'::regclass)"
        )
        return try #require(try await pool.query(PostgresQuery(waiting)).first).decode(Bool.self)
    }

    /// Runs `body` while another transaction has locked the row of a shard's lease.
    func withLockedLease<Result: Sendable>(of shard: Shard, _ body: () async throws -> Result) async throws -> Result {
        try await pool.withTransaction { connection in
            let lock = Statement("test.lockLease", "SELECT FROM leases WHERE shard = $1 FOR UPDATE")
            _ = try await connection.query(PostgresQuery(lock, Int16(shard.rawValue)))
            return try await body()
        }
    }

    /// Runs `body` while another transaction has locked the rows of all dispatchers.
    func withLockedDispatchers<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        try await pool.withTransaction { connection in
            let lock = Statement("test.lockDispatchers", "SELECT FROM dispatchers FOR UPDATE")
            _ = try await connection.query(PostgresQuery(lock))
            return try await body()
        }
    }

    private func rename(_ table: String, to name: String) async throws {
        _ = try await pool.query(
            PostgresQuery(Statement("test.rename.\(name)", "ALTER TABLE \(table) RENAME TO \(name)"))
        )
    }

    /// Starts the fight of a party of two; turns take a minute, so that no turn ends by itself during a test.
    func fight() async throws -> (stored: StoredAdventure, party: PartyID, players: [PlayerID]) {
        var players: [PlayerID] = []
        for name in ["Ada", "Ben"] {
            let hash = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
            players.append(try await commands.register(displayName: Name(name), hero: "spouty", tokenHash: hash).id)
        }
        let response = try await commands.createParty(
            named: Name("Test"),
            capacity: 8,
            founder: players[0],
            request: nil
        ) {
            EncodedResponse(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)")
        }
        let parts = response.body.split(separator: " ")
        let party = try #require(PartyID(String(parts[0])))
        _ = try await commands.join(
            code: InviteCode(rawValue: String(parts[1])),
            player: players[1],
            request: nil
        ) { _ in EncodedResponse(status: 200, body: "") }
        let stored = try await commands.startBossFight(of: party, against: BossCatalogue.all[0].id, by: .test)
        return (stored, party, players)
    }

    /// Starts the fight of a party of two, of which the first player's phone shows an activity.
    func shownFight() async throws -> (stored: StoredAdventure, players: [PlayerID], id: ActivityID, token: [UInt8]) {
        let (stored, _, players) = try await fight()
        let (id, token) = (newActivity(), newToken())
        try await register(token, as: id, of: players[0], for: stored)
        return (stored, players, id, token)
    }

    /// Starts the fight of a new party of one, in another shard.
    func fight(of player: PlayerID, notIn shard: Shard) async throws -> StoredAdventure {
        while true {
            let stored = try await anotherFight(of: player)
            if stored.id.shard != shard { return stored }
        }
    }

    /// Starts the fight of a new party of one.
    func anotherFight(of player: PlayerID) async throws -> StoredAdventure {
        let response = try await commands.createParty(
            named: Name("Another"),
            capacity: 1,
            founder: player,
            request: nil
        ) {
            EncodedResponse(status: 201, body: "\($0.id)")
        }
        return try await commands.startBossFight(
            of: try #require(PartyID(response.body)),
            against: BossCatalogue.all[0].id,
            by: .test
        )
    }

    /// Stores a player's push-to-start token.
    func storePushToStartToken(
        _ token: [UInt8],
        of player: PlayerID,
        in environment: PushEnvironment = .simulator
    ) async throws {
        try await commands.device(of: player, in: environment, pushToStartToken: token)
    }

    /// Returns whether nothing of the log of an adventure's shard needs to be read again, and nothing is pending.
    func isAcknowledged(_ stored: StoredAdventure) async throws -> Bool {
        try await isRead(stored.id.shard, and: "l.pending_since IS NULL")
    }

    /// Returns whether nothing of the log of a shard needs to be read again, and a condition on the lease `l` holds.
    func isRead(_ shard: Shard, and condition: String = "true") async throws -> Bool {
        let read = Statement(
            "test.isRead.\(condition)",
            """
            SELECT l.checkpoint = s.head AND \(condition)
            FROM leases AS l JOIN shards AS s USING (shard)
            WHERE s.shard = $1
            """
        )
        return try #require(try await pool.query(PostgresQuery(read, Int16(shard.rawValue))).first).decode(Bool.self)
    }

    /// Returns the number of shards of each present dispatcher, in ascending order.
    func shardsByHolder() async throws -> [Int] {
        let rows = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.shardsByHolder",
                    """
                    SELECT count(*) FROM leases JOIN dispatchers USING (holder)
                    WHERE expires_at >= now()
                    GROUP BY holder
                    ORDER BY count(*)
                    """
                )
            )
        )
        return try rows.map { Int(try $0.decode(Int64.self)) }
    }

    /// Makes the next dispatcher read the log of an adventure's shard from its beginning.
    func forgetCheckpoint(of stored: StoredAdventure) async throws {
        _ = try await pool.query(
            PostgresQuery(
                Statement("test.forgetCheckpoint", "UPDATE leases SET checkpoint = 0 WHERE shard = $1"),
                Int16(stored.id.shard.rawValue)
            )
        )
    }

    /// Backdates the start of an adventure in the log.
    func ageStart(of stored: StoredAdventure, bySeconds seconds: Int64) async throws {
        _ = try await pool.query(
            PostgresQuery(
                Statement(
                    "test.ageStart",
                    """
                    UPDATE log SET at = at - $3 * interval '1 second'
                    WHERE shard = $1 AND adventure_id = $2 AND kind = 'started'
                    """
                ),
                Int16(stored.id.shard.rawValue),
                stored.id.rawValue,
                seconds
            )
        )
    }

    /// Registers an activity with a token.
    func register(
        _ token: [UInt8],
        as id: ActivityID,
        of player: PlayerID,
        on device: DeviceID? = nil,
        for stored: StoredAdventure,
        in environment: PushEnvironment = .simulator
    ) async throws {
        let deviceID = device ?? DeviceID(rawValue: player.rawValue)
        if try await store.device(deviceID, of: player) == nil {
            try await commands.device(deviceID, of: player, in: environment)
        }
        let registration = ActivityRegistration(
            id: id,
            deviceID: deviceID,
            pushToken: token,
            environment: environment,
            frequentPushesEnabled: true,
            locale: nil
        )
        _ = try await commands.register(registration, for: stored.id, by: player, request: nil) { _, _ in
            EncodedResponse(status: 201, body: "")
        }
    }

    /// Backdates the registration of an activity.
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

    /// Runs a player's command.
    func run(_ command: Command, by player: PlayerID, in stored: StoredAdventure) async throws {
        _ = try await commands.perform(command, in: stored.id, by: player, request: nil) { _, _ in
            EncodedResponse(status: 200, body: "")
        }
    }

    /// Returns the flushed decisions about an activity.
    func decisions(for id: ActivityID, of stored: StoredAdventure) async throws -> [DecisionRecord] {
        try await store.decisions(for: id, of: stored.id).map { DecisionLog(encoded: $0).records } ?? []
    }

    /// Returns the row of an activity.
    func activity(_ id: ActivityID, of stored: StoredAdventure) async throws -> Activity {
        try #require(try await store.activities(of: stored.id).first { $0.id == id })
    }
}

extension CadencePolicy {
    /// The defaults, without a grace period for apps.
    static var withoutGracePeriod: Self {
        var policy = Self()
        policy.pushToStart.appGracePeriod = .zero
        return policy
    }
}

/// Returns an identifier that no other test uses.
func newActivity() -> ActivityID { ActivityID(rawValue: UUID()) }

/// Returns a token that no other test uses.
func newToken() -> [UInt8] { (0..<80).map { _ in UInt8.random(in: .min ... .max) } }

/// A key made with `openssl genpkey` for these tests; no account has it.
private let testKey = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgOLOUE9+bD9bkOtGn
    E6ZQgLd/KbP4MjiCa1ZBh+PwBD2hRANCAATzofnrStS08rwx2ndARYaThbpQipPn
    DMNp8LSQwwIbmkUx9UePsWxmb2/l1u6LZCXtdIBXZ6cPy9bEWEhF+frg
    -----END PRIVATE KEY-----
    """

extension GameCommands {
    /// Requests a push to an activity, without an idempotency key.
    /// - Returns: the log position of the request.
    func push(_ event: RequestedPush.Event, to id: ActivityID, by author: AuditAuthor) async throws -> Int64 {
        let response = try await push(event, to: id, by: author, request: nil) { position in
            EncodedResponse(status: 202, body: "\(position)")
        }
        return try #require(Int64(response.body))
    }
}
