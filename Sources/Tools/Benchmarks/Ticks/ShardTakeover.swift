import Foundation
import GameCore
import GameLog
import GameStore
import ServiceRuntime

/// The time in which a node takes over a shard: it acquires the lease, and reads the activities and the adventures that
/// they show, played up to the shard's clock.
enum ShardTakeover {
    static let parties = 1_000
    private static let runs = 5
    private static let shard = Shard(rawValue: 0)

    /// Loads a shard and returns the median of several takeovers.
    static func milliseconds(on server: BenchmarkPostgres) async throws -> Double {
        let plan = FixturePlan.steady(
            parties: parties,
            shards: 1,
            journeyTick: .seconds(10),
            bossTurn: .seconds(10),
            at: Runtime.system.now()
        )
        let uri = try await server.create("takeover")
        try await plan.load(into: uri) { number in
            (0..<FixturePlan.heroes).map { seat in Array(Data(plan.uuid(5, number, part: seat).uuidString.utf8)) }
        }
        let store = GameStore(pool: BenchmarkPostgres.pool(uri))
        var milliseconds: [Double] = []
        for _ in 0...runs {
            let holder = UUID()
            let start = ContinuousClock.now
            guard let epoch = try await store.unleasedShards()[shard],
                let lease = try await store.acquireLease(of: shard, at: epoch, holder: holder)
            else {
                throw BenchmarkFailure("the lease of a shard cannot be acquired")
            }
            let activities = try await store.liveActivities(of: shard)
            let ids = Set(activities.map(\.adventureID)).sorted()
            for adventure in try await store.adventures(ids, of: shard) { _ = try adventure.get() }
            milliseconds.append((.now - start) / .milliseconds(1))
            guard ids.count == parties, try await store.release(lease, holder: holder) else {
                throw BenchmarkFailure("only \(ids.count) adventures were taken over")
            }
        }
        // The first one plans the statements.
        return Array(milliseconds.dropFirst()).median
    }
}
