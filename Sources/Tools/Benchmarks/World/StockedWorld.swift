import Foundation
import GameCore
import GameFixtures
import GameStore
import Logging
import PostgresClient

/// Makes the parties of a plan in an empty database.
enum StockedWorld {
    /// Migrates a database and fills it.
    /// - Parameters:
    ///   - plan: what it is to hold.
    ///   - uri: an empty database's.
    ///   - tokens: the push tokens of a party's phones, by seat; none for no phones.
    ///   - decisions: what was decided for each of their cards, encoded; nil for nothing.
    /// - Throws: what PostgreSQL throws.
    static func make(
        _ plan: WorldPlan,
        on uri: String,
        tokens: @escaping @Sendable (Int) -> [[UInt8]] = { _ in [] },
        decisions: [UInt8]? = nil
    ) async throws {
        let pool = BenchDatabases.pool(uri)
        _ = try await GameStore(pool: pool).migrate()
        let loader = FixtureLoader(pool: pool)
        let adventures = try plan.adventures()
        var progress = Progress(of: plan.shards)
        for shard in 0..<plan.shards {
            let parties = plan.numbers(in: shard).map { number in
                plan.party(
                    number,
                    in: adventures[number % adventures.count],
                    tokens: tokens(number),
                    decisions: decisions
                )
            }
            try await loader.load(
                parties,
                in: Shard(rawValue: UInt8(shard)),
                at: plan.start,
                journeysTickedUntil: plan.start
            )
            progress.advance()
        }
    }

    /// Stores further parties of a plan beside those that are there, as of the plan's start.
    /// - Parameters:
    ///   - numbers: by shard; none of them was stored before.
    ///   - plan: whose start is the present.
    ///   - adventures: the plan's.
    ///   - pool: connects to the database of the others.
    /// - Throws: what PostgreSQL throws.
    static func add(
        _ numbers: [Int: [Int]],
        of plan: WorldPlan,
        in adventures: [PlayedAdventure],
        to pool: PostgresPool
    ) async throws {
        for (shard, numbers) in numbers.sorted(by: { $0.key < $1.key }) {
            let parties = numbers.map { plan.party($0, in: adventures[$0 % adventures.count], tokens: []) }
            try await FixtureLoader(pool: pool).load(parties, in: Shard(rawValue: UInt8(shard)), at: plan.start)
        }
    }
}
