import Encodings
import GameCore
import GameEngine
import GameLog
import GameTestSupport
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import GameStore

/// Raids of parties in several shards, whose engines write rounds and whose home adds them up.
@Suite struct RaidTests {
    @Test func `parties of several shards defeat the boss, and every blow counts once`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 160)
            var fights = try await world.join(raid.id, parties: 3)
            try #require(Set(fights.map(\.id.shard)).count == 3)
            try await world.play(raids: 20)
            // A party that comes late, whose shard adds to later rounds only.
            fights += try await world.join(raid.id, parties: 1)
            let decided = try await world.playToEnd(of: raid.id)
            #expect(decided.state == .defeated && decided.dealt == 160 && decided.healthLeft == 0)

            // As the timelines say, played from openings and inputs by a node that knows nothing else.
            let blows = try await world.blows(of: fights)
            var left = 160
            var counted: [RaidBlow] = []
            for blow in blows where left > 0 {
                counted.append(blow)
                left -= blow.damage
            }
            let last = try #require(counted.last)
            let finishing = try #require(decided.finishingBlow)
            #expect(finishing.adventureID == last.adventureID && finishing.sequence == last.sequence)
            #expect(finishing.at == last.at && finishing.damage == last.damage + left && decided.endedAt == last.at)
            let history = try await world.store.raidHistory(of: raid.id, after: -1, limit: 10_000)
            #expect(history.map(\.round) == Array(0..<decided.round))
            for entry in history.dropLast() {
                let sum = counted.filter { raid.schedule.round(at: $0.at) == entry.round }.reduce(0) { $0 + $1.damage }
                #expect(entry.damage == sum, "round \(entry.round)")
            }
            #expect(history.reduce(0) { $0 + $1.damage } == 160 && history.last?.healthLeft == 0)
            try await world.expectEnds(of: fights, in: decided, as: .bossDefeated)

            let awarded = try await world.commands.giveAwards(limit: 100)
            #expect(try await world.commands.giveAwards(limit: 100) == 0 && awarded == fights.count)
            let player = try #require(try await world.store.player(fights[0].adventure.heroes[0].playerID))
            #expect(player.progress.bossesDefeated == 1)
        }
    }

    @Test func `a raid that runs out ends for all in its last round, also if nodes die and others go on`() async throws
    {
        try await World.with { world in
            let other = GameStore(pool: world.pool, clock: .manual { world.clock.now }, logger: world.logs.logger)
            let raid = try await world.startRaid(health: 1_000_000, duration: .seconds(50))
            let fights = try await world.join(raid.id, parties: 2)
            for round in 0..<60 {
                // Two nodes take turns of some rounds; the one that goes on knows an older state, or nothing.
                try await world.play(raids: 1, with: round / 7 % 2 == 0 ? world.store : other)
            }
            let ended = try #require(try await world.store.raid(raid.id))
            #expect(ended.state == .escaped && ended.endedAt == raid.endsAt && ended.round == 50 && ended.dealt > 0)
            try await world.expectEnds(of: fights, in: ended, as: .expired)
            let party = try await world.party(of: [world.player("Cleo")])
            await #expect(throws: CommandError.raidOver) { try await world.join(raid.id, party) }
        }
    }

    @Test func `a raid waits for a shard that is held up, names it, and goes on`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 1_000_000)
            let fights = try await world.join(raid.id, parties: 2)
            try await world.play(raids: 5)
            let before = try #require(try await world.store.raid(raid.id))
            #expect(before.round == 5 && before.waitingFor.isEmpty)
            let shard = fights[1].id.shard
            try await world.pool.withTransaction { connection in
                let lock = Statement("test.lock", "SELECT shard FROM shards WHERE shard = $1 FOR UPDATE")
                _ = try await connection.query(PostgresQuery(lock, Int16(shard.rawValue)))
                try await world.play(raids: 5)
                let waiting = try #require(try await world.store.raid(raid.id))
                #expect(waiting.round == 5 && waiting.waitingFor == [shard])
            }
            try await world.play(raids: 1)
            let after = try #require(try await world.store.raid(raid.id))
            #expect(after.round == 11 && after.waitingFor.isEmpty)
        }
    }

    @Test func `a raid names the shards whose blows it needs to find the finishing one`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 2)
            let fights = try await world.join(raid.id, parties: 2)
            try await world.play(raids: 15)
            // The engines write the round in which both parties strike, without its blows, and stop.
            world.clock.advance(by: .seconds(1))
            _ = try await world.engine().runPollCycle()
            let worker = RaidWorker(
                store: world.store,
                runtime: world.runtime,
                wakeSignal: WakeSignal(),
                logger: world.logs.logger
            )
            for (seconds, isWaiting) in [(0, false), (2, true)] {
                world.clock.advance(by: .seconds(seconds))
                await worker.runCycle()
                let read = try #require(try await world.store.raid(raid.id))
                #expect(read.round == 15 && read.endedAt == nil)
                #expect(read.waitingFor == (isWaiting ? fights.map(\.id.shard).sorted() : []))
            }
            try await world.play(raids: 3)
            let decided = try #require(try await world.store.raid(raid.id))
            #expect(decided.state == .defeated && decided.waitingFor.isEmpty)
        }
    }

    @Test func `a boss that falls before shards list their blows has one finishing blow`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 2)
            let fights = try await world.join(raid.id, parties: 2)
            let decided = try await world.playToEnd(of: raid.id)
            let first = try #require(try await world.blows(of: fights).first)
            let finishing = try #require(decided.finishingBlow)
            #expect(finishing.adventureID == first.adventureID && finishing.sequence == first.sequence)
            #expect(decided.state == .defeated && finishing.damage == 2 && decided.biggestBlow == finishing)
            try await world.expectEnds(of: fights, in: decided, as: .bossDefeated)
        }
    }

    @Test func `a fight that ended before the last round was added up counts up to the finishing blow`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 2)
            let fights = try await world.join(raid.id, parties: 2)
            // Both parties strike in the sixteenth second, the second one after the finishing blow.
            try await world.play(raids: 15)
            world.clock.advance(by: .milliseconds(500))
            let second = try #require(fights.max { $0.id.shard < $1.id.shard })
            _ = try await world.commands.end(second.id, by: .test)
            #expect(try await world.blows(of: [second]).map(\.damage) == [12])
            world.clock.advance(by: .milliseconds(500))
            while try await world.store.raid(raid.id)?.endedAt == nil { try await world.play(raids: 1) }
            // A node that has followed none of the fights writes the last standings.
            let other = GameStore(pool: world.pool, clock: .manual { world.clock.now }, logger: world.logs.logger)
            try await world.play(raids: 3, with: other)
            let decided = try #require(try await world.store.raid(raid.id))
            #expect(decided.state == .defeated && decided.dealt == 2)
            let ranking = try await world.store.raidRanking(of: raid.id)
            #expect(ranking.map(\.damage).filter { $0 > 0 } == [2])
        }
    }

    @Test func `fights that are read together have the same decisions as each one`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 1_000_000)
            var fights = try await world.join(raid.id, parties: 1)
            try await world.play(raids: 40)
            _ = try await world.commands.end(fights[0].id, by: .test)
            // Another fight of the shard, which begins with later decisions.
            let party = try await world.party(fights[0].partyID)
            fights.append(try await world.join(raid.id, party))
            try await world.play(raids: 40)
            let shard = party.id.shard
            let together = try await world.store.adventures(fights.map(\.id), of: shard).map { try $0.get() }
            #expect(together.map(\.id) == fights.map(\.id).sorted())
            for fight in together {
                let alone = try #require(try await world.store.adventure(fight.id))
                #expect(fight.adventure == alone.adventure && fight.digest == alone.digest)
                #expect(try #require(fight.adventure.raid).decision > 0)
            }
        }
    }

    @Test func `the standings of a raid are read every few seconds for all readers`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 1_000_000)
            let fights = try await world.join(raid.id, parties: 3)
            try #require(Set(fights.map(\.id.shard)).count == 3)
            try await world.play(raids: 70)
            let party = fights[0].partyID
            let ranking = try await world.store.raidRanking(of: raid.id)
            let place = try #require(try await world.store.raidPlace(of: party, in: raid.id))
            #expect(ranking.count == 3 && place.of == 3)
            // The shards of the others write new standings.
            let change = Statement("test.standings", "UPDATE raid_standings SET dealt = '{1000000}' WHERE shard <> $1")
            _ = try await world.pool.query(PostgresQuery(change, Int16(party.shard.rawValue)))
            #expect(try await world.store.raidRanking(of: raid.id) == ranking)
            #expect(try await world.store.raidPlace(of: party, in: raid.id) == place)
            var later = world.store
            later.standings = ReadCache(maxAge: .zero)
            #expect(try await later.raidRanking(of: raid.id).map(\.place) == [1, 1, 3])
            let next = RaidPlace(place: 3, of: 3, damage: place.damage)
            #expect(try await later.raidPlace(of: party, in: raid.id) == next)
        }
    }

    @Test func `decisions are kept for as long as the fights that took them`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 1_000_000)
            let fight = try await world.join(raid.id, parties: 1)[0]
            try await world.play(raids: 70)
            _ = try await world.commands.stopRaid(raid.id, by: .test)
            try await world.play(raids: 2)
            let ended = try #require(try await world.store.adventure(fight.id))
            #expect(try #require(ended.adventure.raid).decision > 1)
            // The decisions are older than the limit, and the end of the fight is not.
            let age = RetentionSettings.minAge
            world.clock.advance(by: age - .seconds(10))
            let settings = RetentionSettings(ended: age, outlines: age)
            let worker = RetentionWorker(store: world.store, settings: settings, logger: world.logs.logger)
            var code: InviteCode?
            try await worker.sweep(codesAfter: &code)
            let fresh = GameStore(pool: world.pool, clock: .manual { world.clock.now }, logger: world.logs.logger)
            #expect(try await fresh.replay(fight.id)?.stored.endedAt == ended.endedAt)
        }
    }

    @Test func `the fights of a raid are forgotten some time after its end, unless engines still move their shard`() {
        let head = ShardHead(
            shard: Shard.all[7],
            head: 0,
            digest: LogDigest(),
            clock: Timestamp(epochSeconds: 1_790_000_000),
            stoppedFor: .zero,
            journeys: 0,
            bossFights: 0,
            requires: 1
        )
        let followers = RaidFollowers()
        followers.keep(RaidFollowers.Following(follower: RaidFollower(at: head)), of: head.shard)
        for _ in 0..<3 {
            for _ in 1..<RaidFollowers.maxIdleCalls { followers.forget(besides: []) }
            let following = followers.take(head.shard)
            #expect(following != nil)
            followers.keep(following, of: head.shard)
        }
        for _ in 0..<RaidFollowers.maxIdleCalls { followers.forget(besides: []) }
        #expect(followers.take(head.shard) == nil)
    }

    @Test func `a raid that waits for the lock of a shard holds up no other raid`() async throws {
        try await World.with { world in
            for _ in 0..<2 { _ = try await world.startRaid(health: 1_000_000) }
            // In the order in which a worker finds them.
            let raids = try await world.store.openRaids()
            let shard = Shard(rawValue: 9)
            _ = try await world.store.addMember(shard, to: raids[0].id)
            world.clock.advance(by: .seconds(2))
            let worker = RaidWorker(
                store: world.store,
                runtime: world.runtime,
                wakeSignal: WakeSignal(),
                logger: world.logs.logger
            )
            let failure = "a shard could not be reached for a raid"
            try await world.pool.withTransaction { connection in
                let lock = Statement("test.lock", "SELECT shard FROM shards WHERE shard = $1 FOR UPDATE")
                _ = try await connection.query(PostgresQuery(lock, Int16(shard.rawValue)))
                try await withThrowingTaskGroup { group in
                    group.addTask { _ = await worker.runCycle() }
                    try await eventually("the rounds of the other raid", within: .seconds(60)) {
                        try await world.store.raid(raids[1].id)?.round == 2
                    }
                    // The worker still waits for the lock.
                    #expect(world.logs.lines(failure).isEmpty)
                    try await group.waitForAll()
                }
            }
            #expect(world.logs.lines(failure).count == 1)
        }
    }

    @Test func `a shard whose first party did not come to its fight holds up no raid`() async throws {
        try await World.with { world in
            let raid = try await world.startRaid(health: 1_000_000)
            _ = try await world.store.addMember(Shard(rawValue: 9), to: raid.id)
            try await world.play(raids: 3)
            let after = try #require(try await world.store.raid(raid.id))
            #expect(after.round == 3 && after.waitingFor.isEmpty)
        }
    }

    @Test func `a party joins a raid that runs, and an operator stops it`() async throws {
        try await World.with { world in
            let party = try await world.party(of: [world.player("Ada")])
            var generator = SeededGenerator(seed: 3)
            let unknown = RaidID(at: world.clock.now, using: &generator)
            await #expect(throws: CommandError.raidNotFound) { try await world.join(unknown, party) }
            let raid = try await world.startRaid(health: 500, startsAt: world.clock.now + .seconds(60))
            #expect(raid.state == .scheduled)
            await #expect(throws: CommandError.raidNotStarted) { try await world.join(raid.id, party) }
            try await world.play(raids: 61)
            let fight = try await world.join(raid.id, party)
            await #expect(throws: CommandError.party(.adventureRunning)) { try await world.join(raid.id, party) }

            let stopped = try await world.commands.stopRaid(raid.id, by: .test)
            #expect(stopped.state == .stopped && stopped.endedAt == world.clock.now)
            await #expect(throws: CommandError.raidOver) {
                _ = try await world.commands.stopRaid(raid.id, by: .test)
            }
            try await world.play(raids: 2)
            let read = try #require(try await world.store.raid(raid.id))
            try await world.expectEnds(of: [fight], in: read, as: .endedByOperator)
            #expect(try await world.store.openRaids().isEmpty)
            #expect(try await world.store.raids(includingEnded: false, limit: 10).isEmpty)
            #expect(try await world.store.raids(includingEnded: true, limit: 10).map(\.id) == [raid.id])

            // After a month its rounds are removed, after a year all of it.
            let worker = RetentionWorker(store: world.store, logger: world.logs.logger)
            var code: InviteCode?
            #expect(try await !world.store.raidHistory(of: raid.id, after: -1, limit: 1).isEmpty)
            world.clock.advance(by: RetentionSettings.defaultAge + .seconds(60))
            try await worker.sweep(codesAfter: &code)
            #expect(try await world.store.raidHistory(of: raid.id, after: -1, limit: 1).isEmpty)
            #expect(try await world.store.raid(raid.id) != nil)
            world.clock.advance(by: RetentionSettings.defaultOutlineAge)
            try await worker.sweep(codesAfter: &code)
            #expect(try await world.store.raid(raid.id) == nil)
            let rows = Statement(
                "test.left",
                """
                SELECT (SELECT count(*) FROM raid_decisions) + (SELECT count(*) FROM raid_members)
                    + (SELECT count(*) FROM raid_shards) + (SELECT count(*) FROM raid_standings)
                    + (SELECT count(*) FROM log WHERE kind = 'raid')
                """
            )
            #expect(try await world.pool.query(PostgresQuery(rows))[0].decode(Int64.self) == 0)
        }
    }
}

