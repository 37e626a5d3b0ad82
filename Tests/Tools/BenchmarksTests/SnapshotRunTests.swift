import Foundation
import GameCore
import Testing

@testable import Benchmarks

@Suite struct SnapshotRunTests {
    private func row(_ phase: SnapshotResult.Phase, from second: Double, ticks: Int, dead: Int) -> SnapshotResult.Row {
        SnapshotResult.Row(
            phase: phase,
            fromSeconds: second,
            seconds: 3,
            cost: TickCost(
                ticks: ticks,
                seconds: 2,
                walBytes: Double(ticks) * 2_000,
                engineSeconds: Double(ticks) / 100_000,
                postgresSeconds: Double(ticks) / 25_000
            ),
            tables: [
                TableStatistics(name: "adventures", liveRows: 10, deadRows: dead, bytes: 2_000_000),
                TableStatistics(name: "shards", liveRows: 256, deadRows: 1, bytes: 1_000_000),
            ]
        )
    }

    private var report: Report {
        var result = SnapshotResult(parties: 1_000, connections: 4, pinnedSeconds: 9)
        result.rows = [
            row(.before, from: 0, ticks: 3_000, dead: 5), row(.before, from: 3, ticks: 5_000, dead: 6),
            row(.pinned, from: 6, ticks: 3_000, dead: 700), row(.pinned, from: 9, ticks: 1_000, dead: 9_000),
            row(.after, from: 12, ticks: 3_000, dead: 9),
        ]
        result.tables = [
            (.before, TableStatistics(name: "adventures", liveRows: 10, deadRows: 6, bytes: 2_000_000)),
            (.pinned, TableStatistics(name: "adventures", liveRows: 10, deadRows: 9_000, bytes: 4_500_000)),
        ]
        let update = StatementStatistics(statement: "UPDATE x", calls: 2, milliseconds: 16, rows: 9, walBytes: 9)
        let copy = StatementStatistics(statement: "COPY parties", calls: 9, milliseconds: 99, rows: 9, walBytes: 9)
        result.add([copy, update], of: .before, ticks: 8_000)
        result.add([copy, update], of: .pinned, ticks: 4_000)
        return result.report
    }

    @Test func `the report has the rows of each phase, the tables and the statements`() {
        #expect(
            report.lines(fitting: nil) == [
                "PHASE   FROM S  TICKS/S  ENGINE µS  POSTGRES µS  WAL BYTES  DEAD ROWS  MB",
                "before       0    1,500       10.0         40.0      2,000          6   3",
                "before       3    2,500       10.0         40.0      2,000          7   3",
                "pinned       6    1,500       10.0         40.0      2,000        701   3",
                "pinned       9      500       10.0         40.0      2,000      9,001   3",
                "after       12    1,500       10.0         40.0      2,000         10   3",
                "",
                "2,000 ticks per second before, 1,000 with a snapshot of 9 s (ratio 0.50, minimum 500), 1,500 after it.",
                "Ticks per second are of the time in which the engine plays; µs of CPU time and WAL bytes are per tick.",
                "",
                "TABLE       DEAD BEFORE   MB  DEAD PINNED   MB  DEAD AFTER  MB",
                "adventures            6  2.0        9,000  4.5           -   -",
                "",
                "STATEMENT  µS BEFORE  µS PINNED  µS AFTER",
                "UPDATE x        2.00       4.00         -",
            ]
        )
    }

    @Test func `the JSON object has the rates of the phases`() throws {
        let object = try report.object
        #expect(object["ticksPerSecond"] as? Double == 2_000 && object["pinnedTicksPerSecond"] as? Double == 1_000)
        #expect(object["afterTicksPerSecond"] as? Double == 1_500 && object["lowestTicksPerSecond"] as? Double == 500)
        #expect(object["pinnedRatio"] as? Double == 0.5 && object["pinnedSeconds"] as? Double == 9)
        #expect(object["parties"] as? Int == 1_000 && object["connections"] as? Int == 4)
        #expect((object["rows"] as? [[String: Any]])?.map { $0["phase"] as? String }.count == 5)
        #expect((object["tables"] as? [[String: Any]])?.last?["bytes"] as? Int == 4_500_000)
        #expect((object["statements"] as? [[String: Any]])?.map { $0["microsecondsPerTick"] as? Double } == [2, 4])
    }

    @Test func `an adventure that ends is replaced by one of the same kind, evenly over the shards`() throws {
        let plan = TicksBenchmark.plan(10_000).plan
        var replacements = ReplacementParties(after: plan)
        #expect(replacements.missing(journeys: 5_000, fights: 5_001).isEmpty)
        var seen: Set<Int> = []
        for _ in 0..<3 {
            let missing = replacements.missing(journeys: 4_900, fights: 4_970)
            let numbers = missing.values.flatMap(\.self)
            #expect(numbers.count { plan.isJourney($0) } == 100 && numbers.count { !plan.isJourney($0) } == 30)
            for (shard, numbers) in missing {
                #expect(numbers.allSatisfy { $0 % plan.shards == shard && $0 >= plan.parties })
                #expect(numbers.count <= 130 / plan.shards + 3)
            }
            #expect(seen.isDisjoint(with: numbers))
            seen.formUnion(numbers)
        }
    }

    @Test func `a long query keeps its tables`() {
        #expect(StatementStatistics.shortened("SELECT a,\n  b FROM c") == "SELECT a, b FROM c")
        let long =
            "SELECT " + (0..<40).map { "column\($0)" }.joined(separator: ", ") + "\nFROM boss_turns\nWHERE shard = $1"
        #expect(StatementStatistics.shortened(long) == "SELECT … FROM boss_turns WHERE shard = $1")
        let update = "UPDATE adventures SET " + String(repeating: "x", count: 80)
        #expect(StatementStatistics.shortened(update).count == 64)
    }
}
