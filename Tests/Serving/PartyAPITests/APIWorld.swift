import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import JSONCoding
import Logging
import PartyAPI
import PostgresClient
import PrivatePostgres
import PushCadence
import ServiceLifecycle
import ServiceRuntime
import Synchronization
import TestSupport

/// An API on a real port, over a migrated database of its own, with a clock that only the test moves.
struct APIWorld: Sendable {
    /// Where its database is, for another world on the same.
    let uri: String
    let client: APIClient
    let store: GameStore
    /// For what the program itself never does to its tables.
    let pool: PostgresPool
    let commands: GameCommands
    let engine: GameEngine
    let logs: LogRecorder
    /// The API itself.
    let server: ServiceGroup
    private let moment: Moment

    /// Runs a test's body with a world that is torn down afterwards; it makes a database unless it is given one.
    static func with<Result: Sendable>(
        uri: String? = nil,
        migrated: Bool = true,
        statementTimeout: Duration? = nil,
        streams: StreamSettings = StreamSettings(pollInterval: .milliseconds(10)),
        pushes: OperatorPushes? = nil,
        cadence: CadencePolicy = CadencePolicy(),
        diagnosisStore: GameStore? = nil,
        limits: RequestLimits = RequestLimits(),
        origins: AllowedOrigins? = nil,
        serving: ServingLimits = ServingLimits(),
        _ body: @Sendable (APIWorld) async throws -> Result
    ) async throws -> Result {
        let databaseURI = if let uri { uri } else { try await TestDatabases.make() }
        let logs = LogRecorder()
        var configuration = PostgresPool.Configuration.patient(uri: databaseURI, maximumConnections: 8)
        if let statementTimeout { configuration.statementTimeout = statementTimeout }
        let pool = PostgresPool(
            configuration: configuration,
            logger: Logger(label: "pool", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let store = GameStore(pool: pool)
        return try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            if migrated { _ = try await store.migrate() }
            let (ports, opened) = AsyncStream.makeStream(of: Int.self)
            let moment = Moment()
            let runtime = Runtime(
                now: { moment.now },
                randomBits: {
                    var generator = SystemRandomNumberGenerator()
                    return generator.next()
                }
            )
            let settings = GameSettings(journeyTick: .seconds(10), bossTurn: .seconds(15))
            let commands = GameCommands(store: store, settings: settings, runtime: runtime, wakeSignal: WakeSignal())
            let logger = logs.logger
            let api = PartyAPI(
                store: store,
                diagnosisStore: diagnosisStore,
                commands: commands,
                runtime: runtime,
                // As patient as a busy machine needs.
                readiness: Readiness([.database(store)], limit: .seconds(60)),
                streams: streams,
                pushes: pushes,
                cadence: cadence,
                limits: limits,
                origins: origins,
                logger: logger
            )
            let server = ServiceGroup(
                services: [api.server(host: "127.0.0.1", port: 0, limits: serving) { opened.yield($0) }],
                logger: logger
            )
            group.addTask {
                defer { opened.finish() }
                try await server.run()
            }
            guard let port = await ports.first(where: { _ in true }) else {
                // It never listened: the reason is what its task throws.
                try await group.waitForAll()
                throw CancellationError()
            }
            let engine = GameEngine(
                store: store,
                settings: settings,
                runtime: runtime,
                wakeSignal: WakeSignal(),
                logger: logger
            )
            let result = try await body(
                APIWorld(
                    uri: databaseURI,
                    client: APIClient(port: port),
                    store: store,
                    pool: pool,
                    commands: commands,
                    engine: engine,
                    logs: logs,
                    server: server,
                    moment: moment
                )
            )
            group.cancelAll()
            return result
        }
    }

    /// Lets time pass, and the engine play what comes due.
    func pass(_ duration: Duration) async throws {
        moment.pass(duration)
        _ = try await engine.playRound()
    }

    /// A new player.
    func player(_ name: String = "Ada", hero: String = "spouty") async throws -> TestPlayer {
        let reply = try await client.send(
            "POST",
            "/v1/players",
            body: ["displayName": .string(name), "hero": .string(hero)]
        )
        return TestPlayer(id: reply.json["playerID"].text, token: reply.json["token"].text)
    }

    /// A new party of some players, the first of them its leader.
    func party(of players: TestPlayer..., capacity: Int = 8) async throws -> TestParty {
        try await party(of: players, capacity: capacity)
    }

    /// A new party of some players, the first of them its leader.
    func party(of players: [TestPlayer], capacity: Int = 8) async throws -> TestParty {
        let body: JSONValue = ["name": "Test party", "capacity": .number(Double(capacity))]
        let reply = try await client.send("POST", "/v1/parties", token: players[0].token, body: body)
        let party = TestParty(id: reply.json["partyID"].text, inviteCode: reply.json["inviteCode"].text)
        for player in players.dropFirst() {
            _ = try await join(party, player)
        }
        return party
    }

    /// Joins a party by its code.
    func join(_ party: TestParty, _ player: TestPlayer) async throws -> Reply {
        try await client.send(
            "POST",
            "/v1/parties/join",
            token: player.token,
            body: ["inviteCode": .string(party.inviteCode)]
        )
    }

    /// Starts a journey and gives its identifier back.
    func journey(_ party: TestParty, by player: TestPlayer) async throws -> String {
        let reply = try await client.send(
            "POST",
            "/v1/parties/\(party.id)/adventures",
            token: player.token,
            body: ["kind": "journey", "region": "meadow"]
        )
        return reply.json["adventureID"].text
    }

    /// Claims a place for a player in a party that is never founded.
    func claimForever(_ player: TestPlayer) async throws {
        guard let playerID = PlayerID(player.id) else { return }
        var generator = SystemRandomNumberGenerator()
        let partyID = PartyID(at: moment.now, using: &generator)
        let oldest = Timestamp(epochSeconds: 0)
        _ = try await store.claimPlace(of: playerID, in: partyID, atMost: 20, claimsSince: oldest, at: moment.now)
    }

    /// A new operator's token.
    func operatorToken(
        _ role: Operator.Role,
        name: String = "Olga",
        lifetime: Duration? = nil
    ) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let token = BearerToken(for: .operator, using: &generator)
        let now = moment.now
        _ = try await store.create(
            operator: name,
            role: role,
            expiresAt: lifetime.map { now + $0 },
            tokenHash: token.hash,
            at: now,
            by: .test
        )
        return token.text
    }

    /// Sets the mildest boss on a party and gives the fight's identifier back.
    func bossFight(_ party: TestParty) async throws -> String {
        let reply = try await client.send(
            "POST",
            "/admin/v1/boss-fights",
            token: try await operatorToken(.admin, name: "Boss of \(party.id)"),
            body: ["boss": "glitch", "partyID": .string(party.id)]
        )
        return reply.json["adventureID"].text
    }
}

struct TestPlayer: Sendable {
    let id: String
    let token: String
}

struct TestParty: Sendable {
    let id: String
    let inviteCode: String
}

/// A moment that a test moves; each look at it is a microsecond later than the one before, so that what happens one
/// after the other is so by its times too.
private final class Moment: Sendable {
    private let value = Mutex(Timestamp(microseconds: 1_790_000_000_123_000))

    var now: Timestamp {
        value.withLock { now in
            now = now + .microseconds(1)
            return now
        }
    }

    func pass(_ duration: Duration) { value.withLock { $0 = $0 + duration } }
}
