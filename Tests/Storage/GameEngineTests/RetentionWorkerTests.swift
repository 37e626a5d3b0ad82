import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import Logging
import PostgresClient
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@Suite struct RetentionWorkerTests {
    private static let day = Duration.seconds(24 * 60 * 60)

    @Test func `idempotency records are removed in batches after 24 hours, and no others`() async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let party = try await world.party(of: [ada])
            func ask(_ key: String) async throws {
                let request = IdempotentRequest(key: key, hash: Array(repeating: 7, count: 32))
                _ = try await world.commands.renewInviteCode(of: party.id, by: ada, request: request) { _ in
                    EncodedResponse(status: 200, body: key)
                }
            }
            for number in 0..<7 { try await ask("early-\(number)") }
            world.clock.advance(by: .seconds(1))
            for number in 0..<3 { try await ask("late-\(number)") }
            let retentionWorker = world.retentionWorker()
            func sweep(batch: Int = 500) async throws -> Int {
                try await self.sweep(retentionWorker, batch, in: world)["idempotencyRecord"] ?? 0
            }
            world.clock.advance(by: Self.day - .seconds(2))
            #expect(try await sweep() == 0)
            world.clock.advance(by: .milliseconds(1_001))
            let shard = party.id.shard
            let expiry = world.runtime.now() - Self.day
            #expect(try await world.store.removeIdempotencyRecords(createdUntil: expiry, in: shard, limit: 2) == 2)
            #expect(try await sweep(batch: 3) == 5)
            #expect(try await sweep(batch: 3) == 0)
            let left = try await world.pool.query(
                PostgresQuery(Statement("test.keys", "SELECT key FROM idempotency_keys ORDER BY key"))
            )
            #expect(try left.map { try $0.decode(String.self) } == ["late-0", "late-1", "late-2"])
        }
    }

    @Test func `a client that writes without end keeps the newest of its idempotency records`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            // One a second until now, which is as many again as a player keeps.
            let insert = Statement(
                "test.records",
                """
                INSERT INTO idempotency_keys (shard, player_id, key, request_hash, status, body, created_at)
                SELECT $1, $2, n::text, '', 204, '', $3::timestamptz - n * interval '1 second' FROM generate_series(1, $4) AS n
                """
            )
            for (player, count) in [(ada, 2 * GameCommands.maxIdempotencyRecords), (ben, 40)] {
                let shard = Int16(player.shard.rawValue)
                let now = PostgresTimestamp(microseconds: world.clock.now.microseconds)
                _ = try await world.pool.query(PostgresQuery(insert, shard, player, now, Int32(count)))
            }
            #expect(try await sweep(world.retentionWorker(), in: world)["idempotencyRecord"] == 3_600)
            let left = Statement(
                "test.left",
                "SELECT count(*), max(key::integer) FROM idempotency_keys WHERE player_id = $1"
            )
            for (player, count) in [(ada, 3_600), (ben, 40)] {
                let row = try await world.pool.query(PostgresQuery(left, player))[0].decode(Int64.self, Int32.self)
                #expect(row.0 == count && row.1 == count)
            }
            #expect(try await sweep(world.retentionWorker(), in: world).isEmpty)
        }
    }

    /// Runs one sweep and returns the numbers of rows that it removed, by kind.
    private func sweep(
        _ retentionWorker: RetentionWorker,
        _ batch: Int = 500,
        in world: World
    ) async throws -> [String: Int] {
        func counts() async -> [String: Int] {
            let series = await world.registry.text().matches(
                of: /rangers_retention_removed_total\{kind="([a-zA-Z]+)"\} ([0-9]+)/
            )
            return Dictionary(uniqueKeysWithValues: series.map { (String($0.output.1), Int($0.output.2) ?? 0) })
        }
        let before = await counts()
        var code: InviteCode?
        try await retentionWorker.sweep(batch: batch, codesAfter: &code)
        return await counts().reduce(into: [:]) { result, entry in
            let removed = entry.value - (before[entry.key] ?? 0)
            if removed > 0 { result[entry.key] = removed }
        }
    }

    private func count(_ table: String, in world: World) async throws -> Int64 {
        let query = PostgresQuery(Statement("test.count.\(table)", "SELECT count(*) FROM \(table)"))
        return try await world.pool.query(query)[0].decode(Int64.self)
    }

    /// Moves all checkpoints to the heads of the logs.
    private func acknowledgeAll(_ world: World) async throws {
        let sql = "UPDATE leases AS l SET checkpoint = s.head FROM shards AS s WHERE s.shard = l.shard"
        _ = try await world.pool.query(PostgresQuery(Statement("test.acknowledge", sql)))
    }

    @Test func `a device that no app has registered for a year is removed`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            try await world.commands.device(of: ada, pushToStartToken: [1])
            let used = try await world.commands.device(of: ben, pushToStartToken: [2])
            world.clock.advance(by: RetentionSettings.deviceAge - Self.day)
            // Nothing has changed, and the device is in use.
            try await world.commands.device(of: ben, pushToStartToken: [2])
            world.clock.advance(by: Self.day + .seconds(1))
            #expect(try await sweep(world.retentionWorker(), in: world)["device"] == 1)
            #expect(try await world.store.startableDevices(of: [ada, ben]).map(\.id) == [used])
        }
    }

    @Test func `an adventure that ended long ago loses its details, and no other does`() async throws {
        try await World.with { world in
            let parties = [
                try await world.party(of: [try await world.player("Ada")]),
                try await world.party(of: [try await world.player("Ben")]),
            ]
            var ended: [StoredAdventure] = []
            for party in parties {
                let journey = try await world.startJourney(party)
                ended.append(try await world.commands.end(journey.id, by: .test))
                world.clock.advance(by: .seconds(60))
            }
            _ = try await world.startJourney(parties[1])
            let retentionWorker = world.retentionWorker()
            world.clock.advance(by: RetentionSettings.defaultAge - .seconds(90))
            // A dispatcher that reads on from its checkpoint misses no entry.
            #expect(try await sweep(retentionWorker, in: world) == ["adventure": 1])
            let head = try await world.store.heads(of: [ended[0].id.shard])[0]
            let log = try await world.store.log(of: head.shard, after: 0, limit: 100)
            #expect(Int64(log.count) == head.head && log.last?.digest == head.digest)
            try await acknowledgeAll(world)
            // The start and the end, and not the input.
            #expect(try await sweep(retentionWorker, 1, in: world) == ["entry": 2])
            #expect(try await sweep(retentionWorker, in: world).isEmpty)

            let old = try #require(try await world.store.adventure(ended[0].id))
            #expect(old.adventure == ended[0].adventure && old.endedAt == ended[0].endedAt)
            let replay = try #require(try await world.store.replay(old.id))
            #expect(replay.stored.adventure == old.adventure && replay.events == old.adventure.sequence)
            #expect(try await world.store.events(of: old.id, after: 0, limit: 100).count == replay.events)
            #expect(try await world.removedDetails() == [old.id])
        }
    }

    @Test func `nothing is removed that only a newer version knows`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [try await world.player("Ada")])
            let journey = try await world.startJourney(party)
            _ = try await world.commands.end(journey.id, by: .test)
            let shard = journey.id.shard
            func change(_ sql: String) async throws {
                let statement = Statement("test.\(sql.hashValue)", sql)
                _ = try await world.pool.query(PostgresQuery(statement, Int16(shard.rawValue)))
            }
            try await change("UPDATE log SET kind = 'raidRound' WHERE shard = $1 AND kind = 'started'")
            try await change("UPDATE shards SET requires = 99 WHERE shard = $1")
            try await acknowledgeAll(world)
            world.clock.advance(by: RetentionSettings.defaultAge + .seconds(1))
            let worker = world.retentionWorker()
            let before = try await count("log", in: world)
            #expect(try await sweep(worker, in: world).isEmpty)
            // An entry of an unknown kind may be an input.
            try await change("UPDATE shards SET requires = 1 WHERE shard = $1")
            #expect(try await sweep(worker, in: world)["entry"] == 1)
            #expect(try await count("log", in: world) == before - 1)
        }
    }

    @Test func `the walk along the log ends at the first entry that is too recent`() async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let journey = try await world.startJourney(try await world.party(of: [ada]))
            for _ in 0..<3 { _ = try await world.register(on: journey.id, of: ada) }
            _ = try await world.commands.end(journey.id, by: .test)
            try await acknowledgeAll(world)
            let shard = journey.id.shard
            let log = try await world.store.log(of: shard, after: 0, limit: 1_000)
            try #require(log.count == 6)
            let sql = "UPDATE activities SET state = 'ended'"
            _ = try await world.pool.query(PostgresQuery(Statement("test.endAll", sql)))
            world.clock.advance(by: RetentionSettings.defaultAge + .seconds(1))
            let moment = world.runtime.now() - RetentionSettings.defaultAge
            _ = try await world.store.removeDetails(
                ofAdventuresEndedBefore: moment,
                in: shard,
                limit: 10,
                at: world.runtime.now()
            )
            func walk(limit: Int) async throws -> [Int64?] {
                let step = try await world.store.removeEntries(
                    of: shard,
                    after: 0,
                    recordedBefore: moment,
                    limit: limit
                )
                return [Int64(step.removed), step.next]
            }
            let age = "UPDATE log SET at = at + $2 * interval '1 second' WHERE position = $1"
            func shift(_ entry: LogEntry, by seconds: Int64) async throws {
                _ = try await world.pool.query(PostgresQuery(Statement("test.age", age), entry.position, seconds))
            }
            let month = RetentionSettings.defaultAge.components.seconds
            try await shift(log[2], by: month)
            #expect(try await walk(limit: 1) == [1, log[0].position])
            #expect(try await walk(limit: 10) == [1, nil])
            #expect(try await walk(limit: 10) == [0, nil])
            try await shift(log[2], by: -month)
            // The input stays.
            #expect(try await walk(limit: 1_000) == [Int64(log.count - 3), nil])
        }
    }

    @Test func `an adventure keeps its details as long as a device may show its activity`() async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let journey = try await world.startJourney(try await world.party(of: [ada]))
            _ = try await world.commands.end(journey.id, by: .test)
            // A device that opens the game long after its end.
            world.clock.advance(by: RetentionSettings.minAge - .seconds(60))
            _ = try await world.register(on: journey.id, of: ada)
            try await acknowledgeAll(world)
            let retentionWorker = world.retentionWorker(keeping: RetentionSettings.minAge)
            world.clock.advance(by: RetentionSettings.activityLifetime)
            #expect(try await sweep(retentionWorker, in: world).isEmpty)
            // Its end was never sent, as in an environment without a dispatcher.
            world.clock.advance(by: .seconds(1))
            let removed = try await sweep(retentionWorker, in: world)
            #expect(removed["activity"] == 1 && removed["adventure"] == 1 && (removed["entry"] ?? 0) > 1)
            #expect(try await count("activities", in: world) == 0)
        }
    }

    @Test func `a disbanded party keeps its identifier, and unused codes are removed`() async throws {
        try await World.with { world in
            let (gone, kept) = (
                try await world.party(of: [try await world.player("Ada")]),
                try await world.party(of: [try await world.player("Ben")])
            )
            let journey = try await world.startJourney(gone)
            try await world.commands.disband(gone.id, by: .test)
            _ = try await world.commands.renewInviteCode(of: kept.id, by: kept.leaderID, request: nil) { _ in
                EncodedResponse(status: 200, body: "")
            }
            try await acknowledgeAll(world)
            #expect(try await sweep(world.retentionWorker(), in: world).isEmpty)
            world.clock.advance(by: .seconds(3_601))
            // The replaced code, and the code of the disbanded party.
            #expect(try await sweep(world.retentionWorker(), 1, in: world) == ["inviteCode": 2])
            let code = try #require(try await world.store.party(kept.id)).inviteCode
            #expect(try await world.store.partyID(of: code) == kept.id)
            #expect(try await count("invite_codes", in: world) == 1)

            world.clock.advance(by: RetentionSettings.defaultAge)
            let removed = try await sweep(world.retentionWorker(), in: world)
            #expect(removed["party"] == 1 && removed["adventure"] == 1)
            #expect(try await count("player_parties", in: world) == 1)
            let named = try await world.pool.query(
                PostgresQuery(Statement("test.named", "SELECT party_id FROM parties WHERE name <> ''"))
            )
            #expect(try named.map { try $0.decode(PartyID.self) } == [kept.id])
            #expect(try await world.store.adventure(journey.id) != nil)
            #expect(try await sweep(world.retentionWorker(), in: world).isEmpty)
        }
    }

    @Test func `outlines and parties that were left are removed after a year, and quotas after a day`() async throws {
        var options = World.Options()
        options.quotas = Quotas(parties: 10)
        try await World.with(options) { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let (gone, kept) = (try await world.party(of: [ada]), try await world.party(of: [ben, ada]))
            let old = [try await world.startJourney(gone).id, try await world.startJourney(kept).id]
            try await world.commands.disband(gone.id, by: .test)
            _ = try await world.commands.end(old[1], by: .test)
            _ = try await world.commands.removeMember(ada, of: kept.id, by: ada, request: nil)
            try await acknowledgeAll(world)
            #expect(try await count("quotas", in: world) == 2)

            world.clock.advance(by: RetentionSettings.defaultOutlineAge - Self.day)
            _ = try await sweep(world.retentionWorker(), in: world)
            #expect(try await count("quotas", in: world) == 0)
            #expect(try await count("adventures", in: world) == 2)
            #expect(try await count("parties", in: world) == 2)
            #expect(try await count("player_parties", in: world) == 2)
            let young = try await world.startJourney(kept)

            world.clock.advance(by: Self.day + .seconds(1))
            try await acknowledgeAll(world)
            let removed = try await sweep(world.retentionWorker(), in: world)
            #expect(removed["adventureOutline"] == 2 && removed["partyOutline"] == 1)
            for id in old { #expect(try await world.store.adventure(id) == nil) }
            #expect(try await world.store.adventure(young.id) != nil)
            #expect(try await count("parties", in: world) == 1)
            let inputs = try await world.pool.query(
                PostgresQuery(Statement("test.inputs", "SELECT adventure_id FROM log WHERE kind <> 'outage'"))
            )
            #expect(Set(try inputs.map { try $0.decode(AdventureID.self) }).isSubset(of: [young.id]))

            world.clock.advance(by: Self.day)
            #expect(try await sweep(world.retentionWorker(), in: world)["leftParty"] == 1)
            #expect(try await count("player_parties", in: world) == 1)
        }
    }
}

