import Encodings
import Foundation
import GameCore
import GameLog
import JSONCoding
import Testing

@testable import GameStore
@testable import PartyAPI

/// The diagnosis of a node and of the systems that it needs.
@Suite struct DoctorTests {
    private static let noon = Timestamp(epochSeconds: 1_790_000_000)

    @Test func `a viewer gets the results of all checks`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player()
            _ = try await world.journey(try await world.party(of: ada), by: ada)
            let viewer = try await world.operatorToken(.viewer)
            let reply = try await world.client.send("GET", "/admin/v1/doctor", token: viewer)
            #expect(reply.status == 200)
            let checks = reply.json["checks"].array
            #expect(
                checks.map(\.["name"].text) == [
                    "database", "clock", "database connections", "database sessions", "shards",
                    "shard clocks", "lost commits", "adventures", "dispatchers", "unsent changes", "shown pushes",
                    "erasures", "environments", "database machines", "raids", "APNs",
                ]
            )
            // The tests have a clock of their own, and no dispatcher.
            #expect(
                [0, 2, 3, 4, 6, 7, 8, 10, 11, 12, 13, 14, 15].map { checks[$0]["status"].text } == [
                    "ok", "ok", "ok", "ok", "ok", "ok", "failed", "ok", "ok", "skipped", "ok", "ok", "failed",
                ]
            )
            #expect(checks[15]["remedy"].text.contains("RANGERS_APNS_KEY_FILE"))
            #expect(checks[9]["finding"] == "No changes are pending.")
        }
    }

    @Test func `a clock difference beyond the round-trip time is reported with its direction`() {
        func check(_ other: Duration, took: Duration = .milliseconds(10)) -> DoctorCheck {
            .clock("clock", other: Self.noon + other, before: Self.noon, after: Self.noon + took)
        }
        #expect(check(.milliseconds(5)).status == .ok)
        #expect(check(.seconds(1)).status == .ok)
        #expect(check(.seconds(8), took: .seconds(20)).status == .ok)
        #expect(check(.seconds(60)).finding == "This node's clock is 59 s behind the database's.")
        #expect(check(.seconds(-7_200)).finding == "This node's clock is 2 h ahead of the database's.")
    }

    @Test func `a machine that is away, and what a crash left on one, are named with what to do`() {
        let away = DoctorCheck.unreachable(["10.0.0.7:5432"], shards: 128)
        #expect(away.status == .failed && away.finding.contains("10.0.0.7:5432") && away.finding.contains("128 shards"))
        #expect(away.remedy?.contains("citus_update_node") == true)
        let left = DoctorCheck.leftBehind(LeftTransactions(on: "10.0.0.8:5432", count: 1, age: .seconds(15)))
        #expect(left.finding.contains("A transaction has been prepared on 10.0.0.8:5432 for 15 s"))
        #expect(left.remedy?.contains("recover_prepared_transactions()") == true)
    }

    @Test func `an error's sentence ends with one full stop`() {
        struct TestError: Error, CustomStringConvertible { let description: String }
        func finding(_ text: String) -> String {
            [DoctorCheck].unreachableDatabase(TestError(description: text))[0].finding
        }
        let question = "no such file\n\tIs the server accepting connections on that socket?"
        #expect(finding(question).hasSuffix("no such file Is the server accepting connections on that socket?"))
        #expect(finding("gone.") == "It does not respond: gone." && finding("gone") == "It does not respond: gone.")
        #expect(DoctorCheck.failure("clock", TestError(description: "why?")).finding == "The check failed to run: why?")
    }

    @Test func `a schema of another release is reported with a remedy`() {
        func check(_ report: MigrationReport) -> DoctorCheck { .database(report, version: "15.14", took: .zero) }
        let migration = Migration.all[0]
        let current = check(MigrationReport(applied: [migration]))
        #expect(current.status == .ok)
        #expect(current.finding == "PostgreSQL 15.14 responds within 0 ms; 1 migration is applied.")
        #expect(check(MigrationReport(pending: [migration])).remedy == "Run 'rangersd migrate'.")
        #expect(check(MigrationReport(edited: [migration])).finding.contains("0001_initial was edited"))
        let newer = check(MigrationReport(applied: [migration], unknown: [99]))
        #expect(newer.status == .ok && newer.finding.contains("so are some of a newer release"))
    }

    @Test func `the shards for which a raid waits are named, and raids that do not go on or end`() {
        func raid(waitingFor shards: [UInt8] = [], _ state: Raid.State = .running, endedAt: Timestamp? = nil) -> Raid {
            Raid(
                id: RaidID(rawValue: UUID()),
                boss: BossCatalogue.all[0].id,
                regions: [],
                schedule: RaidSchedule(startsAt: Self.noon, endsAt: Self.noon + .seconds(60)),
                health: 100,
                waitingFor: shards.map(Shard.init(rawValue:)),
                state: state,
                endedAt: endedAt
            )
        }
        func judge(_ raids: [Raid], behind: [RaidID: [Shard]] = [:], after wait: Duration = .zero) -> DoctorCheck {
            .raids(raids, behind: behind, at: Self.noon + wait)
        }
        #expect(judge([raid()]).finding.hasPrefix("1 raids are running"))
        // The first round ends after a second.
        #expect(judge([raid()], after: .seconds(11)).status == .ok)
        let late = judge([raid()], after: .seconds(12))
        #expect(late.status == .failed && late.finding.hasSuffix("round 0 is over and is not added up."))
        #expect(judge([raid(.scheduled)], after: .seconds(12)).status == .ok)
        let ended = raid(.escaped, endedAt: Self.noon)
        let behind = [ended.id: [Shard(rawValue: 7)]]
        #expect(judge([ended], behind: behind, after: .seconds(10)).status == .ok)
        #expect(judge([ended], after: .seconds(12)).status == .ok)
        #expect(judge([ended], behind: behind, after: .seconds(12)).finding.hasSuffix("for the parties of shards 7."))
        let check = judge([raid(waitingFor: [7, 3]), raid(), raid(.scheduled)])
        #expect(check.status == .failed && check.finding.hasPrefix("1 of 2 raids"))
        #expect(check.finding.hasSuffix("wait for the rounds of shards 3, 7."))
    }

    @Test func `shards and adventures that this release cannot play are named, with the way out`() {
        func head(_ shard: UInt8, requires version: Int = 1) -> ShardHead {
            ShardHead(
                shard: Shard(rawValue: shard),
                head: 0,
                digest: LogDigest(),
                clock: Self.noon,
                stoppedFor: .zero,
                journeys: 0,
                bossFights: 0,
                requires: version
            )
        }
        #expect(DoctorCheck.shards([head(1, requires: 1)]).status == .ok)
        let newer = DoctorCheck.shards([head(1, requires: 1), head(7, requires: 99)])
        #expect(newer.status == .failed && newer.finding.hasPrefix("1 of 2 shards, such as 7, need a newer release"))
        func setback(by duration: Duration) -> DoctorCheck {
            .shardClocks([head(1), head(7)], at: Self.noon - duration)
        }
        #expect(setback(by: .seconds(2)).status == .ok)
        let finding = "The database's clock was set back: it is up to 2 h behind those of 2 shards."
        #expect(setback(by: .seconds(7_200)).finding == finding && setback(by: .seconds(7_200)).status == .failed)
        #expect(DoctorCheck.adventures([]).status == .ok)
        var generator = SystemRandomNumberGenerator()
        let id = AdventureID(at: Self.noon, in: Shard(rawValue: 7), using: &generator)
        let faulty = DoctorCheck.adventures([(id, "the digest differs")])
        #expect(faulty.finding == "Adventure \(id) cannot be played: the digest differs.")
        #expect(faulty.remedy?.contains("'rangersctl adventure end'") == true)
    }

    @Test func `blocking sessions are named before those with old snapshots`() {
        func session(_ process: Int, _ obstruction: ObstructiveSession.Obstruction) -> ObstructiveSession {
            ObstructiveSession(
                process: process,
                user: "olga",
                application: process == 7 ? "psql" : "",
                state: process == 7 ? "idle in transaction" : nil,
                obstruction: obstruction
            )
        }
        #expect(DoctorCheck.sessions(blocking: [], keeping: []).status == .ok)
        let snapshots = [session(7, .snapshot(open: .seconds(90))), session(9, .snapshot(open: .seconds(600)))]
        let both = DoctorCheck.sessions(
            blocking: [session(7, .locks(waiting: 3, longest: .seconds(12)))],
            keeping: snapshots
        )
        #expect(both.status == .failed && both.remedy?.contains("pg_terminate_backend(7)") == true)
        #expect(
            both.finding == """
                Session 7 (user olga, psql, idle in transaction) has blocked 3 other sessions for 12 s. \
                Session 9 (user olga) has kept a snapshot open for 10 min, which prevents vacuum and slows down ticks.
                """
        )
        let snapshot = DoctorCheck.sessions(blocking: [], keeping: snapshots)
        #expect(
            snapshot.finding.hasPrefix(
                "Session 7 (user olga, psql, idle in transaction) has kept a snapshot open for 90 s"
            )
        )
    }

    @Test func `a change that is pending for too long fails the check`() {
        func unsent(_ age: Duration) -> DoctorCheck {
            .unsent(.init(shard: Shard(rawValue: 7), at: Self.noon - age), at: Self.noon)
        }
        #expect(unsent(.seconds(30)).status == .ok)
        #expect(unsent(.seconds(3_600)).status == .failed)
        #expect(unsent(.seconds(3_600)).finding.contains("60 min old, in shard 7"))
        #expect(DoctorCheck.unsent(nil, at: Self.noon).status == .ok)
    }

    @Test func `dispatchers without leases differ from missing dispatchers`() {
        func check(present: Int, held: Int, holders: Int) -> DoctorCheck {
            .dispatchers(present: present, held: held, holders: holders, shards: 256)
        }
        let fine = check(present: 2, held: 256, holders: 2)
        #expect(fine.status == .ok && fine.finding == "256 of 256 shards are leased, by 2 dispatchers.")
        let none = check(present: 0, held: 0, holders: 0)
        #expect(
            none.status == .failed
                && none.finding == "No dispatcher is running, and 256 of 256 shards have no dispatcher."
        )
        #expect(none.remedy?.hasPrefix("Start a rangersd with the role dispatcher") == true)
        let deposed = check(present: 1, held: 0, holders: 0)
        #expect(deposed.status == .failed)
        #expect(deposed.finding == "1 dispatcher is running, and 256 of 256 shards have no dispatcher.")
        #expect(deposed.remedy?.contains("logs say why") == true && deposed.remedy?.contains("Start") == false)
        #expect(check(present: 2, held: 255, holders: 1).finding.hasPrefix("2 dispatchers are running, and 1 of 256"))
    }

    @Test func `a dispatcher without shards is counted`() async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            func check() async throws -> String {
                let checks = try await world.client.send("GET", "/admin/v1/doctor", token: viewer).json["checks"].array
                return try #require(checks.first { $0["name"].text == "dispatchers" })["finding"].text
            }
            #expect(try await check().hasPrefix("No dispatcher is running, "))
            let holder = UUID()
            try await world.store.register(dispatcher: holder, knowsAll: true, sendingTo: [], for: .seconds(600))
            #expect(try await check().hasPrefix("1 dispatcher is running, and 256 of 256"))
            try await world.store.end(dispatcher: holder)
            #expect(try await check().hasPrefix("No dispatcher is running, "))
        }
    }

    @Test func `the tightest connection limit counts`() {
        let server = ConnectionUsage(.server(reserved: 3), open: 20, limit: 97)
        let role = ConnectionUsage(.role("rangers"), open: 19, limit: 20)
        let database = ConnectionUsage(.database("game"), open: 19, limit: 200)
        let fine = DoctorCheck.connections([server, database])
        #expect(fine.status == .ok)
        #expect(fine.finding.hasPrefix("20 of the 97 connections that the server leaves to the game's role are in use"))
        let short = DoctorCheck.connections([server, role, database])
        #expect(short.status == .failed)
        #expect(short.finding.hasPrefix("19 of 20 connections of the role rangers are in use"))
        #expect(short.remedy?.hasPrefix("Raise the role's CONNECTION LIMIT") == true)
        #expect(DoctorCheck.connections([ConnectionUsage(.database("game"), open: 1, limit: 0)]).status == .failed)
    }

    @Test func `activities in an environment without a sender fail the check`() {
        func status(_ live: [PushEnvironment: Int], _ served: [PushEnvironment]) -> DoctorCheck.Status {
            DoctorCheck.environments(live: live, served: served).status
        }
        #expect(status([:], [.production]) == .ok)
        #expect(status([.production: 3], [.production, .sandbox]) == .ok)
        #expect(status([.production: 3, .sandbox: 1], [.production]) == .failed)
        #expect(status([.sandbox: 1], []) == .skipped)
    }
}
