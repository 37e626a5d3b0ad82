import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import PostgresClient
import TestSupport
import Testing

/// Runs a test's body with the store of a new ``World``, or with one on a given database.
func withStore<Result: Sendable>(
    at uri: String? = nil,
    migrated: Bool = true,
    _ body: @Sendable (GameStore, PostgresPool) async throws -> Result
) async throws -> Result {
    var options = World.Options()
    options.uri = uri
    options.isMigrated = migrated
    return try await World.with(options) { world in try await body(world.store, world.pool) }
}

/// Returns whether a session waits for a lock.
func hasLockWait(in pool: PostgresPool) async throws -> Bool {
    let waiting = PostgresQuery(
        Statement(
            "test.waiting",
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
    )
    return try await pool.query(waiting)[0].decode(Int64.self) > 0
}

/// Waits until a session waits for a lock.
func waitForLockWait(in pool: PostgresPool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try await !hasLockWait(in: pool) {
        try #require(ContinuousClock.now < deadline, "no session waits for a lock")
    }
}

/// A fixed time.
let noon = TestClock.start

/// Stores a party of one member in a shard, with a running adventure: a boss fight with turns of 15 seconds, or a
/// journey with ticks of 10 seconds.
func storedAdventure(
    _ kind: AdventureKind = .bossFight,
    in store: GameStore,
    shard: Shard,
    seed: UInt64 = 1
) async throws -> StoredAdventure {
    try await store.withShard(shard) { transaction in
        var generator = SeededGenerator(seed: seed)
        let player = PlayerID(at: noon, using: &generator)
        var party = Party(
            id: PartyID(at: noon, in: shard, using: &generator),
            name: "Party",
            inviteCode: InviteCode(using: &generator),
            capacity: 8,
            founder: Member(playerID: player, displayName: "Ada", hero: "spouty", experience: 0, joinedAt: noon)
        )
        transaction.insert(party)
        let id = AdventureID(at: noon, in: shard, using: &generator)
        try party.startAdventure(id, by: nil)
        transaction.update(party)
        let heroes = [Hero(playerID: player, id: "spouty", level: 1, potions: 2)]
        let opening: Adventure =
            switch kind {
            case .bossFight: .bossFight(against: BossCatalogue.all[0].id, heroes: heroes, seed: seed)
            case .journey: .journey(in: RegionCatalogue.all[0].id, heroes: heroes, seed: seed)
            case .raid: preconditionFailure("a raid fight begins with a raid")
            }
        let interval = kind == .journey ? Duration.seconds(10) : .seconds(15)
        return transaction.start(id, of: party.id, with: opening, interval: interval).0
    }
}

/// Stores a party of one member in a shard, with a running boss fight.
func storedFight(in store: GameStore, shard: Shard, seed: UInt64 = 1) async throws -> StoredAdventure {
    try await storedAdventure(in: store, shard: shard, seed: seed)
}
