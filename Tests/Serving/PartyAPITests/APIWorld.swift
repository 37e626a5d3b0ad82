import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import GameTestSupport
import HTTPServing
import JSONCoding
import PartyAPI
import PostgresClient
import PushCadence
import ServiceLifecycle
import ServiceRuntime
import SignInWithApple
import TestSupport
import Testing

/// An API on a real port, over a migrated database of its own, with a clock that only the test moves.
struct APIWorld: Sendable {
    /// The database and the game below the API.
    private let game: World
    let client: APIClient
    let engine: GameEngine
    /// The API itself.
    let server: ServiceGroup

    /// The database's URI, for another world on the same database.
    var uri: String { game.uri }
    var store: GameStore { game.store }
    /// The database's connection pool, for statements that only tests send.
    var pool: PostgresPool { game.pool }
    var commands: GameCommands { game.commands }
    var logs: LogRecorder { game.logs }
    /// The clock, which only the test advances.
    var clock: TestClock { game.clock }

    /// Runs a test with its own world, in a new database unless `uri` specifies one.
    static func with<Result: Sendable>(
        uri: String? = nil,
        migrated: Bool = true,
        statementTimeout: Duration? = nil,
        connections: Int? = nil,
        quotas: Quotas = Quotas(),
        streams: StreamSettings = StreamSettings(pollInterval: .milliseconds(10)),
        apple: AppleSignIn? = nil,
        diagnostics: APNsDiagnostics? = nil,
        cadence: CadencePolicy = CadencePolicy(),
        outageLimit: Duration? = nil,
        diagnosisStore: GameStore? = nil,
        limits: RequestLimits = RequestLimits(),
        origins: AllowedOrigins? = nil,
        serving: ServingLimits = ServingLimits(),
        _ body: @Sendable (APIWorld) async throws -> Result
    ) async throws -> Result {
        var options = World.Options()
        options.uri = uri
        options.isMigrated = migrated
        if let statementTimeout { options.statementTimeout = statementTimeout }
        options.quotas = quotas
        if let connections { options.connections = connections }
        // Each reading advances the clock, so that successive events have increasing times.
        options.clock = TestClock(at: TestClock.start + .milliseconds(123), step: .microseconds(1))
        options.outageLimit = outageLimit
        options.randomBits = Runtime.system.randomBits
        return try await World.with(options) { game in
            let api = PartyAPI(
                store: game.store,
                diagnosisStore: diagnosisStore,
                commands: game.commands,
                runtime: game.runtime,
                // Long enough for a busy machine.
                readiness: Readiness(
                    [.database(game.store)],
                    restricting: [.lockedShards(game.store.queue)],
                    limit: .seconds(60)
                ),
                streams: streams,
                apple: apple,
                diagnostics: diagnostics,
                cadence: cadence,
                limits: limits,
                origins: origins,
                logger: game.logs.logger
            )
            return try await withListeningServer { onListening in
                ServiceGroup(
                    services: [api.server(host: "127.0.0.1", port: 0, limits: serving, onServing: onListening)],
                    logger: game.logs.logger
                )
            } _: { server, port in
                try await body(
                    APIWorld(game: game, client: APIClient(port: port), engine: game.engine(), server: server)
                )
            }
        }
    }

    /// Advances the clock, and lets the engine play all due ticks.
    func pass(_ duration: Duration) async throws {
        game.clock.advance(by: duration)
        _ = try await engine.runPollCycle()
    }

    /// Adds up the rounds of raids that the engine has played, and delivers what is decided.
    func runRaids() async {
        let worker = RaidWorker(store: store, runtime: game.runtime, wakeSignal: WakeSignal(), logger: logs.logger)
        await worker.runCycle()
    }

    /// Returns the number of statements that a request runs, in a world with one connection.
    func statements(_ request: () async throws -> Reply) async throws -> Int64 {
        let count = Statement(
            "test.executions",
            "SELECT coalesce(sum(generic_plans + custom_plans), 0)::bigint FROM pg_prepared_statements"
        )
        func executions() async throws -> Int64 {
            try await pool.query(PostgresQuery(count))[0].decode(Int64.self)
        }
        _ = try await executions()
        let before = try await executions()
        let reply = try await request()
        #expect([200, 202, 204].contains(reply.status), "\(reply.text)")
        // The count itself is one of them.
        return try await executions() - before - 1
    }

    /// Registers a player, and a device that has the player's identifier.
    func player(_ name: String = "Ada", hero: String = "spouty") async throws -> TestPlayer {
        let reply = try await client.send(
            "POST",
            "/v1/players",
            body: ["displayName": .string(name), "hero": .string(hero)]
        )
        let player = TestPlayer(id: reply.json["playerID"].text, token: reply.json["token"].text)
        if let id = PlayerID(player.id) { try await commands.device(of: id) }
        return player
    }

    /// Creates a party of some players; the first one is its leader.
    func party(of players: TestPlayer..., capacity: Int = 8) async throws -> TestParty {
        try await party(of: players, capacity: capacity)
    }

    /// Creates a party of some players; the first one is its leader.
    func party(of players: [TestPlayer], capacity: Int = 8) async throws -> TestParty {
        let body: JSONValue = ["name": "Test party", "capacity": .number(Double(capacity))]
        let reply = try await client.send("POST", "/v1/parties", token: players[0].token, body: body)
        let party = TestParty(id: reply.json["partyID"].text, inviteCode: reply.json["inviteCode"].text)
        for player in players.dropFirst() {
            _ = try await join(party, player)
        }
        return party
    }

    /// Joins a party by its invite code.
    func join(_ party: TestParty, _ player: TestPlayer) async throws -> Reply {
        try await client.send(
            "POST",
            "/v1/parties/join",
            token: player.token,
            body: ["inviteCode": .string(party.inviteCode)]
        )
    }

    /// Starts a journey and returns its identifier.
    func journey(_ party: TestParty, by player: TestPlayer) async throws -> String {
        let reply = try await client.send(
            "POST",
            "/v1/parties/\(party.id)/adventures",
            token: player.token,
            body: ["kind": "journey", "region": "meadow"]
        )
        return reply.json["adventureID"].text
    }

    /// Claims a membership slot for a player in a party that is never created.
    func claimForever(_ player: TestPlayer) async throws {
        guard let playerID = PlayerID(player.id) else { return }
        var generator = SystemRandomNumberGenerator()
        let partyID = PartyID(at: game.clock.now, using: &generator)
        _ = try await store.claimMembershipSlot(
            of: playerID,
            in: partyID,
            limit: 20,
            claimsLastingFor: .seconds(1_000_000)
        )
    }

    /// Creates an operator and returns the token.
    func operatorToken(
        _ role: Operator.Role,
        name: String = "Olga",
        lifetime: Duration? = nil
    ) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let token = BearerToken(for: .operator, using: &generator)
        let now = game.clock.now
        let isStored = try await store.create(
            operator: name,
            role: role,
            expiresAt: lifetime.map { now + $0 },
            tokenHash: token.hash,
            by: .test
        )
        #expect(isStored, "there is an operator \(name) already")
        return token.text
    }

    /// Starts a party's fight against the weakest boss and returns its identifier.
    ///
    /// Each fight has an operator of its own, so that a party may have several.
    func bossFight(_ party: TestParty) async throws -> String {
        let reply = try await client.send(
            "POST",
            "/admin/v1/boss-fights",
            token: try await operatorToken(.admin, name: "Boss \(game.runtime.randomBits())"),
            body: ["boss": "glitch", "partyID": .string(party.id)]
        )
        try #require(reply.status == 201, "\(reply.text)")
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
