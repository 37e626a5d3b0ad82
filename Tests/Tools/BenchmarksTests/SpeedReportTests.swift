import Foundation
import Testing

@testable import Benchmarks

@Suite struct SpeedReportTests {
    private func rounds(_ ticks: Int?, seconds: [Double], own: Double, server: Double) -> [TickFigures] {
        seconds.map {
            TickFigures(ticks: ticks, seconds: $0, walBytes: 50_000, ownSeconds: own, serverSeconds: server)
        }
    }

    private var ticks: TicksReport {
        let game = TicksReport.Lane(
            parties: 100_000,
            connections: 1,
            isFloor: false,
            rounds: rounds(100, seconds: [0.004, 0.002, 0.1], own: 0.001, server: 0.002)
        )
        let floor = TicksReport.Lane(
            parties: 100_000,
            connections: 1,
            isFloor: true,
            rounds: rounds(nil, seconds: [0.003, 0.001, 0.009], own: 0, server: 0.002)
        )
        let larger = TicksReport.Lane(
            parties: 1_000_000,
            connections: 1,
            isFloor: false,
            rounds: rounds(100, seconds: [0.005, 0.005, 0.005], own: 0.001, server: 0.0026)
        )
        let statement = StatementFigures(
            statement: "UPDATE adventures",
            calls: 3,
            milliseconds: 6,
            rows: 300,
            walBytes: 30_000
        )
        return TicksReport([game, floor, larger], statements: [statement], of: game)
    }

