import Encodings
import GameCore
import GameLog
import GameTestSupport
import Logging
import PostgresClient
import RangersMetrics
import TestSupport
import Testing

@testable import GameStore

/// Rows that this release cannot decode or play, and ends that lie: each concerns its adventure alone.
@Suite struct AdventureRowTests {
    private static let shard = Shard(rawValue: 7)
    private var shard: Shard { Self.shard }

    private func change(_ sql: String, of id: AdventureID? = nil, in world: World) async throws {
        let filter = id.map { " WHERE shard = 7 AND adventure_id = '\($0)'" } ?? ""
        try await world.pool.withConnection { try await $0.script(sql + filter) }
    }

    /// Stores a fight in which the player has chosen a policy after five seconds.
    private func fight(seed: UInt64, in world: World) async throws -> StoredAdventure {
        let fight = try await storedAdventure(in: world.store, shard: shard, seed: seed)
        world.clock.advance(by: .seconds(5))
        try await world.store.withShard(shard) { transaction in
            var stored = try #require(try await transaction.adventure(fight.id))
            let player = stored.adventure.heroes[0].playerID
            _ = try await transaction.apply(.command(.policy(.guard), by: player), to: &stored)
        }
        return fight
    }

    private func reason(_ world: World, _ id: AdventureID) async -> String? {
        let error = await #expect(throws: StoreError.self) { try await world.store.adventure(id) }
        guard case .undecodable(table: "adventures", id: id.description, let reason) = error else { return nil }
        return reason
    }

    private static let damages: [(change: String, reason: String)] = [
        ("adventures SET opening = replace(opening, 'rules ', 'rules 9')", "unknown version of the rules, 9"),
        (
            "adventures SET opening = replace(opening, '2 bossFight', '3 bossFight')",
            "unknown version of the stored form"
        ),
        ("adventures SET opening = ''", "unknown version of the stored form"),
        ("adventures SET opening = replace(opening, 'tick 0', 'tick 1')", "its opening has been played"),
        (
            "adventures SET opening = replace(opening, 'sequence 0', 'sequence 999999999')",
            "its opening has been played"
        ),
        ("adventures SET tick_interval = 9223372036854775807", "its interval"),
        ("adventures SET started_at = '9998-12-31 23:59:50+00'", "its start"),
        (
            "adventures SET started_at = started_at + interval '1 minute'",
            "an input is earlier than what happened before it"
        ),
        ("log SET body = 'command nobody'", "cannot be decoded: expected a UUID"),
        ("log SET body = replace(body, 'policy guard', 'dance')", "cannot be decoded: 'dance'"),
        ("log SET body = replace(body, 'policy guard', 'policy skip')", "the digest differs"),
        ("log SET body = 'leave 01932a5c-77e0-7c41-9b0e-5d2f8a61c3e4'", "is refused: not-a-member"),
        ("log SET at = at + interval '1 hour'", "is refused: adventure-over"),
        ("log SET digest = 1 - digest", "the digest differs"),
        ("log SET kind = 'dance'", "is of an unknown kind, 'dance'"),
    ]

