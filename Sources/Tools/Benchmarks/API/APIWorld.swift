import GameCore
import GameEngine
import GameStore
import Logging
import PartyAPI
import PostgresClient
import ServiceRuntime

/// Players, parties and fights in a database, and the requests that are sent about them.
struct APIWorld: Sendable {
    /// How much of each there is.
    struct Size: Sendable {
        /// Of each kind that writes, in one round.
        let requests: Int
        let rounds: Int
        let fights: Int
        /// How many reads there are for each write: they are so much faster.
        let readsForEachWrite = 4
    }

    private static let fighters = 4
    /// How much of it is made at once.
    private static let hands = 10

    /// By round and kind.
    let rounds: [[APIRequestKind: [PreparedRequest]]]

    /// Makes everything by way of the game's own commands.
    /// - Parameters:
    ///   - size: how much.
    ///   - uri: an empty database's.
    /// - Throws: what the commands and PostgreSQL throw.
    init(_ size: Size, on uri: String) async throws {
        let logger = Logger(label: "rangers-bench") { _ in SwiftLogNoOpLogHandler() }
        let pool = PostgresPool(configuration: .init(uri: uri, maximumConnections: Self.hands), logger: logger)
        rounds = try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let rounds = try await Self.build(size, on: GameStore(pool: pool))
            group.cancelAll()
            return rounds
        }
    }

    private static func build(_ size: Size, on store: GameStore) async throws -> [[APIRequestKind: [PreparedRequest]]] {
        _ = try await store.migrate()
        let builder = WorldBuilder(
            commands: GameCommands(store: store, settings: GameSettings(), runtime: .system, wakeSignal: WakeSignal())
        )
        let fights = try await each(size.fights) { number in
            try await builder.fight(number, fighters: fighters)
        }
        let joins = size.requests * size.rounds
        let seats = Party.largestCapacity - 1
        let newcomers = try await each((joins + seats - 1) / seats) { number in
            try await builder.newcomers(seats, party: number)
        }
        let joining = newcomers.flatMap { $0 }
        return (0..<size.rounds).map { round in
            [
                .register: (0..<size.requests).map { _ in builder.registration },
                .join: Array(joining[round * size.requests..<(round + 1) * size.requests]),
                .state: (0..<size.requests * size.readsForEachWrite).map { number in
                    fights[number % fights.count].state(turn: number / fights.count)
                },
                .command: (0..<size.requests).map { number in
                    fights[number % fights.count].command(turn: number / fights.count, round: round)
                },
            ]
        }
    }

    /// Does something so many times, several at once; the results are in order.
    private static func each<Made: Sendable>(
        _ count: Int,
        _ make: @escaping @Sendable (Int) async throws -> Made
    ) async throws -> [Made] {
        try await withThrowingTaskGroup(of: [(number: Int, made: Made)].self) { group in
            for hand in 0..<hands {
                group.addTask {
                    var mine: [(number: Int, made: Made)] = []
                    for number in stride(from: hand, to: count, by: hands) {
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
