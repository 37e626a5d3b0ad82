import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import ServiceRuntime
import Simulation
import Synchronization
import Testing

/// The same work on PostgreSQL and on the in-memory database gives the same observations.
@Suite struct ConformanceTests {
    @Test func `the in-memory database behaves like PostgreSQL`() async throws {
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(
            configuration: .forTests(uri: uri, maximumConnections: 8),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        let real = try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            _ = try await GameStore(pool: pool).migrate()
            let observations = try await Work(on: pool).run()
            group.cancelAll()
            return observations
        }
        let simulated = try await MemoryDatabase.use { pool, runtime in
            try await Work(on: pool, executor: runtime.executor).run()
        }
        #expect(simulated.count == real.count)
        for (simulated, real) in zip(simulated, real) { #expect(simulated == real) }
        #expect(real.count > 40)
    }
}

/// Every use of the store that a simulated game makes, with a line for each observation.
final class Work: Sendable {
    private struct State {
        /// Long before the clock of any server.
        var now = Timestamp(epochSeconds: 1_780_000_000)
        var bits: UInt64 = 1
        var observations: [String] = []
    }

    /// A `Mutex` that closures can capture.
    private final class SharedState: Sendable {
        private let state = Mutex(State())

        func withLock<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
            try state.withLock { try body(&$0) }
        }
    }

