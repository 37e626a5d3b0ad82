import Foundation
import Testing

@testable import Benchmarks

@Suite struct TicksTests {
    private func lane(
        _ parties: Int,
        _ connections: Int = 1,
        isFloor: Bool = false,
        seconds: [Double],
        postgresSeconds: Double = 0.002
    ) -> TickLaneResult {
        let rounds = seconds.map {
            TickCost(
                ticks: isFloor ? nil : 100,
                seconds: $0,
                walBytes: 50_000,
                engineSeconds: 0.001,
                postgresSeconds: postgresSeconds
            )
        }
        return TickLaneResult(parties: parties, connections: connections, isFloor: isFloor, rounds: rounds)
    }

    private var report: Report {
        let game = lane(100_000, seconds: [0.004, 0.002, 0.1])
        let floor = lane(100_000, isFloor: true, seconds: [0.003, 0.001, 0.009])
        let larger = lane(1_000_000, seconds: [0.005, 0.005, 0.005], postgresSeconds: 0.0026)
        let statement = StatementStatistics(
            statement: "UPDATE adventures",
            calls: 3,
            milliseconds: 6,
            rows: 300,
            walBytes: 30_000
        )
        return TicksBenchmark.report([game, floor, larger], statements: [statement], of: game)
    }

    @Test func `a row has the medians of the game and its floor`() {
        #expect(
            report.lines(fitting: nil) == [
                "  PARTIES  CONNECTIONS  TICKS/S   FLOOR  RATIO  ENGINE µS  POSTGRES µS  WAL BYTES",
                "  100,000            1   25,000  33,333   0.75       10.0         20.0        500",
                "1,000,000            1   20,000       -      -       10.0         26.0        500",
                "",
                "A tick with 1,000,000 parties costs 1.20 times the CPU time and 1.25 times the time of one with 100,000, "
                    + "over 1 connection.",
                "",
                "Each figure is the median of 3 rounds in turns; µs of CPU time and WAL bytes are per tick. FLOOR is",
                "the same statements without the engine, over as many connections.",
                "",
                "STATEMENT          CALLS  MS PER CALL  ROWS PER CALL  µS PER TICK  WAL PER TICK",
                "UPDATE adventures      3        2.000            100        20.00           100",
            ]
        )
    }

    @Test func `the JSON object has every figure`() throws {
        let object = try report.object
        #expect(abs(try #require(object["ticksPerSecond"] as? Double) - 25_000) < 0.001)
        #expect(abs(try #require(object["floorTicksPerSecond"] as? Double) - 100_000 / 3) < 0.001)
        #expect(object["ratio"] as? Double == 0.75 && object["walBytesPerTick"] as? Double == 500)
        #expect(object["parties"] as? Int == 100_000 && object["connections"] as? Int == 1)
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(rows.map { $0["parties"] as? Int } == [100_000, 1_000_000])
        #expect(rows.map { $0["ratio"] as? Double } == [0.75, nil])
        #expect(rows[0]["floorTicksPerSecond"] is Double && rows[1]["floorTicksPerSecond"] is NSNull)
        let growth = try #require(object["growth"] as? [[String: Any]])
        #expect(growth.map { $0["connections"] as? Int } == [1] && growth[0]["maxParties"] as? Int == 1_000_000)
        #expect((object["statements"] as? [[String: Any]])?.first?["calls"] as? Int == 3)
        #expect(object["ticksOfStatements"] as? Int == 300 && object["medianOf"] as? Int == 3)
    }

    @Test func `the main values are those of the first size with the most connections`() throws {
        let lanes = [
            lane(1_000, 4, seconds: [0.01]), lane(1_000, 1, seconds: [0.02]), lane(9_000, 16, seconds: [0.03]),
        ]
        let object = try TicksBenchmark.report(lanes, statements: [], of: lanes[0]).object
        #expect(object["parties"] as? Int == 1_000 && object["connections"] as? Int == 4)
        #expect(abs(try #require(object["ticksPerSecond"] as? Double) - 10_000) < 0.001)
        #expect(object["floorTicksPerSecond"] is NSNull && object["ratio"] is NSNull)
        #expect((object["growth"] as? [Any])?.isEmpty == true)
    }
}
