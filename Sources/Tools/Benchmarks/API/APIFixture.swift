import Encodings
import GameCore
import GameEngine
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

/// Players, parties and fights in a database, with requests about them.
struct APIFixture: Sendable {
    struct Size: Sendable {
        /// The number of requests of each writing kind per round.
        let requests: Int
        let rounds: Int
        let fights: Int
        /// The number of reads per write; reads are several times faster.
        let readsPerWrite = 4
    }

    private static let fighters = 4
    /// The number of concurrent commands.
    private static let concurrency = 10

    /// The requests by round and kind.
    let rounds: [[APIRequestKind: [PreparedRequest]]]

    /// Creates players, parties and fights with the game's commands.
    /// - Parameters:
    ///   - size: the numbers of requests and fights.
    ///   - uri: an empty database.
    /// - Throws: the errors of the commands and of PostgreSQL.
    init(_ size: Size, on uri: String) async throws {
        let pool = BenchmarkPostgres.pool(uri, connections: Self.concurrency)
        rounds = try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let rounds = try await Self.build(size, on: GameStore(pool: pool))
            group.cancelAll()
            return rounds
        }
    }

    private static func build(_ size: Size, on store: GameStore) async throws -> [[APIRequestKind: [PreparedRequest]]] {
        _ = try await store.migrate()
        let builder = APIFixtureBuilder(
            commands: GameCommands(store: store, settings: GameSettings(), runtime: .system, wakeSignal: WakeSignal())
        )
        let fights = try await concurrently(size.fights) { number in try await builder.fight(number, fighters: fighters)
        }
        let joins = size.requests * size.rounds
        let seats = Party.maxCapacity - 1
        let joining = try await concurrently((joins + seats - 1) / seats) { number in
            try await builder.joins(seats, party: number)
        }.flatMap { $0 }
        return (0..<size.rounds).map { round in
            [
                .register: (0..<size.requests).map { _ in builder.registration },
                .join: Array(joining[round * size.requests..<(round + 1) * size.requests]),
                .state: (0..<size.requests * size.readsPerWrite).map { number in
                    fights[number % fights.count].state(turn: number / fights.count)
                },
                .command: (0..<size.requests).map { number in
                    fights[number % fights.count].command(turn: number / fights.count, round: round)
                },
            ]
        }
    }

    /// Makes `count` values, several concurrently, and returns them in order.
    private static func concurrently<Made: Sendable>(
        _ count: Int,
        _ make: @escaping @Sendable (Int) async throws -> Made
    ) async throws -> [Made] {
        try await withThrowingTaskGroup(of: [(number: Int, made: Made)].self) { group in
            for first in 0..<concurrency {
                group.addTask {
                    var mine: [(number: Int, made: Made)] = []
                    for number in stride(from: first, to: count, by: concurrency) {
                        mine.append((number, try await make(number)))
                    }
                    return mine
                }
            }
            let all = try await group.reduce(into: []) { $0 += $1 }
            return all.sorted { $0.number < $1.number }.map(\.made)
        }
    }
}

/// Creates players, parties and fights.
private struct APIFixtureBuilder: Sendable {
    private static let `operator` = AuditAuthor(operator: "bench", requestID: nil)

    let commands: GameCommands

    /// The request of a new player.
    var registration: PreparedRequest {
        PreparedRequest(.post, "/v1/players", body: #"{"displayName":"Ranger","hero":"spouty"}"#)
    }

    /// Creates a party in a boss fight.
    func fight(_ number: Int, fighters count: Int) async throws -> APIFight {
        let leader = try await player()
        let party = try await party(of: leader)
        var tokens = [leader.token]
        for _ in 1..<count {
            let member = try await player()
            _ = try await commands.join(code: party.code, player: member.id, request: nil) { _ in Self.emptyResponse }
            tokens.append(member.token)
        }
        let boss = BossCatalogue.all[number % BossCatalogue.all.count].id
        let stored = try await commands.startBossFight(of: party.id, against: boss, by: Self.operator)
        return APIFight(id: stored.id, tokens: tokens)
    }

    /// Creates a party and `count` players, and returns the players' requests to join the party.
    func joins(_ count: Int, party number: Int) async throws -> [PreparedRequest] {
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

    private static var emptyResponse: EncodedResponse { EncodedResponse(status: 200, body: "") }

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

    /// Returns a command that chooses a turn policy.
    func command(turn: Int, round: Int) -> PreparedRequest {
        let policy = TurnPolicy.allCases[turn % TurnPolicy.allCases.count].rawValue
        return PreparedRequest(
            .post,
            "/v1/adventures/\(id)/commands",
            token: tokens[turn % tokens.count],
            key: "command-\(round)-\(turn)",
            body: #"{"type":"policy","policy":"\#(policy)"}"#,
            shard: id.shard.rawValue
        )
    }
}
