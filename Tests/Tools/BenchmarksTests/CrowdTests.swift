import ArgumentParser
import Encodings
import Foundation
import GameCore
import GameFixtures
import GameLog
import GameStore
import PrivatePostgres
import Testing

@testable import Benchmarks

@Suite struct CrowdTests {
    private static let start = Timestamp(epochSeconds: 1_750_000_000)

    private func result(
        _ findings: PhoneFindings,
        commands: Result<HTTPLoad.Result, any Error> = .success(
            .init(perSecond: 200, p50Milliseconds: 2, p99Milliseconds: 9)
        )
    ) -> CrowdResult {
        func snapshot(_ factor: Double, at moment: Timestamp) -> CrowdSnapshot {
            CrowdSnapshot(
                at: moment,
                metrics: MetricsText(
                    """
                    rangers_dispatcher_activities 400
                    process_resident_memory_bytes 800000
                    rangers_push_request_duration_seconds_sum{priority="5"} \(factor)
                    rangers_push_request_duration_seconds_count{priority="5"} \(100 * factor)
                    """
                ),
                cpuSeconds: ["node": factor, "PostgreSQL": factor / 2, "push server": factor / 4, "commands": 0]
            )
        }
        return CrowdResult(
            parties: 100,
            before: snapshot(1, at: Self.start),
            after: snapshot(3, at: Self.start + .seconds(10)),
            findings: CrowdFindings([.init(isFrequent: true, isJourney: true): findings]),
            commands: commands
        )
    }

    private var findings: PhoneFindings {
        PhoneFindings(
            pushes: 200,
            waits: [.milliseconds(100), .milliseconds(300)],
            alertWaits: [.milliseconds(50)],
            overduePushes: 1,
            lapsedAlerts: 2
        )
    }

    @Test func `the report has the times of each kind of phone, and the cost`() throws {
        let report = CrowdBenchmark.report(result(findings))
        #expect(
            report.lines(fitting: nil) == [
                "PHONES             PUSHES/S  P50 MS  P99 MS  ALERT P50  ALERT P99",
                "frequent, journey        20     100     300         50         50",
                "frequent, fight           0       -       -          -          -",
                "standard, journey         0       -       -          -          -",
                "standard, fight           0       -       -          -          -",
                "all                      20     100     300         50         50",
                "",
                "PROCESS      CORES",
                "node          0.20",
                "PostgreSQL    0.10",
                "push server   0.05",
                "commands      0.00",
                "",
                "100 parties with 400 phones for 10.0 s; the node followed 400 at the end.",
                "Times are from when a push was due until it was accepted; see --help.",
                "The node took 10,000.0 µs of CPU time for each push, and 2,000 resident bytes for each activity that it "
                    + "followed at the end.",
                "1 pushes were more than a second overdue at the end; 2 alerts were cancelled more than a second after "
                    + "they were due.",
                "200 commands a second, p99 9.0 ms.",
            ]
        )
        #expect(report.failures.isEmpty)
        let object = try report.object
        #expect(object["p99Milliseconds"] as? Double == 300 && object["alertP99Milliseconds"] as? Double == 50)
        #expect(object["bytesPerActivity"] as? Double == 2_000 && object["phones"] as? Int == 400)
        for field in object.keys { #expect(CrowdBenchmark.configuration.discussion.contains(field)) }
        let result = result(findings)
        #expect(result.after.meanRequest(since: result.before) == .milliseconds(10))
    }

    @Test func `a push beyond the budget, a lost alert and a failed command are failures`() {
        var findings = findings
        findings.pushesBeyondBudget = 1
        findings.lostAlerts = 2
        let report = CrowdBenchmark.report(result(findings, commands: .failure(BenchmarkFailure("refused"))))
        #expect(report.failures.count == 3)
    }