extension World {
    fileprivate func startRaid(
        health: Int,
        startsAt: Timestamp? = nil,
        duration: Duration = .seconds(3_600)
    ) async throws -> Raid {
        let plan = RaidPlan(
            boss: BossCatalogue.all[0].id,
            health: health,
            startsAt: startsAt,
            duration: duration,
            regions: RegionCatalogue.all.map(\.id)
        )
        return try await commands.startRaid(plan, by: .test, dryRun: false)
    }

    /// Lets a new party join a raid.
    @discardableResult
    fileprivate func join(_ raid: RaidID, _ party: Party) async throws -> StoredAdventure {
        _ = try await commands.joinRaid(raid, with: party.id, by: party.leaderID, request: nil) { _ in
            EncodedResponse(status: 201, body: "")
        }
        return try await adventure(of: party.id)
    }

    /// Lets new parties of one hero each join a raid.
    fileprivate func join(_ raid: RaidID, parties count: Int) async throws -> [StoredAdventure] {
        var fights: [StoredAdventure] = []
        for number in 0..<count {
            let player = try await player("Hero \(number)", hero: "spouty")
            fights.append(try await join(raid, try await party(of: [player])))
        }
        return fights
    }

    /// Lets seconds pass, each with a cycle of an engine and two workers at once.
    fileprivate func play(raids seconds: Int, with store: GameStore? = nil) async throws {
        let store = store ?? self.store
        let engine = GameEngine(store: store, runtime: runtime, wakeSignal: WakeSignal(), logger: logs.logger)
        let workers = (0..<2).map { _ in
            RaidWorker(store: store, runtime: runtime, wakeSignal: WakeSignal(), logger: logs.logger)
        }
        for _ in 0..<seconds {
            clock.advance(by: .seconds(1))
            _ = try await engine.runPollCycle()
            await withTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { _ = await worker.runCycle() } }
            }
        }
    }

    /// Plays until a raid has ended, all members know it, and their engines have recorded it.
    fileprivate func playToEnd(of id: RaidID) async throws -> Raid {
        var seconds = 0
        while try await store.raid(id)?.endedAt == nil, seconds < 1_000 {
            try await play(raids: 1)
            seconds += 1
        }
        try await play(raids: 3)
        return try #require(try await store.raid(id))
    }

    /// Returns the blows of fights in the order of raids, as their events say.
    fileprivate func blows(of fights: [StoredAdventure]) async throws -> [RaidBlow] {
        var blows: [RaidBlow] = []
        for fight in fights {
            let countsFrom = try #require(fight.adventure.raid).countsFrom
            for event in try await store.events(of: fight.id, after: 0, limit: 100_000) {
                guard case .actionTaken(_, _, let damage) = event.event, damage > 0 else { continue }
                let moment = max(event.at, countsFrom)
                blows.append(
                    RaidBlow(at: moment, adventureID: fight.id, sequence: event.sequence, damage: damage)
                )
            }
        }
        return blows.sorted()
    }

    /// Expects that fights have ended with a raid: their damages are those of the raid and of the ranking, each decision is in
    /// each member's log once, their parties are free, and nothing of the rounds is left.
    fileprivate func expectEnds(
        of fights: [StoredAdventure],
        in raid: Raid,
        as outcome: AdventureOutcome,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let fresh = GameStore(pool: pool, clock: .manual { [clock] in clock.now })
        var damages: [PartyID: Int] = [:]
        for fight in fights {
            let ended = try #require(try await fresh.replay(fight.id), sourceLocation: location).stored
            #expect(ended.adventure.status == .ended(outcome), sourceLocation: location)
            damages[fight.partyID] = ended.countedDamage
            #expect(try await party(fight.partyID).adventureID == nil, sourceLocation: location)
        }
        #expect(damages.values.reduce(0, +) == raid.dealt, sourceLocation: location)
        let ranking = try await store.raidRanking(of: raid.id)
        #expect(ranking.count == damages.count, sourceLocation: location)
        for entry in ranking {
            #expect(damages[entry.partyID] == entry.damage, sourceLocation: location)
            let better = damages.values.count { $0 > entry.damage }
            let place = try await store.raidPlace(of: entry.partyID, in: raid.id)
            #expect(
                place == RaidPlace(place: better + 1, of: damages.count, damage: entry.damage),
                sourceLocation: location
            )
            #expect(entry.place == better + 1, sourceLocation: location)
        }
        let newest = try #require(raid.decision, sourceLocation: location).number
        for fight in fights {
            let entries = try await store.log(of: fight.id.shard, after: 0, limit: 100_000)
            let numbers = entries.compactMap { entry in
                if case .raid(raid.id, let decision) = entry.content { decision.number } else { nil }
            }
            let first = try #require(fight.adventure.raid, sourceLocation: location).decision + 1
            #expect(numbers == Array(first...newest), sourceLocation: location)
        }
        let rows = Statement("test.rows", "SELECT count(*) FROM raid_rounds")
        #expect(try await pool.query(PostgresQuery(rows))[0].decode(Int64.self) == 0, sourceLocation: location)
    }
}
