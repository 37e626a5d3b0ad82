import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import HTTPTypes
import PartyAPI
import PostgresClient
import ServiceRuntime

/// The measured requests: the most frequent ones, and two that write to several tables.
enum APIRequestKind: String, CaseIterable, Codable, Sendable {
    case register
    case join
    /// `GET /v1/adventures/{adventureID}` of a boss fight of four heroes.
    case state
    /// The choice of a policy in a boss fight, which is valid at any time and is processed like every other command.
    case command

    var method: HTTPRequest.Method { isRead ? .get : .post }

    /// The path in the router's syntax.
    var route: String {
        switch self {
        case .register: "v1/players"
        case .join: "v1/parties/join"
        case .state: "v1/adventures/:adventureID"
        case .command: "v1/adventures/:adventureID/commands"
        }
    }

    var status: Int { self == .register ? 201 : 200 }

    /// Whether the request can be repeated.
    var isRead: Bool { self == .state }
}

/// Players, parties and fights in a database, created with the game's commands, and requests about them.
struct APIFixture: Sendable {
    private static let fighters = 4
    /// The number of reads per write; reads are several times faster.
    private static let readsPerWrite = 4
    /// The number of concurrent commands.
    private static let concurrency = 10

    private let commands: GameCommands

    /// Fills an empty database.
    /// - Parameters:
    ///   - rounds: the number of rounds.
    ///   - uri: the database.
    ///   - fights: the number of fights that the requests address.
    ///   - requests: the number of requests of each writing kind per round.
    /// - Returns: the requests by round and kind.
    /// - Throws: the errors of the commands and of PostgreSQL.
    static func rounds(_ rounds: Int, on uri: String, fights: Int, requests: Int) async throws
        -> [[APIRequestKind: [PreparedRequest]]]
    {
        try await filling(uri) { try await $0.build(rounds, fights: fights, requests: requests) }
    }

    /// Fills an empty database with boss fights.
    /// - Parameters:
    ///   - count: the number of fights.
    ///   - heroes: the number of heroes in each.
    ///   - uri: the database.
    /// - Returns: the fights.
    /// - Throws: the errors of the commands and of PostgreSQL.
    static func fights(_ count: Int, heroes: Int, on uri: String) async throws -> [APIFight] {
        try await filling(uri) { fixture in
            try await concurrently(count, limit: concurrency) { try await fixture.fight($0, heroes: heroes) }
        }
    }