extension World {
    /// Returns the adventures whose details retention has removed.
    func removedDetails() async throws -> Set<AdventureID> {
        let sql = "SELECT adventure_id FROM adventures WHERE details_removed_at IS NOT NULL"
        return Set(
            try await pool.query(PostgresQuery(Statement("test.removed", sql))).map { try $0.decode(AdventureID.self) }
        )
    }

    /// Registers an activity of a player.
    fileprivate func register(on adventure: AdventureID, of player: PlayerID) async throws -> EncodedResponse {
        var generator = runtime.generator()
        let registration = ActivityRegistration(
            id: ActivityID(at: runtime.now(), using: &generator),
            deviceID: try await commands.device(of: player),
            // A token belongs to one activity.
            pushToken: (0..<8).map { _ in UInt8(truncatingIfNeeded: runtime.randomBits()) },
            environment: .simulator,
            frequentPushesEnabled: true,
            locale: nil
        )
        return try await commands.register(registration, for: adventure, by: player, request: nil) { _, _ in
            EncodedResponse(status: 201, body: "")
        }
    }

    fileprivate func retentionWorker(keeping age: Duration = RetentionSettings.defaultAge) -> RetentionWorker {
        RetentionWorker(
            store: store,
            settings: RetentionSettings(ended: age),
            metrics: retentionMetrics,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }
}
