import Encodings
import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct ChaosJournalTests {
    private func write(_ key: String, _ status: Int, _ answer: String = "") -> Acknowledged.Write {
        Acknowledged.Write(
            method: "POST",
            path: "/v1/adventures/a/commands",
            key: key,
            body: Data(),
            status: status,
            answer: Data(answer.utf8),
            at: Timestamp(epochSeconds: 1_750_000_000),
            playerID: nil
        )
    }

    @Test func `an outage has to say when to come back, and nothing else may fail the server`() {
        let journal = ChaosJournal()
        journal.answered(200, retryAfter: nil, to: "GET /a")
        journal.answered(503, retryAfter: "2", to: "GET /b")
        journal.answered(nil, retryAfter: nil, to: "GET /c")
        #expect(journal.complaints == [])
        journal.answered(503, retryAfter: nil, to: "GET /d")
        journal.answered(500, retryAfter: "2", to: "GET /e")
        #expect(
            journal.complaints == [
                "GET /d was answered with 503 without Retry-After", "GET /e was answered with 500",
            ]
        )
        #expect(journal.tally.requests == [0: 1, 200: 1, 500: 1, 503: 2])
    }

    @Test func `a write is in doubt until it is answered for certain`() {
        let journal = ChaosJournal()
        journal.note(write("done", 0))
        journal.note(write("refused", 503))
        journal.note(write("open", 0))
        journal.note(write("limited", 429))
        #expect(Set(journal.writes().inDoubt.compactMap(\.key)) == ["done", "refused", "open", "limited"])
        journal.note(write("done", 200))
        journal.note(write("refused", 409))
        #expect(Set(journal.writes().inDoubt.compactMap(\.key)) == ["open", "limited"])
        #expect(journal.writes().acknowledged.map(\.key) == ["done"])
        #expect(journal.tally.acknowledged == 1)
    }

    @Test func `what is sent again has to be answered alike, unless it is not answered`() {
        let journal = ChaosJournal()
        journal.noteRepetition(of: write("a", 200, "one"), answered: write("a", 200, "one"))
        journal.noteRepetition(of: write("a", 200, "one"), answered: write("a", 503))
        journal.noteRepetition(of: write("a", 200, "one"), answered: write("a", 0))
        #expect(journal.complaints == [])
        #expect(journal.tally.repeated == 1)
        journal.noteRepetition(of: write("a", 200, "one"), answered: write("a", 200, "two"))
        journal.noteRepetition(of: write("a", 200, "one"), answered: write("a", 409, "one"))
        #expect(journal.complaints.count == 2)
    }

    @Test func `requests go to each node in turn, wherever it is by now`() {
        let nodes = NodeAddresses()
        #expect(nodes.next() == nil)
        nodes.set(1_000, of: 0)
        nodes.set(3_000, of: 2)
        #expect(Set([nodes.next(), nodes.next()]) == [1_000, 3_000])
        nodes.set(3_001, of: 2)
        #expect(Set([nodes.next(), nodes.next()]) == [1_000, 3_001])
    }
}

@Suite struct ChaosReportTests {
    private let faults: [ChaosRun.Done] = [
        .init(
            atSeconds: 2,
            place: .nodes,
            isOutage: false,
            what: "a fault",
            seconds: 1,
            recoverySeconds: 0.5,
            takeover: .init(dispatcherSeconds: 4.8, shards: 85, engineDueSeconds: 0, engineSeconds: 0.3),
            note: "noted"
        ),
        .init(
            atSeconds: 1,
            place: .apns,
            isOutage: false,
            what: "another",
            seconds: 1,
            recoverySeconds: nil,
            takeover: nil,
            note: ""
        ),
    ]

    private func report(violations: Int = 0, complaints: [String] = [], deaths: Int = 0) -> ChaosReport {
        ChaosReport(
            seed: 7,
            command: "rangers-bench chaos --seed 7",
            faults: faults,
            load: ChaosJournal.Tally(requests: [0: 3, 200: 1_234], acknowledged: 5, repeated: 1),
            acceptedPushes: 6,
            cards: .init(all: 4, abandoned: 1),
            ticksPerSecond: .init(before: 10, during: nil, after: 9.5),
            takeoverSeconds: LongestTakeover(in: faults, \.dispatcherWait).seconds,
            takeover: LongestTakeover(in: faults, \.dispatcherWait),
            engineTakeover: LongestTakeover(in: faults, \.engineWait),
            nodes: [
                .init(
                    number: 1,
                    roles: "api",
                    bytesBefore: 50_000_000,
                    bytesAtMost: 60_000_000,
                    bytesAfter: 55_000_000,
                    vainStarts: 2,
                    deaths: deaths
                )
            ],
            verdict: Verdict(
                rows: [
                    Verdict.Row(
                        invariant: 1,
                        name: "every event is in the log once",
                        lookedAt: 9,
                        things: "entries",
                        violationCount: violations,
                        violations: []
                    )
                ]
            ),
            complaints: complaints,
            violations: complaints,
            seconds: 30
        )
    }

    @Test func `a report in which something did not hold is refused with what repeats it`() {
        #expect(throws: Never.self) { try report().check() }
        for broken in [report(violations: 1), report(complaints: ["odd"]), report(deaths: 1)] {
            #expect(!broken.holds)
            #expect(throws: MeasurementFailure("something did not hold; repeat it by: rangers-bench chaos --seed 7")) {
                try broken.check()
            }
        }
    }

    @Test func `the object for scripts has every fault and violation, and the longest takeover`() throws {
        let json = try ReportOptions.json(of: report(complaints: ["odd"]))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect((object["faults"] as? [[String: Any]])?.map { $0["what"] as? String } == ["a fault", "another"])
        #expect(object["violations"] as? [String] == ["odd"] && object["takeoverSeconds"] as? Double == 4.8)
    }

    @Test func `faults are told in the order in which they began, with the slowest recovery at the end`() throws {
        let lines = report(complaints: ["odd"]).lines(fitting: nil)
        let first = try #require(lines.firstIndex { $0.contains("another") })
        let second = try #require(lines.firstIndex { $0.contains("a fault") })
        #expect(first < second)
        #expect(lines.contains("Requests: 3 unanswered, 1,234 × 200"))
        #expect(lines.contains("Ticks a second: 10.0 before, - during, 9.5 after"))
        #expect(
            lines.contains(
                "Takeover, at the longest: 4.8 s (1 of 1 counted) by dispatchers, 0.3 s (1 of 1 counted) by engines"
            )
        )
        #expect(lines[second].contains(#/1\.0 +0\.5 +4\.8 +0\.3 +noted/#))
        #expect(lines.contains("not as it must be: odd"))
        #expect(lines.last == "2 faults in 30 s, something did not hold; the slowest recovery took 0.5 s (a fault).")
    }
}