    @Test func `ticks are told beside their floor, by the medians`() {
        #expect(
            ticks.lines(fitting: nil) == [
                "  PARTIES  CONNECTIONS  TICKS/S   FLOOR  RATIO  ENGINE µS  POSTGRES µS  WAL BYTES",
                "  100,000            1   25,000  33,333   0.75       10.0         20.0        500",
                "1,000,000            1   20,000       -      -       10.0         26.0        500",
                "",
                "A tick with 1,000,000 parties stored costs 1.20 times the CPU, and 1.25 times the time, of one with "
                    + "100,000, over one connection.",
                "",
                "Each the median of 3 rounds in turns; µs of CPU time and bytes of WAL are of one tick, and the floor is",
                "the same statements without the game, over as many connections.",
                "",
                "STATEMENT          CALLS  MS A CALL  ROWS A CALL  µS A TICK  WAL A TICK",
                "UPDATE adventures      3      2.000          100      20.00         100",
            ]
        )
    }

    private func object(_ report: some Report) throws -> [String: Any] {
        let text = try ReportOptions.json(of: report)
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `the object of ticks for scripts has every figure`() throws {
        let object = try object(ticks)
        #expect(abs(try #require(object["ticksPerSecond"] as? Double) - 25_000) < 0.001)
        #expect(abs(try #require(object["floorTicksPerSecond"] as? Double) - 100_000 / 3) < 0.001)
        #expect(object["ratio"] as? Double == 0.75 && object["walBytesPerTick"] as? Double == 500)
        #expect(object["parties"] as? Int == 100_000 && object["connections"] as? Int == 1)
        let rows = try #require(object["rows"] as? [[String: Any]])
        #expect(rows.map { $0["parties"] as? Int } == [100_000, 1_000_000])
        #expect(rows[0]["ratio"] as? Double == 0.75 && rows[1]["ratio"] == nil)
        #expect(rows[0]["floorTicksPerSecond"] is Double && rows[1]["floorTicksPerSecond"] == nil)
        let growth = try #require(object["growth"] as? [[String: Any]])
        #expect(growth.map { $0["connections"] as? Int } == [1] && growth[0]["mostParties"] as? Int == 1_000_000)
        #expect((object["statements"] as? [[String: Any]])?.first?["calls"] as? Int == 3)
        #expect(object["ticksOfStatements"] as? Int == 300 && object["medianOf"] as? Int == 3)
    }

    @Test func `of ticks the first size with the most connections is told, also without a floor`() throws {
        func lane(_ parties: Int, _ connections: Int, seconds: Double) -> TicksReport.Lane {
            TicksReport.Lane(
                parties: parties,
                connections: connections,
                isFloor: false,
                rounds: rounds(100, seconds: [seconds], own: 0.001, server: 0.002)
            )
        }
        let lanes = [lane(1_000, 4, seconds: 0.01), lane(1_000, 1, seconds: 0.02), lane(9_000, 16, seconds: 0.03)]
        let object = try object(TicksReport(lanes, statements: [], of: lanes[0]))
        #expect(object["parties"] as? Int == 1_000 && object["connections"] as? Int == 4)
        #expect(abs(try #require(object["ticksPerSecond"] as? Double) - 10_000) < 0.001)
        #expect(object["floorTicksPerSecond"] is NSNull && object["ratio"] is NSNull)
        #expect((object["growth"] as? [Any])?.isEmpty == true)
    }

    @Test func `of the pipeline the most parties at the usual interval are told`() throws {
        func row(_ parties: Int, every seconds: Double, p99: Double?) -> PipelineReport.Row {
            PipelineReport.Row(
                parties: parties,
                intervalSeconds: seconds,
                ticksPerSecond: 10,
                pushesPerSecond: Double(parties) / 2,
                refusedPushes: 0,
                p50Milliseconds: p99.map { $0 / 4 },
                p99Milliseconds: p99,
                nodeCores: 0,
                simulatorCores: 0,
                postgresCores: 0
            )
        }
        let rows = [row(100, every: 10, p99: 8), row(1_000, every: 10, p99: 24), row(1_000, every: 2, p99: 900)]
        let object = try object(PipelineReport(rows: rows, cardsOfParty: 4))
        #expect(object["parties"] as? Int == 1_000 && object["pushesPerSecond"] as? Double == 500)
        #expect(object["p50Milliseconds"] as? Double == 6 && object["p99Milliseconds"] as? Double == 24)
        #expect((object["rows"] as? [[String: Any]])?.map { $0["p99Milliseconds"] as? Double } == [8, 24, 900])
        let silent = try self.object(PipelineReport(rows: [row(100, every: 10, p99: nil)], cardsOfParty: 4))
        #expect(silent["p50Milliseconds"] is NSNull && silent["p99Milliseconds"] is NSNull)
    }

    @Test func `of memory the last sample is told`() throws {
        func sample(_ manyBytes: Int) -> MemoryReport.Sample {
            .init(seconds: 1, pushes: 2, fewBytes: 1_000, manyBytes: manyBytes, activities: 100)
        }
        let object = try object(MemoryReport(few: 10, many: 110, samples: [sample(101_000), sample(201_000)]))
        #expect(object["bytesPerActivity"] as? Double == 2_000)
        #expect((object["samples"] as? [[String: Any]])?.map { $0["bytesPerActivity"] as? Double } == [1_000, 2_000])
    }

    @Test func `a row of the pipeline is what came between two readings`() {
        func reading(_ factor: Double, at moment: ContinuousClock.Instant) -> PipelineReading {
            PipelineReading(
                at: moment,
                ticks: 100 * factor,
                accepted: 400 * factor,
                pushes: 410 * factor,
                latencies: HistogramReading(
                    cumulated: [0.01: 200 * factor, 0.02: 400 * factor, .infinity: 400 * factor]
                ),
                nodeSeconds: factor,
                simulatorSeconds: 0.5 * factor,
                postgresSeconds: 0.25 * factor
            )
        }
        let start = ContinuousClock.now
        let row = PipelineReport.Row(
            parties: 100,
            intervalSeconds: 10,
            from: reading(1, at: start),
            to: reading(3, at: start + .seconds(4))
        )
        #expect(row.ticksPerSecond == 50 && row.pushesPerSecond == 200 && row.refusedPushes == 20)
        #expect(row.p50Milliseconds == 10)
        #expect(row.nodeCores == 0.5 && row.simulatorCores == 0.25 && row.postgresCores == 0.125)
        #expect(
            PipelineReport(rows: [row], cardsOfParty: 4).lines(fitting: nil).prefix(2) == [
                "PARTIES  TICK S  TICKS/S  PUSHES/S  REFUSED  P50 MS  P99 MS  NODE  SIMULATOR  POSTGRES",
                "    100    10.0       50       200       20    10.0    19.8  0.50       0.25      0.13",
            ]
        )
    }

    @Test func `an activity takes the difference of memory by the difference of activities`() {
        let sample = MemoryReport.Sample(
            seconds: 30,
            pushes: 5_000,
            fewBytes: 20 * 1_048_576,
            manyBytes: 120 * 1_048_576,
            activities: 102_400
        )
        #expect(sample.bytesPerActivity == 1_024)
        #expect(
            MemoryReport(few: 1_000, many: 103_400, samples: [sample]).lines(fitting: nil).prefix(2) == [
                "SECONDS  PUSHES  MIB WITH 1,000  MIB WITH 103,400  BYTES EACH",
                "     30   5,000            20.0             120.0       1,024",
            ]
        )
    }
}
