import Encodings
import Foundation
import GameCore
import GameFixtures
import GameStore
import PartyAPI
import ServiceRuntime

/// The commands of a crowd: players in fights choose the policy that they have, at a constant rate.
///
/// Such a command is valid at any time and changes the course of no fight, so it is never refused. Otherwise it is like any
/// other: a transaction in its shard, an entry of the log, and an event that the party's phones show.
struct CrowdCommands: Sendable {
    static let perSecond = 200
    private static let maxFights = 2_000
    /// The time for which fights must last beyond the run, since a slow machine takes longer.
    private static let reserve = Duration.seconds(30)
    private static let connections = 16
    /// The number of players that are registered at the same time.
    private static let concurrency = 10

    private let fights: [APIFight]

    /// Gives the first player of some fights a bearer token.
    /// - Parameters:
    ///   - plan: the crowd, already stored; only fights that last for its `minTimeLeft` from now on are used.
    ///   - uri: the database.
    /// - Throws: PostgreSQL's errors.
    init(for plan: FixturePlan, on uri: String) async throws {
        let end = max(plan.start, Runtime.system.now()) + plan.minTimeLeft + Self.reserve
        let numbers = (0..<plan.parties).lazy.filter { number in
            guard !plan.isJourney(number) else { return false }
            let opening = plan.opening(number)
            return plan.start(number, of: opening) + plan.interval(number) * opening.ticks > end
        }
        let chosen = Array(numbers.prefix(Self.maxFights))
        let store = GameStore(pool: BenchmarkPostgres.pool(uri, connections: Self.concurrency))
        fights = try await concurrently(chosen.count, limit: Self.concurrency) { index in
            var generator = SystemRandomNumberGenerator()
            let token = BearerToken(for: .player, using: &generator)
            let id = plan.playerID(chosen[index], seat: 0)
            let player = Player(id: id, displayName: "Ranger", hero: HeroCatalogue.all[0].id)
            try await store.register(
                player,
                tokenHash: token.hash,
                shardSecret: Array(token.hash.prefix(16)),
                at: Runtime.system.now()
            )
            return APIFight(id: plan.adventureID(chosen[index]), tokens: [token.text])
        }
    }

    /// Sends commands until the time is over.
    /// - Throws: ``BenchmarkFailure`` if one is not answered with 200.
    func send(to port: Int, for length: Duration) async throws -> HTTPLoad.Result {
        guard !fights.isEmpty else { throw BenchmarkFailure("No fight lasts for \(length.text)") }
        let requests = (0..<Int(length / .seconds(1)) * Self.perSecond).map { number in
            fights[number % fights.count].command(.automatic, key: "crowd-\(number)")
        }
        return try await HTTPLoad(port: port, connections: Self.connections)
            .run(requests, expecting: 200, rate: Self.perSecond)
    }
}