    @Test(arguments: damages.indices)
    func `an adventure that cannot be played holds up no other, and is played once it can be`(number: Int) async throws
    {
        let (damage, reason) = Self.damages[number]
        try await World.with { world in
            let broken = try await fight(seed: 1, in: world)
            let whole = try await fight(seed: 2, in: world)
            for table in ["adventures", "log"] {
                try await change("CREATE TABLE saved_\(table) AS SELECT * FROM \(table)", in: world)
            }
            let isInput = damage.hasPrefix("log") ? " AND kind = 'input'" : ""
            try await change("UPDATE \(damage) WHERE adventure_id = '\(broken.id)'\(isInput)", in: world)

            #expect(try #require(await self.reason(world, broken.id)).contains(reason))
            let results = try await world.store.adventures([broken.id, whole.id], of: shard)
            #expect(results.count == 2 && results.compactMap { try? $0.get().id } == [whole.id])
            await #expect(throws: StoreError.self) { try await world.store.replay(broken.id) }
            await #expect(throws: StoreError.self) { try await world.store.events(of: broken.id, after: 0, limit: 9) }

            func faulty() async throws -> [AdventureID] { try await world.store.faultyAdventures(limit: 10).map(\.id) }
            // The first reader says so, and not only the engine at the end.
            #expect(try await faulty() == [broken.id])
            #expect(world.logs.lines("an adventure cannot be played").map(\.level) == [.error])
            world.clock.advance(by: .seconds(20_000))
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            #expect(try await world.store.adventure(whole.id)?.endedAt != nil)
            #expect(try await world.store.party(whole.partyID)?.adventureID == nil)
            #expect(try await faulty() == [broken.id])
            #expect(try await world.store.faultyAdventures(limit: 10)[0].reason.contains(reason))
            // By each of the three readers, too.
            #expect(await world.registry.text().contains("\nrangers_adventure_faults_total 4\n"))
            #expect(world.logs.lines("an adventure cannot be played").count == 2)

            // Left alone for ten minutes, then tried again.
            world.clock.advance(by: .seconds(599))
            _ = try await world.store.moveClock(of: shard)
            #expect(world.logs.lines("an adventure cannot be played").count == 2)
            world.clock.advance(by: .seconds(1))
            _ = try await world.store.moveClock(of: shard)
            #expect(world.logs.lines("an adventure cannot be played").count == 3)
            #expect(try await world.store.backlogStatistics().bossFights == 1)

            try await change(
                """
                UPDATE adventures AS a SET opening = s.opening, tick_interval = s.tick_interval, started_at = s.started_at
                FROM saved_adventures AS s WHERE s.adventure_id = a.adventure_id AND a.adventure_id <> '\(whole.id)'
                """,
                in: world
            )
            try await change(
                """
                UPDATE log AS l SET kind = s.kind, body = s.body, at = s.at, digest = s.digest
                FROM saved_log AS s WHERE s.position = l.position AND s.shard = l.shard
                """,
                in: world
            )
            world.clock.advance(by: .seconds(600))
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            #expect(try await faulty() == [])
            #expect(try await world.store.replay(broken.id)?.stored.endedAt != nil)
            #expect(try await world.store.backlogStatistics().bossFights == 0)
        }
    }

    @Test func `an adventure that can be played again before its end goes on`() async throws {
        try await World.with { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            let end = journey.projectedEnd
            try await change(
                "UPDATE adventures SET fault = 'unknown', ends_at = now() - interval '99 years'",
                in: world
            )
            world.clock.advance(by: .seconds(30))
            #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
            #expect(try await world.store.faultyAdventures(limit: 1).isEmpty)
            #expect(world.logs.lines("an adventure can be played again").count == 1)
            #expect(await world.registry.text().contains("\nrangers_adventure_faults_total 0\n"))
            world.clock.advance(by: end - world.clock.now)
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            #expect(try await world.store.adventure(journey.id)?.endedAt == end)
        }
    }

    @Test func `a stored end that is too early is corrected`() async throws {
        try await World.with { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            try await change("UPDATE adventures SET ends_at = started_at", in: world)
            world.clock.advance(by: .seconds(30))
            #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
            #expect(await world.registry.text().contains("\nrangers_adventure_faults_total 1\n"))
            world.clock.advance(by: .seconds(30))
            #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
            #expect(await world.registry.text().contains("\nrangers_adventure_faults_total 1\n"))
            world.clock.advance(by: journey.projectedEnd - world.clock.now)
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
        }
    }

    @Test func `an adventure with a stored end that is too late is closed once it is read under the lock`() async throws
    {
        try await World.with { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            try await change("UPDATE adventures SET ends_at = ends_at + interval '1 year'", in: world)
            world.clock.advance(by: .seconds(20_000))
            #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
            #expect(try await world.store.party(journey.partyID)?.adventureID == journey.id)
            try await world.store.withShard(shard) { transaction in
                for _ in 0..<2 {
                    let read = try await transaction.adventure(journey.id)
                    #expect(read?.endedAt == journey.projectedEnd)
                }
                let party = try await transaction.party(journey.partyID)
                #expect(party?.adventureID == nil)
            }
            #expect(try await world.store.party(journey.partyID)?.adventureID == nil)
            let log = try await world.store.log(of: shard, after: 0, limit: 10)
            #expect(log.count == 2)
            _ = try await world.store.replay(journey.id)
            try await expectCorrections(1, in: world)
        }
    }