    @Test func `few adventures of a crowd end in the given time, and each has its own players`() {
        let plan = FixturePlan.crowd(parties: 400, lasting: .seconds(300), at: Self.start)
        var players: Set<PlayerID> = []
        var ended = 0
        for number in 0..<plan.parties {
            let opening = plan.opening(number)
            for hero in opening.adventure.heroes { players.insert(hero.playerID) }
            let end = plan.start(number, of: opening) + plan.interval(number) * opening.ticks
            #expect(end > Self.start + .seconds(250))
            if end < Self.start + .seconds(300) { ended += 1 }
            #expect(opening.adventure.kind == (plan.isJourney(number) ? .journey : .bossFight))
        }
        #expect(players.count == plan.parties * FixturePlan.heroes)
        #expect((1..<plan.parties / 5).contains(ended))
    }

    @Test func `a push server reads what a push shows`() throws {
        let plan = FixturePlan.crowd(parties: 70_000, lasting: .seconds(1), at: Self.start)
        let path = "/3/device/" + plan.tokens(65_537)[3].map { String(format: "%02x", $0) }.joined()
        func arrival(_ payload: String, priority: String = "5") -> PushArrival? {
            PushArrival(path: path, priority: priority, body: Array(payload.utf8), at: Self.start)
        }
        let update = try #require(
            arrival(
                #"{"aps":{"event":"update","content-state":{"event":{"key":"\"alert\":"},"sequence":1234,"tick":2}}}"#
            )
        )
        #expect(update.phone == PhoneNumber(65_537, seat: 3) && update.sequence == 1_234 && update.at == Self.start)
        #expect(!update.isHigh && !update.hasAlert && !update.isEnd)
        let alert = arrival(#"{"aps":{"event":"update","alert":{},"content-state":{"sequence":7}}}"#, priority: "10")
        #expect(alert.map { $0.isHigh && $0.hasAlert && !$0.isEnd && $0.sequence == 7 } == true)
        #expect(arrival(#"{"aps":{"event":"end","content-state":{"sequence":8}}}"#)?.isEnd == true)
        #expect(arrival("{}") == nil)
        #expect(PushArrival(path: "/", priority: nil, body: [], at: Self.start) == nil)
    }

    @Test func `recorded pushes are read in the order of phones and moments`() async throws {
        let folder = try TemporaryFolder()
        let log = try PushArrivalLog(path: folder.path("arrivals"))
        let pushes = [(2, 0), (1, 5), (1, 3)].map { party, seconds in
            PushArrival(
                phone: PhoneNumber(party, seat: 0),
                at: Self.start + .seconds(seconds),
                sequence: 1,
                isHigh: true,
                hasAlert: false,
                isEnd: false
            )
        }
        for push in pushes { log.append(push) }
        var read: [PushArrival] = []
        _ = try await Polling.until(within: .seconds(30), every: .milliseconds(10)) {
            read = try PushArrival.read(from: folder.path("arrivals"))
            return read.count == 3
        }
        #expect(read == [pushes[2], pushes[1], pushes[0]])
    }

    @Test func `the events of stored adventures are compared with the pushes of all phones`() async throws {
        let plan = FixturePlan.crowd(parties: 8, lasting: .seconds(60), at: Self.start)
        let uri = try await TestDatabases.make()
        try await plan.load(into: uri, tokens: plan.tokens)
        let store = GameStore(pool: BenchmarkPostgres.pool(uri))
        let phones = try await store.activities(of: plan.adventureID(5))
        #expect(phones.count { $0.frequentPushesEnabled } == 2 && phones.count == 4)
        let end = Self.start + .seconds(40)
        let window = CrowdWindow(start: Self.start, end: end, transit: .zero)
        let silent = try await CrowdFindings(plan, in: store, [], during: window)
        // The clocks stand still, but ticks are due.
        #expect(silent.groups.count == 4 && silent.groups.values.allSatisfy { $0.overduePushes == 8 })
        let arrivals = (0..<plan.parties).flatMap { number in
            (0..<FixturePlan.heroes).map { seat in
                PushArrival(
                    phone: PhoneNumber(number, seat: seat),
                    at: end,
                    sequence: .max,
                    isHigh: false,
                    hasAlert: false,
                    isEnd: false
                )
            }
        }
        let served = try await CrowdFindings(plan, in: store, arrivals, during: window)
        #expect(served.total.pushes == 32 && served.total.overduePushes == 0 && served.total.waits.count == 32)
    }
}
