import Foundation
import Simulation
import Testing

@testable import Benchmarks

@Suite struct ChaosResultTests {
    private let faults: [InjectedFault] = [
        .init(
            atSeconds: 2,
            fault: .tokensRotated,
            seconds: 1,
            recoverySeconds: 0.5,
            takeover: .init(dispatcherSeconds: 4.8, shards: 85, engineSeconds: 0.3, areClocksLate: false),
            latencies: [0.01, 0.02],
            note: "noted"
        ),
        .init(
            atSeconds: 1,
            fault: .loadRaised(for: .seconds(1)),
            seconds: 1,
            recoverySeconds: nil,
            takeover: nil,
            note: ""
        ),
    ]

    private func result(
        violations: [String] = [],
        problems: [String] = [],
        exits: Int = 0,
        contradictions: [String] = [],
        maxTakeover: Double? = nil,
        beside others: [InjectedFault] = []
    ) -> ChaosResult {
        var check = InvariantCheck(of: 1)
        check.checkedCount = 9
        check.findings = violations
        return ChaosResult(
            seed: 7,
            command: "rangers-bench chaos --seed 7",
            faults: faults + others,
            load: RequestJournal.Tally(requests: [0: 3, 200: 1_234], acknowledged: 5, repeated: 1),
            acceptedPushes: 6,
            activities: 4,
            abandonedActivities: 1,
            clockMovesPerSecond: (10, 8, 9.5),
            nodes: [
                .init(
                    number: 1,
                    roles: "api",
                    memory: .init(first: 50_000_000, highest: 60_000_000, last: 55_000_000),
                    failedStarts: 2,
                    unexpectedExits: exits
                )
            ],
            check: InvariantResults(checks: [check]),
            history: HistoryResults(
                reads: 1_000,
                writes: 20,
                refused: 3,
                unknown: 2,
                objects: 5,
                parties: 4,
                undecided: 1,
                findings: contradictions
            ),
            raids: ChaosRaidTally(raids: 3, defeated: 2, rounds: 1_200, fights: 9, longestWaitSeconds: 5.04),
            maxTakeoverSeconds: maxTakeover,
            problems: problems,
            seconds: 30
        )
    }

    @Test func `a failed run is reported with the command that repeats it`() {
        #expect(throws: Never.self) { try result().report.check() }
        for failed in [
            result(violations: ["wrong"]), result(problems: ["odd"]), result(exits: 1),
            result(contradictions: ["stale"]),
        ] {
            #expect(!failed.holds)
            #expect(throws: BenchmarkFailure("The run failed; repeat it with: rangers-bench chaos --seed 7")) {
                try failed.report.check()
            }
        }
    }

    @Test func `a takeover beyond the limit fails the run`() {
        #expect(throws: Never.self) { try result(maxTakeover: 4.8).report.check() }
        #expect(
            throws: BenchmarkFailure(
                "A takeover by dispatchers took more than 4.7 s. "
                    + "The run failed; repeat it with: rangers-bench chaos --seed 7"
            )
        ) { try result(maxTakeover: 4.7).report.check() }
    }

    @Test func `the JSON object has the promised fields`() throws {
        let object = try result(problems: ["odd"]).report.object
        #expect(
            object.keys.sorted() == [
                "acceptedPushes", "activities", "clockMovesPerSecond", "command", "engineTakeoverSeconds", "excused",
                "faults", "history", "invariants", "load", "lockedShards", "nodes", "problems", "raids", "seconds",
                "seed", "takeoverSeconds", "violations",
            ]
        )
        let faults = try #require(object["faults"] as? [[String: Any]])
        #expect(
            faults.map { $0["fault"] as? String } == ["devices: all tokens rotated", "players: more of them for 1.0 s"]
        )
        #expect(
            faults[0].keys.sorted() == [
                "atSeconds", "fault", "isOutage", "note", "recoverySeconds", "seconds", "takeover", "target",
            ]
        )
        #expect(object["violations"] as? [String] == ["odd"])
        for (name, seconds) in [("takeoverSeconds", 4.8), ("engineTakeoverSeconds", 0.3)] {
            let takeover = try #require(object[name] as? [String: Double])
            #expect(takeover == ["p50": seconds, "p99": seconds, "max": seconds, "counted": 1, "nodeFaults": 1])
        }
        let node = try #require((object["nodes"] as? [[String: Any]])?.first)
        #expect(
            node.keys.sorted() == [
                "bytesAfter", "bytesBefore", "failedStarts", "maxBytes", "number", "roles", "unexpectedExits",
            ]
        )
    }

    @Test func `requests while a node or the network had a fault say nothing of locked shards`() {
        let link = ChaosFault.Link(node: 0, peer: .apns, kind: .lossy)
        for fault: ChaosFault in [.nodeStopped(0, for: .seconds(1)), .linkBroken(link, for: .seconds(1))] {
            let beside = InjectedFault(
                atSeconds: 3.4,
                fault: fault,
                seconds: 1,
                recoverySeconds: 0,
                takeover: nil,
                note: ""
            )
            #expect(result(beside: [beside]).report.lines(fitting: nil).contains { $0.hasSuffix("(0 requests)") })
        }
    }

    @Test func `faults are listed in the order of their beginning, with the slowest recovery at the end`() throws {
        let lines = result(problems: ["odd"]).report.lines(fitting: nil)
        let first = try #require(lines.firstIndex { $0.contains("more of them") })
        let second = try #require(lines.firstIndex { $0.contains("tokens rotated") })
        #expect(first < second)
        #expect(lines.contains("Requests: 3 without a response, 1,234 × 200"))
        #expect(lines.contains("Clocks moved per second: 10.0 before, 8.0 during, 9.5 after"))
        #expect(lines.contains("Takeover by dispatchers: p50 4.8 s, p99 4.8 s, max 4.8 s (1 of 1 counted)"))
        #expect(lines[second].contains(#/1\.0 +0\.5 +4\.8 +0\.3 +noted/#))
        #expect(lines.contains("problem: odd"))
        #expect(
            lines.contains(
                "Raids: 3, 2 of them defeated, with 1,200 rounds and 9 fights; a round waited for 5.0 s at most"
            )
        )
        #expect(
            lines.contains(
                "Requests to other shards while only shards were locked: p50 10.0 ms, p99 20.0 ms (2 requests)"
            )
        )
        #expect(
            lines.contains(
                "History: 1,000 reads and 20 writes of 5 parties and adventures, 3 refused, 2 with an unknown outcome; "
                    + "4 parties searched, 1 of them undecided; 0 contradictions"
            )
        )
        #expect(
            lines.last
                == "2 faults in 30 s, the run failed; the slowest recovery took 0.5 s (devices: all tokens rotated)."
        )
    }
}