    private func expectCorrections(_ count: Int, faults: Int? = nil, in world: World) async throws {
        let lines = world.logs.lines("the stored end of an adventure was too late, and was corrected")
        #expect(lines.map(\.level) == Array(repeating: .error, count: count))
        #expect(await world.registry.text().contains("\nrangers_adventure_faults_total \(faults ?? count)\n"))
    }

    @Test(arguments: [false, true])
    func `an adventure with a stored end that is too late is closed after it was read`(fromOpening: Bool) async throws {
        var options = World.Options()
        options.outageLimit = .seconds(60)
        try await World.with(options) { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            // An outage, which `ends_at` does not contain.
            world.clock.advance(by: .seconds(300))
            _ = try await world.store.moveClock(of: shard)
            let end = try #require(try await world.store.adventure(journey.id)).projectedEnd
            #expect(end == journey.projectedEnd + .seconds(300))
            func endsAt() async throws -> Timestamp {
                let rows = try await world.pool.query(AdventureStatements.read(journey.id))
                return try AdventureRow(#require(rows.first), knowing: .current).endsAt
            }
            func read() async throws -> Timestamp? {
                guard fromOpening else { return try await world.store.adventure(journey.id)?.endedAt }
                return try await world.store.adventures([journey.id], of: shard)[0].get().endedAt
            }
            let correct = try await endsAt()
            try await change("UPDATE adventures SET ends_at = ends_at + interval '1 year'", in: world)

            // Nothing can be told before the end.
            #expect(try await read() == nil)
            try await expectCorrections(0, in: world)
            while world.clock.now < end {
                world.clock.advance(by: min(.seconds(59), end - world.clock.now))
                #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
            }
            #expect(try await read() == end)
            try await expectCorrections(1, in: world)
            #expect(try await endsAt() == correct)
            #expect(try await read() == end)
            try await expectCorrections(1, in: world)

            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            #expect(try await world.store.party(journey.partyID)?.adventureID == nil)
            #expect(try await read() == end)
            try await expectCorrections(1, in: world)
        }
    }

    @Test func `an adventure that an engine tries again later is not taken for one with a stored end that is too late`()
        async throws
    {
        try await World.with { world in
            let journey = try await storedAdventure(.journey, in: world.store, shard: shard)
            let opening = "replace(opening, 'rules ', 'rules 9')"
            try await change("CREATE TABLE saved AS SELECT opening FROM adventures", in: world)
            try await change("UPDATE adventures SET opening = \(opening)", in: world)
            world.clock.advance(by: .seconds(20_000))
            #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
            // A newer node can play it; until an older one tries again, it has the fault.
            try await change("UPDATE adventures SET opening = saved.opening FROM saved", in: world)
            #expect(try await world.store.adventure(journey.id)?.endedAt != nil)
            try await expectCorrections(0, faults: 1, in: world)
            try await change("UPDATE adventures SET ends_at = ends_at + interval '1 year'", in: world)
            #expect(try await world.store.adventure(journey.id)?.endedAt != nil)
            try await expectCorrections(1, faults: 2, in: world)
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            #expect(try await world.store.faultyAdventures(limit: 1).isEmpty)
        }
    }

    @Test(arguments: [
        ("final_digest = final_digest + 1", "the digest differs"),
        ("ended_at = ended_at + interval '1 second'", "the moment of its end differs"),
    ])
    func `a replay finds an end that is not the recorded one`(damage: String, reason: String) async throws {
        try await World.with { world in
            let fight = try await fight(seed: 1, in: world)
            world.clock.advance(by: .seconds(20_000))
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            _ = try await world.store.replay(fight.id)
            try await change("UPDATE adventures SET \(damage)", of: fight.id, in: world)
            let error = await #expect(throws: StoreError.self) { try await world.store.replay(fight.id) }
            #expect("\(try #require(error))".contains(reason))
        }
    }

    @Test func `an ended adventure with another digest is named until it can be played, or loses its details`()
        async throws
    {
        try await World.with { world in
            let fight = try await fight(seed: 1, in: world)
            world.clock.advance(by: .seconds(20_000))
            #expect(try await world.store.moveClock(of: shard)?.closed.count == 1)
            let ended = try #require(try await world.store.adventure(fight.id))
            func isFaulty() async throws -> Bool { try await !world.store.faultyAdventures(limit: 1).isEmpty }

            try await change("UPDATE adventures SET final_digest = final_digest + 1", of: fight.id, in: world)
            for _ in 0..<2 { #expect(try #require(await reason(world, fight.id)).contains("the digest differs")) }
            #expect(try await isFaulty())
            #expect(world.logs.lines("an adventure cannot be played").count == 1)

            try await change("UPDATE adventures SET final_digest = final_digest - 1", of: fight.id, in: world)
            #expect(try await world.store.adventure(fight.id)?.adventure == ended.adventure)
            #expect(try await !isFaulty())
            #expect(world.logs.lines("an adventure can be played again").count == 1)

            try await change("UPDATE adventures SET final_digest = final_digest + 1", of: fight.id, in: world)
            #expect(await reason(world, fight.id) != nil)
            let now = world.clock.now
            #expect(
                try await world.store.removeDetails(ofAdventuresEndedBefore: now, in: shard, limit: 9, at: now)
                    .adventures
                    == 1
            )
            #expect(try await !isFaulty())
            #expect(await reason(world, fight.id) != nil)
            #expect(try await !isFaulty())
        }
    }

    @Test(arguments: [
        ("UPDATE log SET digest = 1 WHERE kind = 'input'", true),
        ("UPDATE adventures SET opening = replace(opening, 'rules ', 'rules 9')", false),
        ("UPDATE adventures SET started_at = '9998-12-31 23:59:50+00'", false),
    ])
    func `an operator's end frees the party of an adventure that cannot be played`(
        damage: String,
        hasState: Bool
    ) async throws {
        try await World.with { world in
            let broken = try await fight(seed: 1, in: world)
            try await change(damage, in: world)
            let abandoned = try #require(try await world.store.withShard(shard) { try await $0.abandon(broken.id) })
            #expect(abandoned.partyID == broken.partyID && (abandoned.adventure != nil) == hasState)
            #expect(try await world.store.party(broken.partyID)?.adventureID == nil)
            #expect(try await world.store.backlogStatistics().bossFights == 0)
            if hasState {
                let ended = try #require(try await world.store.adventure(broken.id))
                #expect(ended.adventure.outcome == .endedByOperator && ended.endedAt == abandoned.adventure?.endedAt)
                // Its events cannot be derived.
                #expect(try await world.store.events(of: broken.id, after: 0, limit: 9).isEmpty)
                #expect(try await world.store.replay(broken.id)?.events == 0)
            } else {
                #expect(await reason(world, broken.id) == "it ended without a state")
            }
            #expect(try await world.store.withShard(shard) { try await $0.abandon(broken.id) } == nil)
            world.clock.advance(by: .seconds(20_000))
            #expect(try await world.store.moveClock(of: shard)?.closed.isEmpty == true)
        }
    }

    @Test func `an outage that cannot be decoded concerns the adventures that it stopped`() async throws {
        try await World.with { world in
            let stopped = try await storedAdventure(.journey, in: world.store, shard: shard)
            world.clock.advance(by: .seconds(5))
            _ = try await world.store.moveClock(of: shard)
            try await change(
                "INSERT INTO log SELECT 7, 99, clock, 'outage', NULL, 'long', NULL FROM shards WHERE shard = 7",
                in: world
            )
            world.clock.advance(by: .seconds(5))
            let later = try await storedAdventure(.journey, in: world.store, shard: shard, seed: 2)
            #expect(try #require(await reason(world, stopped.id)).contains("'long' is no duration of an outage"))
            #expect(try await world.store.adventure(later.id)?.id == later.id)
        }
    }
}
