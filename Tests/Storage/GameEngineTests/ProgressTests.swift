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

/// The progress of players, their histories and the leaderboards.
@Suite struct ProgressTests {
    private static let season = LeaderboardEdition(board: .experience, period: .season, containing: TestClock.start)

    /// Ends a party's journey, and returns the experience that each player gained.
    private func play(_ party: Party, in world: World) async throws -> [PlayerID: Int] {
        let opening = try await world.startJourney(party)
        let before = Dictionary(
            uniqueKeysWithValues: opening.adventure.heroes.map { ($0.playerID, $0.experience) }
        )
        world.clock.advance(by: .seconds(3_600))
        _ = try await world.engine().runPollCycle()
        let ended = try #require(try await world.store.adventure(opening.id))
        return Dictionary(
            uniqueKeysWithValues: ended.adventure.heroes.map {
                ($0.playerID, $0.experience - before[$0.playerID, default: 0])
            }
        )
    }

    private func experience(of player: PlayerID, in world: World) async throws -> Int {
        try #require(try await world.store.player(player)).progress.experience
    }

    /// Returns an award of a fight of the given experience.
    private func award(_ experience: Int, to player: PlayerID, _ world: World) -> Award {
        var generator = SeededGenerator(seed: world.runtime.randomBits())
        let party = PartyID(at: world.clock.now, using: &generator)
        return Award(
            adventureID: AdventureID(at: world.clock.now, in: party.shard, using: &generator),
            playerID: player,
            partyID: party,
            kind: .bossFight,
            scene: "glitch",
            outcome: .bossDefeated,
            hero: "spouty",
            experience: experience,
            reachedExperience: experience,
            bosses: 1,
            startedAt: world.clock.now,
            endedAt: world.clock.now
        )
    }

    @Test func `experience belongs to the player, whatever party it was gained in`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let (first, second) = (try await world.party(of: [ada, ben]), try await world.party(of: [ada]))
            let gained = try await play(first, in: world)
            let version = try #require(try await world.store.player(ada)).version
            #expect(try await world.commands.giveAwards(limit: 1) == 2)
            let total = try #require(gained[ada])
            #expect(total > 0)
            #expect(try await experience(of: ada, in: world) == total)
            #expect(try await experience(of: ben, in: world) == gained[ben])
            #expect(try #require(try await world.store.player(ada)).version == version + 1)

