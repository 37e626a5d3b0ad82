import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import Logging
import PostgresClient
import PrivatePostgres
import ServiceRuntime
import Simulation
import Synchronization
import Testing

@testable import Benchmarks

/// The invariant checks over a real database, with and without violations.
@Suite(.timeLimit(.minutes(10))) struct InvariantResultsTests {
    @Test func `a regular game has no violations, and each manipulation is found`()
        async throws
    {
        try await PlayedGame.with { game in
            var results = try await game.results()
            #expect(results.checks.map(\.invariant) == Array(1...8))
            for invariant in [1, 2, 6, 7, 8] {
                let check = results.checks[invariant - 1]
                #expect(check.checkedCount > 0 && check.findings.isEmpty, "\(check)")
            }
            // The activity was registered and never got a push.
            #expect(results.checks[2].findings.count == 1 && results.checks[2].checkedCount == 1)
            #expect(results.checks[3].findings.count > 0)
            #expect(results.checks[4].findings.isEmpty && results.checks[4].checkedCount == 0)
            #expect(!results.holds)

            // A client got another response and a response to an unknown command, and an intrusion succeeded.
            var history = game.history
            let command = history.writes[1]
            history.writes.append(command.with(response: #"{"events":[{"sequence":1,"kind":"heroDown"}]}"#))
            history.writes.append(command.with(key: "never"))
            history.intrusions = ["a stranger has read it"]
            results = try await game.results(history)
            #expect(results.checks[5].findings.count == 3)
            #expect(results.checks[7].findings.count == 1)

            // An unknown command was applied.
            history = game.history
            history.writes.remove(at: 1)
            #expect(try await game.results(history).checks[5].findings.count == 1)
            history.inDoubt = [command.with(response: "")]
            #expect(try await game.results(history).checks[5].findings.count == 0)

            try await game.run("DELETE FROM idempotency_keys")
            #expect(try await game.results().checks[5].findings.count == 2)

            try await game.run("UPDATE log SET digest = digest + 1 WHERE kind = 'input'")
            results = try await game.results()
            #expect(results.violations.contains { $0.contains("the digest differs") }, "\(results.violations)")

            try await game.run("DELETE FROM log WHERE kind = 'started'")
            #expect(try await game.results().checks[0].findings.count == 1)

            try await game.run(
                "DELETE FROM log; DELETE FROM activities; DELETE FROM devices; UPDATE parties SET capacity = 1"
            )
            results = try await game.results()
            #expect(results.checks[0].findings.count > 0)
            #expect(results.checks[6].findings.count == 1)
            #expect(results.checks[5].findings.contains { $0.contains("activity") })
            #expect(results.checks[5].findings.count { $0.contains("device") } == 1)
        }
    }
}

/// A fight of two that an operator has ended, with an activity and a command.
private struct PlayedGame: Sendable {
    let history: ClientHistory
    private let uri: String
    private let store: GameStore

    static func with(_ body: @Sendable (PlayedGame) async throws -> Void) async throws {
        let uri = try await TestDatabases.make()
        let pool = PostgresPool(
            configuration: .forTests(uri: uri, maximumConnections: 2),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await pool.run() }
            try await body(try await play(on: GameStore(pool: pool), at: uri))
            group.cancelAll()
        }
    }

    func results(_ history: ClientHistory? = nil) async throws -> InvariantResults {
        let history = history ?? self.history
        let evidence = try await RunEvidence(of: store, RecordedPushes(), history, responsesKeptSince: nil)
        return try await InvariantResults(of: store, evidence, gaps: [], violations: [])
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
        let response = try await commands.createParty(named: Name("Both"), capacity: 2, founder: ada, request: nil) {
            party in
            founded.withLock { $0 = party }
            return EncodedResponse(status: 201, body: #"{"partyID":"\#(party.id)"}"#)
        }
        let party = try founded.withLock { party in try #require(party) }
        _ = try await commands.join(code: party.inviteCode, player: ben, request: nil) { _ in
            EncodedResponse(status: 200, body: "")
        }
        var history = ClientHistory()
        history.writes.append(.init("POST", "/v1/parties", by: ada, response))

        let fight = try await commands.startBossFight(of: party.id, against: "cinderwing", by: .test).id
        let command = try await commands.perform(
            .policy(.guard),
            in: fight,
            by: ben,
            request: IdempotentRequest(key: "once", hash: [UInt8](repeating: 1, count: 32))
        ) { events, _ in
            let list = events.map { #"{"sequence":\#($0.sequence),"kind":"\#($0.event.kind)"}"# }
            return EncodedResponse(status: 200, body: #"{"events":[\#(list.joined(separator: ","))]}"#)
        }
        history.writes.append(.init("POST", "/v1/adventures/\(fight)/commands", key: "once", by: ben, command))

        let device = try await commands.device(of: ada)
        let described = EncodedResponse(status: 201, body: "{}")
        history.writes.append(.init("PUT", "/v1/players/me/devices/\(device)", by: ada, described))
        let activity = ActivityID(rawValue: UUID())
        let registered = try await commands.register(
            ActivityRegistration(
                id: activity,
                deviceID: device,
                pushToken: [1, 2, 3],
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: "en"
            ),
            for: fight,
            by: ada,
            request: nil
        ) { _, _ in EncodedResponse(status: 201, body: "{}") }
        history.writes.append(.init("PUT", "/v1/adventures/\(fight)/activities/\(activity)", by: ada, registered))
        _ = try await commands.end(fight, by: .test)
        return PlayedGame(history: history, uri: uri, store: store)
    }
}

extension ClientHistory.Write {
    fileprivate init(
        _ method: String,
        _ path: String,
        key: String? = nil,
        by player: PlayerID,
        _ response: EncodedResponse
    ) {
        self.init(
            method: method,
            path: path,
            key: key,
            body: Data(),
            status: response.status,
            response: Data(response.body.utf8),
            at: Timestamp(epochSeconds: 0),
            playerID: player
        )
    }

    /// Returns the same write with another key or response.
    fileprivate func with(key: String? = nil, response: String? = nil) -> Self {
        Self(
            method: method,
            path: path,
            key: key ?? self.key,
            body: body,
            status: status,
            response: response.map { Data($0.utf8) } ?? self.response,
            at: at,
            playerID: playerID
        )
    }
}
