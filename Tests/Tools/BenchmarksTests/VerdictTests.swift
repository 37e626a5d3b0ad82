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
import TestSupport
import Testing

@testable import Benchmarks

/// The verdict over a real database: what holds, and each thing that does not.
@Suite(.timeLimit(.minutes(3))) struct VerdictTests {
    @Test func `a game that was played by the rules is found to be so, and what is tampered with is found`()
        async throws
    {
        try await PlayedGame.with { game in
            var verdict = try await game.verdict()
            #expect(verdict.rows.map(\.invariant) == Array(1...8))
            for invariant in [1, 2, 6, 7, 8] {
                let row = verdict.rows[invariant - 1]
                #expect(row.holds, "\(row)")
            }
            // The card was registered and never got a push.
            #expect(verdict.rows[2].violationCount == 1 && verdict.rows[2].lookedAt == 1)
            #expect(verdict.rows[3].violationCount > 0)
            #expect(!verdict.rows[4].holds && verdict.rows[4].lookedAt == 0)
            #expect(!verdict.holds)

            // Somebody was told something else, of what never was, and succeeded where nobody may.
            var acknowledged = game.acknowledged
            let command = acknowledged.writes[1]
            acknowledged.writes.append(command.with(answer: #"{"events":[{"sequence":1,"kind":"heroDown"}]}"#))
            acknowledged.writes.append(command.with(key: "never"))
            acknowledged.trespasses = ["a stranger has read it"]
            verdict = try await game.verdict(acknowledged)
            #expect(verdict.rows[5].violationCount == 3)
            #expect(verdict.rows[7].violationCount == 1)

            // A command that nobody knows of was applied.
            acknowledged = game.acknowledged
            acknowledged.writes.remove(at: 1)
            #expect(try await game.verdict(acknowledged).rows[5].violationCount == 1)
            acknowledged.inDoubt = [command.with(answer: "")]
            #expect(try await game.verdict(acknowledged).rows[5].violationCount == 0)

            try await game.run("DELETE FROM idempotency_keys")
            #expect(try await game.verdict().rows[5].violationCount == 2)

            try await game.run("UPDATE events SET body = '{\"kind\":\"partyWiped\"}' WHERE sequence = 2")
            #expect(try await game.verdict().rows[1].violationCount == 1)

            try await game.run("DELETE FROM events WHERE sequence = 2")
            verdict = try await game.verdict()
            #expect(verdict.rows[0].violationCount >= 2)

            try await game.run("DELETE FROM events; DELETE FROM activities; UPDATE parties SET capacity = 1")
            verdict = try await game.verdict()
            #expect(verdict.rows[0].violationCount > 0)
            #expect(verdict.rows[6].violationCount == 1)
            #expect(verdict.rows[5].violations.contains { $0.contains("card") })
        }
    }
}

/// A fight of two that an operator has ended, with a card and a command.
private struct PlayedGame: Sendable {
    let acknowledged: Acknowledged
    private let uri: String
    private let store: GameStore

    static func with(_ body: @Sendable (PlayedGame) async throws -> Void) async throws {
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(
            configuration: .patient(uri: uri, maximumConnections: 2),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            try await body(try await play(on: GameStore(pool: pool), at: uri))
            group.cancelAll()
        }
    }

    func verdict(_ acknowledged: Acknowledged? = nil) async throws -> Verdict {
        let given = VerdictCase(PushTestimony(), acknowledged ?? self.acknowledged)
        return try await .reached(store: store, case: given, complaints: [])
    }

    func run(_ script: String) async throws { _ = try await PostgresShell.run(script, on: uri) }

    private static func play(on store: GameStore, at uri: String) async throws -> PlayedGame {
        _ = try await store.migrate()
        let seconds = Atomic<Int64>(1_790_000_000)
        let bits = Atomic<UInt64>(7)
        let runtime = Runtime(
            now: { Timestamp(epochSeconds: seconds.add(1, ordering: .relaxed).newValue) },
            // Odd steps through all numbers: the same in each run, and no two alike.
            randomBits: { bits.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue }
        )
        let commands = GameCommands(
            store: store,
            settings: GameSettings(),
            runtime: runtime,
            wakeSignal: WakeSignal()
        )
        func player(_ name: String) async throws -> PlayerID {
            let hash = (0..<32).map { _ in UInt8(truncatingIfNeeded: runtime.randomBits() >> 32) }
            return try await commands.register(displayName: Name(name), hero: "spouty", tokenHash: hash).id
        }
        let (ada, ben) = (try await player("Ada"), try await player("Ben"))
        let founded = Mutex<Party?>(nil)
        let answer = try await commands.createParty(named: Name("Both"), capacity: 2, founder: ada, request: nil) {
            party in
            founded.withLock { $0 = party }
            return Answer(status: 201, body: #"{"partyID":"\#(party.id)"}"#)
        }
        let party = try founded.withLock { party in try #require(party) }
        _ = try await commands.join(code: party.inviteCode, player: ben, request: nil) { _ in
            Answer(status: 200, body: "")
        }
        var acknowledged = Acknowledged()
        acknowledged.writes.append(.init("POST", "/v1/parties", by: ada, answer))

        let fight = try await commands.startBossFight(of: party.id, against: "cinderwing", by: .test).id
        let command = try await commands.run(
            .policy(.guard),
            in: fight,
            by: ben,
            request: RepeatableRequest(key: "once", hash: [UInt8](repeating: 1, count: 32))
        ) { events, _ in
            let told = events.map { #"{"sequence":\#($0.sequence),"kind":"\#($0.event.kind)"}"# }
            return Answer(status: 200, body: #"{"events":[\#(told.joined(separator: ","))]}"#)
        }
        acknowledged.writes.append(.init("POST", "/v1/adventures/\(fight)/commands", key: "once", by: ben, command))

        let card = ActivityID(rawValue: UUID())
        let registered = try await commands.register(
            ActivityRegistration(
                id: card,
                pushToken: [1, 2, 3],
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: "en"
            ),
            for: fight,
            by: ada,
            request: nil
        ) { _, _ in Answer(status: 201, body: "{}") }
        acknowledged.writes.append(.init("PUT", "/v1/adventures/\(fight)/activities/\(card)", by: ada, registered))
        _ = try await commands.end(fight, by: .test)
        return PlayedGame(acknowledged: acknowledged, uri: uri, store: store)
    }
}

extension Acknowledged.Write {
    fileprivate init(_ method: String, _ path: String, key: String? = nil, by player: PlayerID, _ answer: Answer) {
        self.init(
            method: method,
            path: path,
            key: key,
            body: Data(),
            status: answer.status,
            answer: Data(answer.body.utf8),
            at: Timestamp(epochSeconds: 0),
            playerID: player
        )
    }

    /// The same with another key, or another answer.
    fileprivate func with(key: String? = nil, answer: String? = nil) -> Self {
        Self(
            method: method,
            path: path,
            key: key ?? self.key,
            body: body,
            status: status,
            answer: answer.map { Data($0.utf8) } ?? self.answer,
            at: at,
            playerID: playerID
        )
    }
}