            // The other party has it as well, and so has a party that the player joins.
            #expect(try await world.party(second.id).member(ada)?.experience == total)
            let third = try await world.party(of: [ben])
            _ = try await world.join(third, ada)
            #expect(try await world.party(third.id).member(ada)?.experience == total)
            let more = try #require(try await play(second, in: world)[ada])
            #expect(try await world.commands.giveAwards(limit: 100) == 1)
            let sum = total + more
            #expect(try await experience(of: ada, in: world) == sum)
            for party in [first, second, third] {
                #expect(try await world.party(party.id).member(ada)?.experience == sum)
            }
            let history = try await world.store.history(of: ada, after: nil, limit: 10)
            #expect(history.map(\.experience) == [more, total] && history.allSatisfy { $0.kind == .journey })
            let page = try await world.store.history(of: ada, after: history[0].adventureID, limit: 10)
            #expect(page == [history[1]])
            #expect(try await world.commands.giveAwards(limit: 100) == 0)
        }
    }

    @Test func `concurrent adventures add up, and so do those of players who have left`() async throws {
        try await World.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let parties = [try await world.party(of: [ada]), try await world.party(of: [ben, ada])]
            let openings = [try await world.startJourney(parties[0]), try await world.startJourney(parties[1])]
            world.clock.advance(by: .seconds(120))
            _ = try await world.commands.removeMember(ada, of: parties[1].id, by: ada, request: nil)
            world.clock.advance(by: .seconds(3_600))
            _ = try await world.engine().runPollCycle()
            var total = 0
            for opening in openings {
                let ended = try #require(try await world.store.adventure(opening.id))
                total += ended.adventure.heroes.first { $0.playerID == ada }?.experience ?? 0
            }
            #expect(try await world.commands.giveAwards(limit: 100) == 3)
            #expect(try await experience(of: ada, in: world) == total)
            #expect(try await world.party(parties[0].id).member(ada)?.experience == total)
        }
    }

    @Test func `the widgets of a former leader are reloaded, and of no others who are overtaken`() async throws {
        try await World.with { world in
            var players: [PlayerID] = []
            for (number, scores) in [[20, 10], [20], [10], [5]].enumerated() {
                let player = try await world.player("Player \(number)")
                players.append(player)
                try await world.commands.device(of: player, widgetToken: [UInt8(number)])
                let awards = scores.map { award($0, to: player, world) }
                _ = try await world.store.apply(awards, in: player.shard, at: world.clock.now)
            }
            let fight = award(50, to: players[3], world)
            for query in AwardStatements.insert([fight], in: fight.adventureID.shard) {
                _ = try await world.pool.query(query)
            }
            func due() async throws -> Set<PlayerID> {
                var due: Set<PlayerID> = []
                let now = world.clock.now
                for shard in Set(players.map(\.shard)) {
                    let claimed = try await world.store.claimWidgetPushes(
                        in: shard,
                        .simulator,
                        at: now,
                        next: now,
                        limit: 10
                    )
                    due.formUnion(claimed.map(\.playerID))
                }
                return due
            }
            #expect(try await due() == Set(players))
            #expect(try await world.commands.giveAwards(limit: 10) == 1)
            #expect(try await due() == [players[0], players[3]])
        }
    }

    @Test func `an award is applied once, although a node crashed before it was removed, or two apply it`() async throws
    {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let gained = try #require(try await play(try await world.party(of: [ada]), in: world)[ada])
            let awards = try await world.store.pendingAwards(after: nil, limit: 10)
            #expect(awards.map(\.playerID) == [ada])
            // A failover may have lost the end of the adventure since.
            let stale = try await world.store.apply(awards, in: ada.shard, at: world.clock.now) { false }
            #expect(stale == nil)
            #expect(try await experience(of: ada, in: world) == 0)
            try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { _ = try await world.store.apply(awards, in: ada.shard, at: world.clock.now) }
                }
                try await group.waitForAll()
            }
            #expect(try await world.commands.giveAwards(limit: 10) == 1)
            #expect(try await experience(of: ada, in: world) == gained)
            #expect(try await world.store.pendingAwards(after: nil, limit: 10).isEmpty)
            let page = try await world.store.leaderboard(Self.season, around: ada)
            #expect(page.top.map(\.score) == [gained] && page.around == page.top)
        }
    }

    @Test func `a leaderboard ranks the players of all shards, and forgets the erased`() async throws {
        try await World.with { world in
            var store = world.store
            store.histograms = ReadCache(maxAge: .seconds(3_600))
            var players: [PlayerID] = []
            for number in 0..<130 {
                let player = try await world.player("Player \(number)")
                players.append(player)
                // Two players share each score.
                let award = self.award(10 + number / 2, to: player, world)
                #expect(try await world.store.apply([award], in: player.shard, at: world.clock.now) == [])
            }
            let first = try await store.leaderboard(Self.season, around: nil)
            #expect(first.top.count == 100 && first.around.isEmpty)
            #expect(first.top.map(\.score) == (0..<100).map { 74 - $0 / 2 })
            #expect(first.top.map(\.rank) == (0..<100).map { 1 + $0 / 2 * 2 })
            #expect(Set(first.top.prefix(2).map(\.displayName)) == ["Player 129", "Player 128"])

            // Scores below 16 have exact ranks.
            let last = try await store.leaderboard(Self.season, around: players[4])
            let position = try #require(last.around.firstIndex { $0.playerID == players[4] })
            #expect(last.around[position].rank == 125 && last.around[position].score == 12)
            #expect(position == 5 && last.around.map(\.rank) == last.around.map(\.rank).sorted())
            #expect(last.around.map(\.score) == last.around.map(\.score).sorted(by: >))
            // A higher one moves the player from one bucket to another.
            let raise = self.award(100, to: players[4], world)
            _ = try await world.store.apply([raise], in: players[4].shard, at: world.clock.now)
            let raised = try await store.leaderboard(Self.season, around: players[4])
            #expect(raised.top[0].playerID == players[4] && raised.top[0].score == 112)
            #expect(try await store.leaderboard(Self.season, around: players[0]).around.last?.rank == 129)
            let bosses = LeaderboardEdition(board: .bosses, period: .week, containing: world.clock.now)
            #expect(try await store.leaderboard(bosses, around: players[4]).top[0].score == 2)

            try await world.commands.erase(players[4])
            let cached = try await store.leaderboard(Self.season, around: players[0])
            #expect(cached.top[0].score == 74 && cached.around.last?.rank == 129)
            store.histograms = ReadCache()
            let without = try await store.leaderboard(Self.season, around: players[0])
            #expect(without.top[0].score == 74 && without.around.last?.rank == 128)
            #expect(try await world.store.scores(of: players[4]).isEmpty)
            #expect(try await world.store.history(of: players[4], after: nil, limit: 10).isEmpty)
            // An award that comes after the erasure is dropped.
            let late = self.award(10, to: players[4], world)
            _ = try await world.store.apply([late], in: players[4].shard, at: world.clock.now)
            #expect(try await world.store.scores(of: players[4]).isEmpty)
        }
    }

    @Test func `scores are removed after their period, and histories with the outlines`() async throws {
        try await World.with { world in
            let ada = try await world.player("Ada")
            let award = self.award(50, to: ada, world)
            _ = try await world.store.apply([award], in: ada.shard, at: world.clock.now)
            #expect(try await world.store.scores(of: ada).count == 4)
            let worker = RetentionWorker(store: world.store, logger: world.logs.logger)
            func sweep(after days: Int64) async throws {
                world.clock.advance(by: .seconds(days * 86_400))
                var code: InviteCode?
                try await worker.sweep(codesAfter: &code)
            }
            try await sweep(after: 8)
            #expect(Set(try await world.store.scores(of: ada).map(\.edition.period)) == [.season])
            try await sweep(after: 90)
            #expect(try await world.store.scores(of: ada).isEmpty)
            let buckets = Statement("test.buckets", "SELECT count(*) FROM leaderboard_buckets")
            #expect(try await world.pool.query(PostgresQuery(buckets)).first?.decode(Int64.self) == 0)
            #expect(try await world.store.history(of: ada, after: nil, limit: 10) == [award])
            try await sweep(after: 300)
            #expect(try await world.store.history(of: ada, after: nil, limit: 10).isEmpty)
            #expect(try await experience(of: ada, in: world) == 50)
        }
    }
}
