import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import RangersMetrics
import ServiceLifecycle
import ServiceRuntime
import Synchronization

/// A migrated database of its own, with commands and engines on a clock that only the test moves.
final class GameWorld: Sendable {
    let store: GameStore
    let pool: PostgresPool
    let commands: GameCommands
    /// What everything in this world counts.
    let registry: MetricRegistry
    private let engineMetrics: EngineMetrics
    let retentionMetrics: RetentionMetrics
    let settings = GameSettings(journeyTick: .seconds(10), bossTurn: .seconds(15))
    let runtime: Runtime
    private let moment: MomentBox

    /// Runs a test's body with a world that is torn down afterwards.
    static func with<Result: Sendable>(_ body: @Sendable (GameWorld) async throws -> Result) async throws -> Result {
        try await with(at: try await TestDatabases.make(), body)
    }

    /// The same on an empty database that somebody has made.
    static func with<Result: Sendable>(
        at uri: String,
        _ body: @Sendable (GameWorld) async throws -> Result
    ) async throws -> Result {
        let pool = PostgresPool(
            configuration: .patient(uri: uri, maximumConnections: 8),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        return try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let world = GameWorld(pool: pool)
            _ = try await world.store.migrate()
            let result = try await body(world)
            group.cancelAll()
            return result
        }
    }

    private init(pool: PostgresPool) {
        let start = Timestamp(epochSeconds: 1_790_000_000)
        let moment = MomentBox(start)
        let bits = BitsBox(seed: 7)
        runtime = Runtime(now: { moment.value }, randomBits: { bits.next() })
        self.moment = moment
        let registry = MetricRegistry()
        self.registry = registry
        let store = GameStore(pool: pool, metrics: StoreMetrics(in: registry))
        engineMetrics = EngineMetrics(in: registry)
        retentionMetrics = RetentionMetrics(in: registry)
        self.pool = pool
        self.store = store
        commands = GameCommands(
            store: store,
            settings: settings,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            metrics: CommandMetrics(in: registry)
        )
    }

    /// Lets time pass.
    func pass(_ duration: Duration) { moment.pass(duration) }

    /// Another node's engine.
    func engine() -> GameEngine {
        GameEngine(
            store: store,
            settings: settings,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            metrics: engineMetrics,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }

    /// A new player.
    func player(_ name: String, hero: HeroID = "spouty") async throws -> PlayerID {
        let hash = (0..<32).map { _ in UInt8(truncatingIfNeeded: runtime.randomBits()) }
        return try await commands.register(displayName: Name(name), hero: hero, tokenHash: hash).id
    }

    /// A new party of some players, the first of them its leader.
    func party(of players: [PlayerID], capacity: Int = 8) async throws -> Party {
        let created = Mutex<Party?>(nil)
        _ = try await commands.createParty(
            named: Name("Test party"),
            capacity: capacity,
            founder: players[0],
            request: nil
        ) { party in
            created.withLock { $0 = party }
            return Answer(status: 201, body: "")
        }
        guard let party = created.withLock({ $0 }) else { throw MissingError() }
        for player in players.dropFirst() {
            _ = try await join(party, player)
        }
        return try await current(party)
    }

    /// Joins a party by its code.
    func join(_ party: Party, _ player: PlayerID) async throws -> Answer {
        try await commands.join(code: party.inviteCode, player: player, request: nil) { _ in
            Answer(status: 200, body: "")
        }
    }

    /// The party as it is now.
    func current(_ party: Party) async throws -> Party {
        guard let party = try await store.party(party.id) else { throw MissingError() }
        return party
    }

    /// The party's running adventure as it is now.
    func adventure(of party: Party) async throws -> StoredAdventure {
        guard let id = try await current(party).adventureID, let stored = try await store.adventure(id) else {
            throw MissingError()
        }
        return stored
    }

    /// Starts a journey that the leader asks for.
    func startJourney(_ party: Party) async throws -> StoredAdventure {
        _ = try await commands.startJourney(
            of: party.id,
            in: RegionCatalogue.all[0].id,
            by: party.leaderID,
            request: nil
        ) { _ in Answer(status: 201, body: "") }
        return try await adventure(of: party)
    }

    struct MissingError: Error {}
}

/// A moment that a test moves.
private final class MomentBox: Sendable {
    private let moment: Mutex<Timestamp>
    init(_ start: Timestamp) { moment = Mutex(start) }
    var value: Timestamp { moment.withLock { $0 } }
    func pass(_ duration: Duration) { moment.withLock { $0 = $0 + duration } }
}

/// Seeded bits that several tasks may draw from.
private final class BitsBox: Sendable {
    private let generator: Mutex<TestGenerator>
    init(seed: UInt64) { generator = Mutex(TestGenerator(state: seed)) }
    func next() -> UInt64 { generator.withLock { $0.next() } }
}
