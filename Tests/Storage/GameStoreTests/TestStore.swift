import Encodings
import Foundation
import GameCore
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import Testing

/// Runs a test's body with a store on an empty database of its own.
func withStore<Result: Sendable>(
    migrated: Bool = true,
    _ body: @Sendable (GameStore, PostgresPool) async throws -> Result
) async throws -> Result {
    try await withStore(at: try await TestDatabases.make(), migrated: migrated, body)
}

/// The same on a database that somebody has made.
func withStore<Result: Sendable>(
    at uri: String,
    migrated: Bool,
    _ body: @Sendable (GameStore, PostgresPool) async throws -> Result
) async throws -> Result {
    let pool = PostgresPool(
        configuration: .patient(uri: uri, maximumConnections: 8),
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    )
    return try await withThrowingTaskGroup { group in
        group.addTask { try await pool.run() }
        let store = GameStore(pool: pool)
        if migrated { _ = try await store.migrate() }
        let result = try await body(store, pool)
        group.cancelAll()
        return result
    }
}

/// Waits until a statement waits for a lock that another transaction holds.
func waitForLockWait(in pool: PostgresPool) async throws {
    let waiting = PostgresQuery(
        Statement(
            "test.waiting",
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
    )
    let deadline = ContinuousClock.now + .seconds(30)
    while try await pool.query(waiting)[0].decode(Int64.self) == 0 {
        try #require(ContinuousClock.now < deadline, "nothing waits for a lock")
    }
}

/// A fixed moment: nothing here depends on the time of day.
let noon = Timestamp(epochSeconds: 1_790_000_000)

/// A party of one in a shard, stored, with a fight that has started.
func storedFight(
    in store: GameStore,
    shard: Shard,
    seed: UInt64 = 1
) async throws -> StoredAdventure {
    var generator = Seeded(state: seed)
    let player = PlayerID(at: noon, using: &generator)
    let party = Party(
        id: PartyID(at: noon, in: shard, using: &generator),
        name: "Party",
        inviteCode: InviteCode(using: &generator),
        capacity: 8,
        founder: Member(playerID: player, displayName: "Ada", hero: "spouty", experience: 0, joinedAt: noon)
    )
    let opening = Adventure.bossFight(
        against: BossCatalogue.all[0].id,
        heroes: [Hero(playerID: player, id: "spouty", level: 1, potions: 2)],
        seed: seed
    )
    var stored = StoredAdventure(
        id: AdventureID(at: noon, in: shard, using: &generator),
        partyID: party.id,
        adventure: opening,
        startedAt: noon,
        phase: nil
    )
    let events = try stored.adventure.advance(.start)
    stored.turnDueAt = noon + .seconds(15)
    return try await store.withShard(shard, at: noon) { [stored] transaction in
        transaction.insert(party)
        try transaction.insert(stored, opening: opening)
        try transaction.append(events, of: stored)
        return stored
    }
}

/// SplitMix64: enough to vary a test by its seed.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
