import ArgumentParser
import Foundation
import Testing

@testable import Benchmarks

@Suite struct TicksTests {
    private func cost(ticks: Int = 1_000, seconds: Double = 0.5, walBytes: Double = 4_000) -> TickCost {
        TickCost(
            work: TickWork(ticks: ticks, events: 2 * ticks, moves: 50, ends: 10),
            seconds: seconds,
            walBytes: walBytes,
            processSeconds: 0.25,
            postgresSeconds: 0.001
        )
    }

    private var report: Report {
        let statement = { (sql: String) in
            StatementStatistics(statement: sql, calls: 3, milliseconds: 6, rows: 300, walBytes: 30_000)
        }
        return TicksResult(
            parties: 100,
            windows: [cost(), cost(seconds: 1), cost(walBytes: 9_000)],
            plainInserts: [7, 9, 8],
            takeoverMilliseconds: 12.34,
            databaseBytes: 250_000,
            statements: ["UPDATE shards", "COPY parties", "INSERT INTO plain_ticks SELECT"].map(statement)
        ).report
    }

    @Test func `there is a row for each window, and the medians of all`() {
        #expect(
            report.lines(fitting: nil) == [
                "TICKS/S  ENDS/S  MOVES/S  WAL BYTES  POSTGRES µS  PROCESS µS  CORES  PLAIN INSERTS/S",
                "  2,000      20      100        4.0         1.00      250.00   0.50                7",
                "  1,000      10       50        4.0         1.00      250.00   0.25                9",
                "  2,000      20      100        9.0         1.00      250.00   0.50                8",
                "",
                "100 live parties: 2,000 ticks per second (median of 3), 4.0 bytes of WAL and 1.00 µs of PostgreSQL each; "
                    + "8 plain inserts per second.",
                "The follower derived every tick. Ends are recorded in the same time; WAL bytes and µs of CPU time are per "
                    + "tick.",
                "A node takes over a shard with 1,000 live adventures in 12.3 ms. The parties took 2,500 bytes each.",
                "",
                "STATEMENT      CALLS  MS PER CALL  ROWS PER CALL  µS PER TICK  WAL PER TICK",
                "UPDATE shards      3        2.000          100.0        2.000          10.0",
            ]
        )
    }

    @Test func `the JSON object has every figure`() throws {
        let object = try report.object
        #expect(object["parties"] as? Int == 100 && object["ticksPerSecond"] as? Double == 2_000)
        #expect(object["walBytesPerTick"] as? Double == 4 && object["plainInsertRowsPerSecond"] as? Double == 8)
        #expect(abs(try #require(object["postgresMicrosecondsPerTick"] as? Double) - 1) < 1e-9)
        #expect(object["takeoverMilliseconds"] as? Double == 12.34 && object["databaseBytes"] as? Int == 250_000)
        #expect((object["rows"] as? [[String: Any]])?.map { $0["endsPerSecond"] as? Double } == [20, 10, 20])
        #expect((object["statements"] as? [[String: Any]])?.count == 1)
        #expect(object["ticksOfStatements"] as? Int == 3_000 && object["medianOf"] as? Int == 3)
        for field in object.keys { #expect(TicksBenchmark.configuration.discussion.contains(field)) }
    }

    @Test func `the phases of a snapshot have rows, rates and a ratio`() throws {
        let result = SnapshotResult(
            parties: 100,
            pinnedSeconds: 9,
            rows: [
                (.before, 0, cost()), (.before, 3, cost(ticks: 2_000)), (.pinned, 6, cost()), (.pinned, 9, cost()),
            ]
        )
        #expect(
            result.report.lines(fitting: nil) == [
                "PHASE   FROM S  TICKS/S  ENDS/S  MOVES/S  WAL BYTES  POSTGRES µS  PROCESS µS  CORES",
                "before       0    2,000      20      100        4.0         1.00      250.00   0.50",
                "before       3    4,000      20      100        2.0         0.50      125.00   0.50",
                "pinned       6    2,000      20      100        4.0         1.00      250.00   0.50",
                "pinned       9    2,000      20      100        4.0         1.00      250.00   0.50",
                "",
                "3,000 ticks per second before, 2,000 with a snapshot of 9 s (ratio 0.67), - after it.",
                "Ticks per second are of the time in which the game is played; WAL bytes and µs of CPU time are per tick.",
            ]
        )
        let object = try result.report.object
        #expect(object["ticksPerSecond"] as? Double == 3_000 && object["pinnedTicksPerSecond"] as? Double == 2_000)
        #expect(object["afterTicksPerSecond"] is NSNull && object["pinnedRatio"] as? Double == 2.0 / 3)
    }

    @Test func `the cost of a tick in real time is compared with that of fewer parties`() throws {
        func cost(_ parties: Int, _ seconds: Double) -> IdleCost {
            let window = TickCost(
                work: TickWork(moves: 20, ends: 4),
                seconds: 2,
                walBytes: 600,
                processSeconds: seconds,
                postgresSeconds: 3 * seconds
            )
            return IdleCost(parties: parties, ticksPerSecond: Double(parties) / 10, windows: [window, window])
        }
        let report = IdleRun.report([cost(100, 0.001), cost(10_000, 0.05)])
        #expect(
            report.lines(fitting: nil) == [
                "PARTIES  TICKS/S  ENDS/S  MOVES/S  WAL BYTES/S  ENGINE  POSTGRES  CORES  µS PER TICK",
                "    100       10       2       10          300   0.001     0.002  0.002       200.00",
                " 10,000    1,000       2       10          300   0.025     0.075  0.100       100.00",
                "",
                "A tick with 10,000 parties costs 0.50 times the CPU time of one with 100. Each figure is the median of 5 "
                    + "windows.",
                "Ticks are those that become due by the clock; nobody derives them. Adventures that end are not replaced.",
            ]
        )
        let object = try report.object
        #expect(object["parties"] as? Int == 10_000 && object["processorRatio"] as? Double == 0.5)
    }
}

@Suite(.timeLimit(.minutes(10))) struct TickGameTests {
    @Test func `the follower derives what the engine records, also of replaced adventures`() async throws {
        let server = try await BenchmarkPostgres(settings: [:])
        let game = try await TickGame(parties: 24, connections: 2, on: server)
        var cost = TickCost()
        // Three ticks per adventure and round: some of those that replaced others end, too.
        for _ in 0..<30 { cost += try await game.play() }
        // The follower is one round behind, and adventures end in the middle of a round.
        #expect((24 * 3 * 25...24 * 3 * 30).contains(cost.work.ticks))
        #expect(cost.work.events > cost.work.ticks)
        // A shard whose only adventure has ended stands still.
        #expect((24 * 15...24 * 30).contains(cost.work.moves))
        #expect(cost.work.ends > 24)
        #expect(cost.walBytes > 0)
        try await game.check()
        #expect(try await game.databaseBytes() > 24 * 1_000)
    }

    @Test func `the node that takes a shard over reads all of it`() async throws {
        let server = try await BenchmarkPostgres(settings: [:])
        #expect(try await ShardTakeover.milliseconds(on: server) > 0)
        let uri = try await server.create("plain")
        #expect(try await PlainInserts(into: uri).perSecond() > 0)
    }
}
