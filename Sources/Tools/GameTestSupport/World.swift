import Encodings
public import GameEngine
public import GameStore
import Logging
public import PostgresClient
import PrivatePostgres
public import RangersMetrics
public import ServiceRuntime
import Synchronization
public import TestSupport

/// A separate migrated database for one test, with a store and the game's commands.
///
/// Tests of higher layers (API, dispatcher) add their own parts.
public struct World: Sendable {
    /// The options of a world.
    public struct Options: Sendable {
        /// The database's URI; nil for a new, empty database.
        public var uri: String?
        /// Whether the migrations are applied before the test begins.
        public var isMigrated = true
        /// The pool's limit for a statement: longer than usual, since a statement may take long on a busy machine.
        public var statementTimeout = Duration.seconds(600)
        /// The maximum number of connections of the pool.
        public var connections = 8
        /// The wall clock.
        public var clock = TestClock()
        /// How far a shard's clock may be behind before the gap counts as an outage; nil if no gap does.
        public var outageLimit: Duration?
        /// The game's settings: by default, a tick of a journey every 10 seconds, and turns of 15 seconds.
        public var settings = GameSettings(journeyTick: .seconds(10), bossTurn: .seconds(15))
        /// How much a player may create in a day; by default anything.
        public var quotas = Quotas()
        /// The source of random bits; nil for a seeded one.
        public var randomBits: (@Sendable () -> UInt64)?

        /// Creates the options that most tests use.
        public init() {}
    }

    /// The database's URI.
    public let uri: String
    /// The connection pool, for statements that the program itself never sends.
    public let pool: PostgresPool
    /// The store over ``pool``.
    public let store: GameStore
    /// The commands of players and operators.
    public let commands: GameCommands
    /// The length of ticks and turns.
    public let settings: GameSettings
    /// The wall clock, which only the test advances, unless it chose a running clock.
    public let clock: TestClock
    /// The clock and seeded random bits that all parts of the world share.
    public let runtime: Runtime
    /// The metrics of all parts of the world.
    public let registry = MetricRegistry()
    /// The log lines of all parts of the world.
    public let logs = LogRecorder()
    /// The metrics of housekeepers.
    public let retentionMetrics: RetentionMetrics
    private let engineMetrics: EngineMetrics

    /// Runs a test's body with a world, which is closed afterwards.
    /// - Parameters:
    ///   - options: the options of the world.
    ///   - body: the test.
    /// - Returns: the body's result.
    /// - Throws: the body's error, and errors of the database.
    public static func with<Result: Sendable>(
        _ options: Options = Options(),
        _ body: @Sendable (World) async throws -> Result
    ) async throws -> Result {
        let uri = if let uri = options.uri { uri } else { try await TestDatabases.make() }
        var configuration = PostgresPool.Configuration.forTests(uri: uri, maximumConnections: options.connections)
        configuration.statementTimeout = options.statementTimeout
        let pool = PostgresPool(
            configuration: configuration,
            logger: Logger(label: "pool", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        return try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let world = World(over: pool, at: uri, options)
            if options.isMigrated { _ = try await world.store.migrate() }
            let result = try await body(world)
            group.cancelAll()
            return result
        }
    }

    private init(over pool: PostgresPool, at uri: String, _ options: Options) {
        self.uri = uri
        self.pool = pool
        clock = options.clock
        settings = options.settings
        let generator = SharedGenerator(seed: 7)
        runtime = Runtime(
            now: { options.clock.now },
            randomBits: options.randomBits ?? { generator.next() }
        )
        store = GameStore(
            pool: pool,
            clock: .manual(outageLimit: options.outageLimit) { options.clock.now },
            // On a busy machine a transaction may need more than the second after which others are refused.
            queue: ShardQueue(stallLimit: .seconds(4)),
            metrics: StoreMetrics(in: registry),
            logger: logs.logger
        )
        engineMetrics = EngineMetrics(in: registry)
        retentionMetrics = RetentionMetrics(in: registry)
        commands = GameCommands(
            store: store,
            settings: settings,
            quotas: options.quotas,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            metrics: CommandMetrics(in: registry)
        )
    }

    /// Returns a new engine, as another node would run it.
    public func engine() -> GameEngine {
        GameEngine(
            store: store,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            metrics: engineMetrics,
            logger: logs.logger
        )
    }
}

/// A seeded generator that several tasks may draw from.
private final class SharedGenerator: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) {
        generator = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 { generator.withLock { $0.next() } }
}
