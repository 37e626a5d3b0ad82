import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import ServiceRuntime
import Simulation
import Synchronization
import Testing

/// The same work against PostgreSQL and against its stand-in: what is seen must be the same.
@Suite struct ConformanceTests {
    @Test func `the database in memory does what PostgreSQL does`() async throws {
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(
            configuration: .patient(uri: uri, maximumConnections: 8),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let real = try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            let store = GameStore(pool: pool)
            _ = try await store.migrate()
            let seen = try await Work(on: store).done()
            group.cancelAll()
            return seen
        }
        let simulated = try await MemoryDatabase.use { store, runtime in
            try await Work(on: store, executor: runtime.executor).done()
        }
        #expect(simulated.count == real.count)
        for (simulated, real) in zip(simulated, real) { #expect(simulated == real) }
        #expect(real.count > 40)
    }
}

/// Everything that a simulated game asks of a store, with what was seen, line by line.
private final class Work: Sendable {
    private struct State {
        var moment = Timestamp(epochSeconds: 1_790_000_000)
        var bits: UInt64 = 1
        var seen: [String] = []
    }

    private let store: GameStore
    private let state = Mutex(State())
    private let settings = GameSettings(journeyTick: .seconds(10), bossTurn: .seconds(15))
    private let holder = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private let rival = UUID(uuid: (2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private let executor: (any TaskExecutor)?

    init(on store: GameStore, executor: (any TaskExecutor)? = nil) {
        self.store = store
        self.executor = executor
    }

    private var runtime: Runtime {
        Runtime(
            now: { self.state.withLock { $0.moment } },
            randomBits: {
                self.state.withLock { state in
                    state.bits = state.bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return state.bits
                }
            },
            executor: executor
        )
    }

    private var commands: GameCommands {
        GameCommands(store: store, settings: settings, runtime: runtime, wakeSignal: WakeSignal())
    }

    private var engine: GameEngine {
        GameEngine(
            store: store,
            settings: settings,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }

    private func pass(_ seconds: Int) { state.withLock { $0.moment = $0.moment + .seconds(seconds) } }

    private func see(_ what: String, _ value: some Any) { state.withLock { $0.seen.append("\(what): \(value)") } }

    private func see(_ what: String, _ work: () async throws -> some Any) async {
        do {
            see(what, try await work())
        } catch {
            see(what, "refused: \(error)")
        }
    }

    /// Does everything.
    func done() async throws -> [String] {
        let players = try await foundParty()
        guard let party = try await store.partyIDs(of: players[0]).first else { return [] }
        try await journey(of: party, players)
        try await fight(of: party, players)
        try await claims(of: party, players)
        return state.withLock { $0.seen }
    }

    // MARK: - Parties

    private func foundParty() async throws -> [PlayerID] {
        var players: [PlayerID] = []
        for index in 0..<4 {
            let hash = [UInt8](repeating: UInt8(index), count: 32)
            let player = try await commands.register(displayName: Name("Player"), hero: "spouty", tokenHash: hash)
            players.append(player.id)
        }
        let founding = RepeatableRequest(key: "found", hash: [1])
        let created = try await commands.createParty(
            named: Name("Party"),
            capacity: 3,
            founder: players[0],
            request: founding
        ) { Answer(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)") }
        see("created", created)
        let again = try await commands.createParty(
            named: Name("Party"),
            capacity: 3,
            founder: players[0],
            request: founding
        ) { Answer(status: 201, body: "\($0.id)") }
        see("created again", again)
        await see("another request with the key") {
            try await self.commands.createParty(
                named: Name("Party"),
                capacity: 3,
                founder: players[0],
                request: RepeatableRequest(key: "found", hash: [2])
            ) { _ in Answer(status: 201, body: "") }
        }
        let code = InviteCode(rawValue: String(created.body.suffix(8)))
        for player in players + [players[1]] {
            pass(1)
            await see("join") {
                try await self.commands.join(code: code, player: player, request: nil) {
                    Answer(status: 200, body: "\($0.members.map(\.playerID)) \($0.version)")
                }
            }
        }
        await see("unknown code") {
            try await self.commands.join(code: InviteCode(rawValue: "00000000"), player: players[0], request: nil) {
                _ in
                Answer(status: 200, body: "")
            }
        }
        see("memberships", try await store.partyIDs(of: players[0]))
        see("no memberships", try await store.partyIDs(of: PlayerID(rawValue: holder)))
        return players
    }

    // MARK: - Adventures

    private func journey(of party: PartyID, _ players: [PlayerID]) async throws {
        let shard = party.shard
        await see("a stranger's journey") {
            try await self.commands.startJourney(of: party, in: "meadow", by: players[3], request: nil) { _ in
                Answer(status: 201, body: "")
            }
        }
        let started = try await commands.startJourney(
            of: party,
            in: RegionCatalogue.all[0].id,
            by: players[0],
            request: RepeatableRequest(key: "journey", hash: [3])
        ) { Answer(status: 201, body: "\($0.id)") }
        guard let id = AdventureID(started.body) else { return }
        await activities(of: id, players)
        for _ in 0..<6 {
            pass(5)
            see("due", try await due())
            see("played", try await engine.playRound())
        }
        await see("potion") {
            try await self.commands.run(
                .potion(target: nil),
                in: id,
                by: players[0],
                request: RepeatableRequest(key: "potion", hash: [4])
            ) { Answer(status: 200, body: "\($0.map(\.sequence)) \($1.adventure.sequence)") }
        }
        await see("the engine skips what is locked") {
            try await self.store.withShard(shard, at: self.runtime.now()) { transaction in
                let head = transaction.head
                let skipped = try await self.store.withFreeShard(shard, at: self.runtime.now()) { $0.head }
                return "\(head) \(String(describing: skipped))"
            }
        }
        await see("what throws has not happened") {
            try await self.store.withShard(shard, at: self.runtime.now()) { transaction in
                guard let stored = try await transaction.adventure(id) else { return }
                transaction.release(ActivityID(rawValue: self.holder), in: stored)
                throw CommandError.unknownActivity
            }
        }
        await see("left") {
            try await self.commands.removeMember(players[2], of: party, by: players[2], request: nil)
        }
        await see("ended") { try await self.commands.end(id, by: self.author).endedAt as Any }
        try await look(at: id)
    }

    private var author: AuditAuthor { AuditAuthor(operator: "operator", requestID: nil) }

    private func fight(of party: PartyID, _ players: [PlayerID]) async throws {
        let stored = try await commands.startBossFight(of: party, against: BossCatalogue.all[0].id, by: author)
        see("fight", "\(stored.id) \(String(describing: stored.turnDueAt))")
        for round in 0..<5 {
            await see("attack") {
                try await self.commands.run(
                    .attack,
                    in: stored.id,
                    by: players[round % 2],
                    request: RepeatableRequest(key: "attack \(round)", hash: [5])
                ) { Answer(status: 200, body: "\($0.map(\.event.kind)) \($1.adventure.sequence)") }
            }
            pass(16)
            see("due", try await due())
            see("played", try await engine.playRound())
        }
        try await look(at: stored.id)
    }

    private func due() async throws -> [Shard] {
        try await store.shardsDue(at: runtime.now(), slotMicroseconds: 100_000)
    }

    /// All that is stored of an adventure.
    private func look(at id: AdventureID) async throws {
        let shard = id.shard
        see("heads", try await store.heads(of: [shard, Shard(rawValue: shard.rawValue ^ 1)]))
        for record in try await store.log(of: shard, after: 2, limit: 1_000) {
            see("log", "\(record.position) \(record.tick) \(record.at) \(record.entry)")
        }
        see("page", try await store.events(of: id, after: 3, limit: 4).map { "\($0.sequence) \($0.event)" })
        see("adventure", try await store.adventure(id)?.adventure.encoded ?? "none")
        let record = try await store.record(of: id)
        see("inputs", record?.inputs.map { "\($0.sequence) \($0.input)" } ?? [])
        see("opening", record?.opening.encoded ?? "none")
        see("live", try await store.liveActivities(of: shard).map(shown).sorted())
        see("all", try await store.activities(of: id).map(shown).sorted())
    }

    private func shown(_ activity: Activity) -> String {
        """
        \(activity.id) \(activity.playerID) \(activity.pushToken) \(activity.generation) \(activity.state) \
        \(activity.registeredAt) \(activity.tokenRegisteredAt) \(activity.lastTimestamp) \(activity.settledPosition)
        """
    }

    private func activities(of id: AdventureID, _ players: [PlayerID]) async {
        for (index, player) in players.enumerated() {
            for token in [[UInt8](repeating: 1, count: 4), [1, 1, 1, 1], [2, 2, 2, 2]] {
                pass(1)
                await see("registered") {
                    try await self.commands.register(
                        ActivityRegistration(
                            id: self.activity(index),
                            pushToken: token,
                            environment: .simulator,
                            frequentPushesEnabled: index == 0,
                            locale: "de"
                        ),
                        for: id,
                        by: player,
                        request: nil
                    ) { Answer(status: $1 ? 201 : 200, body: "\($0.generation)") }
                }
            }
        }
        await see("released") {
            try await self.commands.release(self.activity(1), of: id, by: players[1], request: nil)
        }
    }

    private func activity(_ index: Int) -> ActivityID {
        ActivityID(rawValue: UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, UInt8(index))))
    }

    // MARK: - Leases

    private func claims(of party: PartyID, _ players: [PlayerID]) async throws {
        let shard = party.shard
        see("free", try await store.freeShards().count)
        // A lease that has run out at once is anybody's.
        see("taken for no time", try await store.takeLease(of: shard, holder: rival, for: .milliseconds(-1)) as Any)
        let lease = try #require(try await store.takeLease(of: shard, holder: holder, for: .seconds(600)))
        see("taken", lease)
        see("taken again", try await store.takeLease(of: shard, holder: rival, for: .seconds(600)) as Any)
        see("free", try await store.freeShards().contains(shard))
        see("renewed", try await store.renew(lease, holder: holder, for: .seconds(600)))
        see("held", try await store.held([lease], by: holder).sorted())
        see("held by another", try await store.held([lease], by: rival).sorted())
        see("renewed by another", try await store.renew(lease, holder: rival, for: .seconds(600)))
        let adventures = try await store.liveActivities(of: shard)
        let marks = adventures.map {
            ActivityMark(
                adventureID: $0.adventureID,
                activityID: $0.id,
                generation: $0.generation,
                lastTimestamp: 1_790_000_100,
                settledPosition: 5,
                state: .ended
            )
        }
        let decisions = adventures.map {
            ActivityDecisions(adventureID: $0.adventureID, activityID: $0.id, entries: Array("something".utf8))
        }
        see(
            "settled",
            try await store.settle(
                lease,
                holder: holder,
                for: .seconds(600),
                checkpoint: 5,
                marks: marks,
                decisions: decisions
            )
        )
        see("settled by another", try await store.settle(lease, holder: rival, checkpoint: 9, marks: marks))
        see("settled backwards", try await store.settle(lease, holder: holder, checkpoint: 4, marks: []))
        see("live", try await store.liveActivities(of: shard).map(shown))
        see("decisions", try await store.liveDecisions(of: shard).count)
        for mark in marks {
            see("decided", try await store.decisions(for: mark.activityID, of: mark.adventureID) as Any)
        }
        see("renewed for less", try await store.renew(lease, holder: holder, for: .milliseconds(-1)))
        see("free", try await store.freeShards().contains(shard))
        see("given back", try await store.giveBack(lease, holder: holder))
        let next = try #require(try await store.takeLease(of: shard, holder: rival, for: .seconds(600)))
        see("taken over", next)
        see("settled too late", try await store.settle(lease, holder: holder, checkpoint: 9, marks: []))
        see("given back too late", try await store.giveBack(lease, holder: holder))
        see("given back too late", try await store.freeShards().contains(shard))
        see("given back", try await store.giveBack(next, holder: rival))
        see("held by nobody", try await store.held([lease, next], by: rival).sorted())
        see("given back", try await store.freeShards().contains(shard))
    }
}
