import Encodings
import Foundation
import GameCore
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

/// Waits until a session waits for a lock.
func waitForLockWait(in pool: PostgresPool) async throws {
    let waiting = PostgresQuery(
        Statement(
            "test.waiting",
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
    )
    let deadline = ContinuousClock.now + .seconds(30)
    while try await pool.query(waiting)[0].decode(Int64.self) == 0 {
        try #require(ContinuousClock.now < deadline, "no session waits for a lock")
    }
}

/// A fixed time.
let noon = TestClock.start

/// Stores a party of one member in a shard, with a running boss fight.
func storedFight(
    in store: GameStore,
    shard: Shard,
    seed: UInt64 = 1
) async throws -> StoredAdventure {
    var generator = SeededGenerator(seed: seed)
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