    /// The store with a clock that only this work advances.
    let store: GameStore
    /// The store with the server's clock.
    private let serverTimedStore: GameStore
    private let state: SharedState
    private let settings = GameSettings(journeyTick: .seconds(10), bossTurn: .seconds(15))
    /// With a turn that lasts for the whole test, on the server's clock.
    private let serverTimedSettings = GameSettings(journeyTick: .seconds(10), bossTurn: .seconds(3_600))
    private let holder = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    private let rival = UUID(uuid: (2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private let executor: (any TaskExecutor)?

    init(on pool: PostgresPool, executor: (any TaskExecutor)? = nil) {
        let state = SharedState()
        self.state = state
        store = GameStore(pool: pool, clock: .manual(outageLimit: .seconds(60)) { state.withLock { $0.now } })
        serverTimedStore = GameStore(pool: pool)
        self.executor = executor
    }

    var runtime: Runtime {
        Runtime(
            now: { self.state.withLock { $0.now } },
            randomBits: {
                self.state.withLock { state in
                    state.bits = state.bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return state.bits
                }
            },
            executor: executor
        )
    }

    var commands: GameCommands { commands(with: settings) }

    private func commands(with settings: GameSettings) -> GameCommands {
        GameCommands(store: store, settings: settings, runtime: runtime, wakeSignal: WakeSignal())
    }

    var engine: GameEngine {
        GameEngine(
            store: store,
            runtime: runtime,
            wakeSignal: WakeSignal(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
    }

    func advanceClock(bySeconds seconds: Int) { state.withLock { $0.now = $0.now + .seconds(seconds) } }

    func observe(_ label: String, _ value: some Any) {
        state.withLock { $0.observations.append("\(label): \(value)") }
    }

    func observe(_ label: String, _ work: () async throws -> some Any) async {
        do {
            observe(label, try await work())
        } catch {
            observe(label, "refused: \(error)")
        }
    }

    /// Runs all operations and returns the observations.
    func run() async throws -> [String] {
        let players = try await createParty()
        guard let party = try await store.partyIDs(of: players[0]).first else { return [] }
        try await journey(of: party, players)
        try await fight(of: party, players)
        try await alerts(in: party, players)
        try await awards(of: players)
        try await widgets()
        try await raids(of: party, players)
        try await channels()
        try await leases(of: party, players)
        try await serverClock(of: party)
        return state.withLock { $0.observations }
    }

    // MARK: - Parties

    private func createParty() async throws -> [PlayerID] {
        var players: [PlayerID] = []
        for index in 0..<4 {
            let hash = [UInt8](repeating: UInt8(index), count: 32)
            let player = try await commands.register(displayName: Name("Player"), hero: "spouty", tokenHash: hash)
            players.append(player.id)
        }
        let request = IdempotentRequest(key: "found", hash: [1])
        let created = try await commands.createParty(
            named: Name("Party"),
            capacity: 3,
            founder: players[0],
            request: request
        ) { EncodedResponse(status: 201, body: "\($0.id) \($0.inviteCode.rawValue)") }
        observe("created", created)
        let again = try await commands.createParty(
            named: Name("Party"),
            capacity: 3,
            founder: players[0],
            request: request
        ) { EncodedResponse(status: 201, body: "\($0.id)") }
        observe("created again", again)
        await observe("another request with the key") {
            try await self.commands.createParty(
                named: Name("Party"),
                capacity: 3,
                founder: players[0],
                request: IdempotentRequest(key: "found", hash: [2])
            ) { _ in EncodedResponse(status: 201, body: "") }
        }
        let code = InviteCode(rawValue: String(created.body.suffix(8)))
        for player in players + [players[1]] {
            advanceClock(bySeconds: 1)
            await observe("join") {
                try await self.commands.join(code: code, player: player, request: nil) {
                    EncodedResponse(status: 200, body: "\($0.members.map(\.playerID)) \($0.version)")
                }
            }
        }
        await observe("unknown code") {
            try await self.commands.join(code: InviteCode(rawValue: "00000000"), player: players[0], request: nil) {
                _ in
                EncodedResponse(status: 200, body: "")
            }
        }
        observe("memberships", try await store.partyIDs(of: players[0]))
        observe("no memberships", try await store.partyIDs(of: PlayerID(rawValue: holder)))
        return players
    }

    // MARK: - Adventures

    private func journey(of party: PartyID, _ players: [PlayerID]) async throws {
        let shard = party.shard
        await observe("journey by an outsider") {
            try await self.commands.startJourney(of: party, in: "meadow", by: players[3], request: nil) { _ in
                EncodedResponse(status: 201, body: "")
            }
        }
        let started = try await commands.startJourney(
            of: party,
            in: RegionCatalogue.all[0].id,
            by: players[0],
            request: IdempotentRequest(key: "journey", hash: [3])
        ) { EncodedResponse(status: 201, body: "\($0.id)") }
        guard let id = AdventureID(started.body) else { return }
        await activities(of: id, players)
        for _ in 0..<6 {
            advanceClock(bySeconds: 5)
            observe("due", try await due())
            observe("played", try await engine.runPollCycle())
        }
        await observe("potion") {
            try await self.commands.perform(
                .potion(target: nil),
                in: id,
                by: players[0],
                request: IdempotentRequest(key: "potion", hash: [4])
            ) { EncodedResponse(status: 200, body: "\($0.map(\.sequence)) \($1.adventure.sequence)") }
        }
        await observe("the engine skips a locked shard") {
            try await self.store.withShard(shard) { transaction in
                let skipped = try await self.store.moveClock(of: shard)
                return "\(transaction.head) \(transaction.now) \(String(describing: skipped))"
            }
        }
        await observe("an error rolls back") {
            try await self.store.withShard(shard) { transaction in
                transaction.release(ActivityID(rawValue: self.holder), of: id)
                throw CommandError.unknownActivity
            }
        }
        await observe("member removed") {
            try await self.commands.removeMember(players[2], of: party, by: players[2], request: nil)
        }
        await observe("ended") { try await self.commands.end(id, by: self.author).endedAt as Any }
        try await inspect(id)
    }

    var author: AuditAuthor { AuditAuthor(operator: "operator", requestID: nil) }

    private func fight(of party: PartyID, _ players: [PlayerID]) async throws {
        let stored = try await commands.startBossFight(of: party, against: BossCatalogue.all[0].id, by: author)
        observe("fight", "\(stored.id) \(String(describing: stored.turnDueAt))")
        for turn in 0..<6 {
            await observe("attack") {
                try await self.commands.perform(
                    .attack,
                    in: stored.id,
                    by: players[turn % 2],
                    request: IdempotentRequest(key: "attack \(turn)", hash: [5])
                ) { EncodedResponse(status: 200, body: "\($0.map(\.event.kind)) \($1.adventure.sequence)") }
            }
            // The last one is an outage.
            advanceClock(bySeconds: turn < 5 ? 16 : 90)
            observe("due", try await due())
            observe("played", try await engine.runPollCycle())
        }
        try await inspect(stored.id)
        var moves = 0
        while try await store.adventure(stored.id)?.endedAt == nil, moves < 200 {
            advanceClock(bySeconds: 50)
            observe("played", try await engine.runPollCycle())
            moves += 1
        }
        try await inspect(stored.id)
        observe("party", try await store.party(party) as Any)
    }

    private func awards(of players: [PlayerID]) async throws {
        // The progress of a player in two parties is shown in both.
        let second = try await commands.createParty(
            named: Name("Second"),
            capacity: 3,
            founder: players[0],
            request: IdempotentRequest(key: "second", hash: [6])
        ) { EncodedResponse(status: 201, body: "\($0.id)") }
        let pending = try await store.pendingAwards(after: nil, limit: 100)
        observe("pending", pending)
        for award in pending {
            observe("pending after", try await store.pendingAwards(after: award, limit: 1).map(\.adventureID))
        }
        let shard = try #require(pending.first?.playerID.shard)
        let ofOne = pending.filter { $0.playerID.shard == shard }
        observe("behind", try await store.apply(ofOne, in: shard, at: store.now()))
        observe("applied again", try await store.apply(ofOne, in: shard, at: store.now()))
        observe("given", try await commands.giveAwards(limit: 1))
        observe("pending", try await store.pendingAwards(after: nil, limit: 100))
        for player in players {
            observe("player", try await store.player(player) as Any)
            observe("history", try await store.history(of: player, after: nil, limit: 10))
            observe("scores", try await store.scores(of: player).map { "\($0)" })
        }
        observe("second", try await store.party(try #require(PartyID(second.body))) as Any)
    }

    private func due() async throws -> [Shard] {
        try await store.dueShards().map(\.shard)
    }

    /// Observes everything stored about an adventure.
    private func inspect(_ id: AdventureID) async throws {
        let shard = id.shard
        observe("heads", try await store.heads(of: [shard, Shard(rawValue: shard.rawValue ^ 1)]))
        let known = try await store.heads(of: [shard])[0]
        observe("heads otherThan none", try await store.heads(of: [shard], otherThan: [:]))
        observe("heads otherThan all", try await store.heads(of: [shard], otherThan: [shard: known]))
        for entry in try await store.log(of: shard, after: 2, limit: 1_000) {
            let adventure = entry.adventureID.map { "\($0)" } ?? "none"
            observe("log", "\(entry.position) \(adventure) \(entry.at) \(entry.content) \(entry.digest)")
        }
        observe("logs", try await store.logs(after: store.heads(of: [shard]), limit: 5).map(\.count))
        for entry in try await store.log(of: shard, after: 0, limit: 2) { observe("page of the log", entry.position) }
        let page = try await store.events(of: id, after: 3, limit: 4)
        observe("page", page.map { "\($0.sequence) \($0.tick) \($0.at) \($0.event)" })
        let stored = try await store.adventure(id)
        observe("adventure", stored?.adventure.encoded ?? "none")
        observe("moments", "\(stored?.nextTickAt as Any) \(stored?.endedAt as Any) \(stored?.readPosition ?? 0)")
        let results = try await store.adventures([id, AdventureID(rawValue: holder)], of: shard)
        observe("played from the opening", try results.map { try "\($0.get().digest as Any)" })
        observe("replay", try await store.replay(id)?.events as Any)
        observe("live", try await store.liveActivities(of: shard).map(shown).sorted())
        observe("all", try await store.activities(of: id).map(shown).sorted())
    }

    private func shown(_ activity: Activity) -> String {
        """
        \(activity.id) \(activity.playerID) \(activity.pushToken) \(activity.generation) \(activity.state) \
        \(activity.registeredAt) \(activity.tokenRegisteredAt) \(activity.lastTimestamp) \(activity.acknowledgedAt) \
        \(activity.acceptedAlerts) \(activity.alertPreferences.muted)
        """
    }

    private func activities(of id: AdventureID, _ players: [PlayerID]) async {
        for (index, player) in players.enumerated() {
            await observe("device") {
                let registration = DeviceRegistration(
                    id: DeviceID(rawValue: player.rawValue),
                    environment: .simulator,
                    locale: "de",
                    appBuild: nil,
                    liveActivitiesEnabled: true,
                    frequentPushesEnabled: index == 0,
                    followsRaids: index == 1,
                    pushToStartToken: [7],
                    alertToken: index == 0 ? nil : [8],
                    widgetToken: index == 0 ? nil : [9],
                    alertPreferences: AlertPreferences(muted: index == 0 ? [] : [.boss])
                )
                return try await self.commands.register(registration, of: player, request: nil) {
                    EncodedResponse(status: $1 ? 201 : 200, body: "\($0.id)")
                }
            }
            // A token belongs to one activity.
            let (first, second) = (UInt8(2 * index + 1), UInt8(2 * index + 2))
            for token in [first, first, second].map({ [UInt8](repeating: $0, count: 4) }) {
                advanceClock(bySeconds: 1)
                await observe("registered") {
                    try await self.commands.register(
                        ActivityRegistration(
                            id: self.activity(index),
                            deviceID: DeviceID(rawValue: player.rawValue),
                            pushToken: token,
                            environment: .simulator,
                            frequentPushesEnabled: index == 0,
                            locale: "de"
                        ),
                        for: id,
                        by: player,
                        request: nil
                    ) { EncodedResponse(status: $1 ? 201 : 200, body: "\($0.generation)") }
                }
            }
        }
        await observe("startable") {
            let devices = try await self.store.startableDevices(of: players)
            return EncodedResponse(status: 200, body: "\(devices.map { "\($0.playerID) \($0.followsRaids)" })")
        }
        await observe("released") {
            try await self.commands.release(self.activity(1), of: id, by: players[1], request: nil)
        }
    }

    private func activity(_ index: Int) -> ActivityID {
        ActivityID(rawValue: UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, UInt8(index))))
    }

    // MARK: - Leases

    private func leases(of party: PartyID, _ players: [PlayerID]) async throws {
        let shard = party.shard
        func survey() async throws -> [String] {
            let survey = try await store.leaseSurvey(grace: .seconds(600))
            return ["\(survey.unleased.count) unleased", "shard: \(survey.unleased[shard].map(String.init) ?? "-")"]
                + [holder, rival].map { "\(survey.share(of: $0, amongShards: 256).map(String.init) ?? "-")" }
        }
        observe("before", try await survey())
        for (holder, knowsAll) in [(holder, true), (rival, false)] {
            try await store.register(dispatcher: holder, knowsAll: knowsAll, sendingTo: [], for: .seconds(600))
        }
        observe("registered", try await survey())
        try await store.note(dispatcher: rival, knowsAll: true)
        observe("knowing all", try await survey())
        observe("renewed", try await store.renew(dispatcher: holder, for: .seconds(600)) != nil)
        let lease = try #require(try await store.acquireLease(of: shard, at: 0, holder: holder))
        observe("acquired", lease)
        observe("acquired again", try await store.acquireLease(of: shard, at: 0, holder: rival) as Any)
        observe("leased", try await survey())
        let adventures = try await store.liveActivities(of: shard)
        let checkpoints = adventures.map {
            ActivityCheckpoint(
                adventureID: $0.adventureID,
                activityID: $0.id,
                generation: $0.generation,
                lastTimestamp: 1_790_000_100,
                acknowledgedAt: Timestamp(epochSeconds: 1_785_000_000),
                acceptedAlerts: [73, 1],
                state: .ended
            )
        }
        let decisions = adventures.map {
            ActivityDecisions(adventureID: $0.adventureID, activityID: $0.id, entries: Array("something".utf8))
        }
        observe(
            "flushed",
            try await store.flush(
                lease,
                holder: holder,
                checkpoint: 5,
                pendingSince: Timestamp(epochSeconds: 1_785_000_000),
                activities: checkpoints,
                decisions: decisions
            )
        )
        observe(
            "flushed by another",
            try await store.flush(lease, holder: rival, checkpoint: 9, activities: checkpoints)
        )
        observe("flushed backwards", try await store.flush(lease, holder: holder, checkpoint: 4, activities: []))
        observe("flushed ahead", try await store.flush(lease, holder: holder, checkpoint: 1_000, activities: []))
        observe("checkpoint", try await store.checkpoint(of: lease, holder: holder) as Any)
        observe("checkpoint of another", try await store.checkpoint(of: lease, holder: rival) as Any)
        observe("live", try await store.liveActivities(of: shard).map(shown))
        observe("decisions", try await store.liveDecisions(of: shard).count)
        for checkpoint in checkpoints {
            observe(
                "decisions of an activity",
                try await store.decisions(for: checkpoint.activityID, of: checkpoint.adventureID) as Any
            )
        }
        observe("released by another", try await store.release(lease, holder: rival))
        observe("released", try await store.release(lease, holder: holder))
        observe("after the release", try await survey())
        let next = try #require(try await store.acquireLease(of: shard, at: lease.epoch, holder: rival))
        observe("acquired by another", next)
        observe("flushed too late", try await store.flush(lease, holder: holder, checkpoint: 9, activities: []))
        observe("released too late", try await store.release(lease, holder: holder))
        observe("leased by another", try await survey())
        try await store.end(dispatcher: rival)
        observe("renewed too late", try await store.renew(dispatcher: rival, for: .seconds(600)) != nil)
        observe("after the end", try await survey())
        try await store.end(dispatcher: UUID(uuid: (9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9)))
        observe("removed", try await survey())
    }

    // MARK: - The server's clock

    private func serverClock(of party: PartyID) async throws {
        let shard = party.shard
        let stored = try await commands(with: serverTimedSettings)
            .startBossFight(of: party, against: BossCatalogue.all[0].id, by: author)
        func clock() async throws -> Timestamp? { try await serverTimedStore.heads(of: [shard]).first?.clock }
        let before = try await clock()
        observe("due", try await serverTimedStore.dueShards().map { "\($0.shard) \($0.isTicking)" })
        let move = try await serverTimedStore.moveClock(of: shard)
        observe("moved", "\(move?.outage != nil) \(move?.closed.count ?? -1) \(move?.hasMore ?? true)")
        let after = try await clock()
        observe("the clock grows", before.flatMap { before in after.map { before < $0 } } as Any)
        observe("due", try await serverTimedStore.dueShards().map { "\($0.shard) \($0.isTicking)" })
        observe("the game stood still", try await serverTimedStore.adventure(stored.id)?.adventure.encoded ?? "none")
        let next = try await serverTimedStore.withShard(shard) { $0.now }
        observe("the next transaction is later", after.map { $0 < next } as Any)
        observe("its moment is the clock", try await clock() == next)
    }
}