    private static func filling<Result: Sendable>(
        _ uri: String,
        _ body: (APIFixture) async throws -> Result
    ) async throws -> Result {
        let pool = BenchmarkPostgres.pool(uri, connections: concurrency)
        return try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            defer { group.cancelAll() }
            let store = GameStore(pool: pool)
            _ = try await store.migrate()
            return try await body(
                APIFixture(
                    commands: GameCommands(
                        store: store,
                        settings: GameSettings(bossTurn: APIBenchmark.bossTurn),
                        runtime: .system,
                        wakeSignal: WakeSignal()
                    )
                )
            )
        }
    }

    /// Returns an engine over a database.
    static func engine(on uri: String) -> GameEngine {
        GameEngine(
            store: GameStore(pool: BenchmarkPostgres.pool(uri, connections: concurrency)),
            runtime: .system,
            wakeSignal: WakeSignal(),
            logger: silentLogger
        )
    }

    private func build(_ rounds: Int, fights: Int, requests: Int) async throws -> [[APIRequestKind: [PreparedRequest]]]
    {
        let fights = try await concurrently(fights, limit: Self.concurrency) { try await fight($0) }
        let seats = Party.maxCapacity - 1
        let parties = (requests * rounds + seats - 1) / seats
        let joins = try await concurrently(parties, limit: Self.concurrency) { try await self.joins(seats, party: $0) }
            .flatMap(\.self)
        let registration = PreparedRequest(.post, "/v1/players", body: #"{"displayName":"Ranger","hero":"spouty"}"#)
        return (0..<rounds).map { round in
            [
                .register: Array(repeating: registration, count: requests),
                .join: Array(joins[round * requests..<(round + 1) * requests]),
                .state: (0..<requests * Self.readsPerWrite).map { number in
                    fights[number % fights.count].state(turn: number / fights.count)
                },
                .command: (0..<requests).map { number in
                    fights[number % fights.count].command(turn: number / fights.count, round: round)
                },
            ]
        }
    }

    /// Creates a party in a boss fight.
    private func fight(_ number: Int, heroes: Int = Self.fighters) async throws -> APIFight {
        let leader = try await player()
        let party = try await party(of: leader)
        var tokens = [leader.token]
        for _ in 1..<heroes {
            let member = try await player()
            _ = try await commands.join(code: party.code, player: member.id, request: nil) { _ in
                EncodedResponse(status: 200, body: "")
            }
            tokens.append(member.token)
        }
        let boss = BossCatalogue.all[number % BossCatalogue.all.count].id
        let author = AuditAuthor(operator: "bench", requestID: nil)
        return APIFight(
            id: try await commands.startBossFight(of: party.id, against: boss, by: author).id,
            tokens: tokens
        )
    }

    /// Creates a party and `count` players, and returns the players' requests to join the party.
    private func joins(_ count: Int, party number: Int) async throws -> [PreparedRequest] {
        let party = try await party(of: try await player())
        var requests: [PreparedRequest] = []
        for seat in 0..<count {
            requests.append(
                PreparedRequest(
                    .post,
                    "/v1/parties/join",
                    token: try await player().token,
                    key: "join-\(number)-\(seat)",
                    body: #"{"inviteCode":"\#(party.code.rawValue)"}"#,
                    shard: party.id.shard.rawValue
                )
            )
        }
        return requests
    }

    private func player() async throws -> (id: PlayerID, token: String) {
        var generator = SystemRandomNumberGenerator()
        let token = BearerToken(for: .player, using: &generator)
        let hero = HeroCatalogue.all[Int(generator.next() % UInt64(HeroCatalogue.all.count))].id
        let player = try await commands.register(displayName: try Name("Ranger"), hero: hero, tokenHash: token.hash)
        return (player.id, token.text)
    }

    private func party(of leader: (id: PlayerID, token: String)) async throws -> (id: PartyID, code: InviteCode) {
        let response = try await commands.createParty(
            named: try Name("The Rangers"),
            capacity: Party.maxCapacity,
            founder: leader.id,
            request: nil
        ) { EncodedResponse(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)") }
        let words = response.body.split(separator: " ")
        guard words.count == 2, let id = PartyID(String(words[0])) else {
            throw BenchmarkFailure("A party was not created: \(response.body)")
        }
        return (id, InviteCode(rawValue: String(words[1])))
    }
}

/// A boss fight with the tokens of its players, who take turns in sending requests.
struct APIFight: Sendable {
    let id: AdventureID
    let tokens: [String]

    func state(turn: Int) -> PreparedRequest {
        PreparedRequest(.get, "/v1/adventures/\(id)", token: tokens[turn % tokens.count])
    }

    /// Returns a command that chooses one of the turn policies.
    func command(turn: Int, round: Int) -> PreparedRequest {
        let policy = TurnPolicy.allCases[turn % TurnPolicy.allCases.count]
        return command(policy, turn: turn, key: "command-\(round)-\(turn)")
    }

    /// Returns a command that chooses a turn policy.
    func command(_ policy: TurnPolicy, turn: Int = 0, key: String) -> PreparedRequest {
        PreparedRequest(
            .post,
            "/v1/adventures/\(id)/commands",
            token: tokens[turn % tokens.count],
            key: key,
            body: #"{"type":"policy","policy":"\#(policy.rawValue)"}"#,
            shard: id.shard.rawValue
        )
    }
}
