import ArgumentParser
import Encodings
import Foundation
import GameCore
import HTTPTypes
import PostgresClient

/// `rangers-bench receipts`: the cost of what devices report.
struct ReceiptsBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "receipts",
        abstract: "Sends devices' reports at a fixed rate, and measures what they cost node and PostgreSQL.",
        discussion: """
            A node serves the API, rangersd from the folder of this program, on a private PostgreSQL whose commits reach the disk; \
            without an engine, nothing else runs statements. \(fighters) devices each show one activity of a boss fight, and report it in turns, each time with a newly shown \
            state. The default rate is that of a million reports an hour. First the node and PostgreSQL run idle for as long, \
            whose cost is subtracted. The repetitions are the same reports again, which change nothing.

            JSON: {perSecond, p50Milliseconds, p99Milliseconds, reports, statementsPerReport, walBytesPerReport, databaseCPUMicroseconds, nodeCPUMicroseconds, rows, bytesPerRow, repetitions: {perSecond, \
            p50Milliseconds, p99Milliseconds, writes}}.
            """
    )
    static let reportsSpeed = true
    /// The number of devices, each with a player of its own: so many that each row is written once a minute or so.
    private static let fights = 512
    private static let fightersPerFight = 8
    private static var fighters: Int { fights * fightersPerFight }
    private static let connections = 10
    /// More than all statements of a node.
    private static let maxStatements = 1_000

    @Option(help: ArgumentHelp("The duration of the measurement.", valueName: "seconds"))
    var seconds = 20

    @Option(help: ArgumentHelp("The number of reports a second.", valueName: "count"))
    var rate = 278

    @Option(help: ArgumentHelp("The number of boss fights with eight devices each.", valueName: "count"))
    var fights = Self.fights

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--seconds", seconds, in: 1...3_600)
        try Self.check("--rate", rate, in: 1...10_000)
        try Self.check("--fights", fights, in: 1...4_096)
    }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres()
        let uri = try await server.create("receipts")
        let games = try await APIFixture.fights(fights, heroes: Self.fightersPerFight, on: uri)
        let launcher = try await ServiceLauncher()
        let node = try launcher.startNode("api", on: uri, apnsPort: nil, interval: APIBenchmark.bossTurn)
        defer { node.kill() }
        let load = HTTPLoad(port: try await node.port(), connections: Self.connections)
        let devices = games.flatMap { game in game.tokens.map { ReportingDevice(of: $0, showing: game.id) } }
        _ = try await load.run(devices.map(\.deviceRegistration), expecting: 201)
        _ = try await load.run(devices.map(\.activityRegistration), expecting: 201)

        let idle = try await usage(of: node, server) { try await Task.sleep(for: .seconds(seconds)) }
        try await server.checkpoint()
        let start = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000))
        let reports = (0..<seconds * rate).map { number in
            devices[number % devices.count].report(number / devices.count, at: start)
        }
        var measured: HTTPLoad.Result?
        let busy = try await usage(of: node, server) {
            measured = try await load.run(reports, expecting: 202, rate: rate)
        }
        guard let measured else { throw BenchmarkFailure("Nothing was measured") }
        try await server.resetStatements()
        let repeated = try await load.run(Array(reports.suffix(devices.count)), expecting: 202, rate: rate)
        let statements = try await server.statements(of: "receipts", limit: Self.maxStatements)
        let tables = try await TableStatistics.read(from: BenchmarkPostgres.pool(uri))
        return Self.report(
            ReceiptsResult(
                load: measured,
                repetitions: repeated,
                reports: reports.count,
                usage: busy - idle,
                repeatedStatements: statements,
                table: tables.first { $0.name == "activity_receipts" }
            )
        )
    }

    private func usage(
        of node: ChildProgram,
        _ server: BenchmarkPostgres,
        _ body: () async throws -> Void
    ) async throws -> ReceiptsUsage {
        func usage() async throws -> ReceiptsUsage {
            let database = try await server.usage()
            return ReceiptsUsage(
                walBytes: Double(database.walBytes),
                databaseSeconds: database.cpuSeconds,
                statements: try await server.statements(of: "receipts", limit: Self.maxStatements)
                    .reduce(0) { $0 + Double($1.calls) },
                nodeSeconds: ProcessUsage.cpuSeconds(of: node.processIdentifier)
            )
        }
        let before = try await usage()
        try await body()
        return try await usage() - before
    }

    /// Returns the report of a measurement.
    static func report(_ result: ReceiptsResult) -> Report {
        let count = Double(result.reports)
        let repeatedWrites = result.repeatedStatements
            .filter { $0.statement.hasPrefix("INSERT INTO activity_receipts") }
            .reduce(0) { $0 + $1.rows }
        let perReport = result.usage.statements / count
        let perRow = result.table.map { Double($0.bytes) / Double(max(1, $0.liveRows)) }
        var report = Report()
        report.add([
            [
                .number("perSecond", "REPORTS/S", result.load.perSecond, digits: 0),
                .number("p50Milliseconds", "P50 MS", result.load.p50Milliseconds, digits: 2),
                .number("p99Milliseconds", "P99 MS", result.load.p99Milliseconds, digits: 2),
                .number("statementsPerReport", "STATEMENTS", perReport, digits: 2),
                .number("walBytesPerReport", "WAL BYTES", result.usage.walBytes / count),
                .number("databaseCPUMicroseconds", "POSTGRESQL µS", result.usage.databaseSeconds / count * 1_000_000),
                .number("nodeCPUMicroseconds", "NODE µS", result.usage.nodeSeconds / count * 1_000_000),
            ]
        ])
        report.add([
            "The columns from STATEMENTS on are for each of \(result.reports.grouped) reports, beyond what idle programs cost.",
            "\(result.table?.liveRows.grouped ?? "-") rows of \(perRow?.grouped(digits: 0) ?? "-") bytes, with index and dead "
                + "versions. The last reports again: \(repeatedWrites) rows written.",
        ])
        report.set([
            "perSecond": result.load.perSecond, "p50Milliseconds": result.load.p50Milliseconds,
            "p99Milliseconds": result.load.p99Milliseconds, "reports": result.reports,
            "statementsPerReport": perReport,
            "walBytesPerReport": result.usage.walBytes / count,
            "databaseCPUMicroseconds": result.usage.databaseSeconds / count * 1_000_000,
            "nodeCPUMicroseconds": result.usage.nodeSeconds / count * 1_000_000, "rows": result.table?.liveRows,
            "bytesPerRow": perRow,
            "repetitions": Report.Row([
                .value("perSecond", result.repetitions.perSecond),
                .value("p50Milliseconds", result.repetitions.p50Milliseconds),
                .value("p99Milliseconds", result.repetitions.p99Milliseconds), .value("writes", repeatedWrites),
            ]),
        ])
        return report
    }
}

/// What a node and its database used.
struct ReceiptsUsage: Sendable, Hashable {
    let walBytes: Double
    let databaseSeconds: Double
    let statements: Double
    let nodeSeconds: Double

    static func - (later: Self, earlier: Self) -> Self {
        Self(
            walBytes: later.walBytes - earlier.walBytes,
            databaseSeconds: later.databaseSeconds - earlier.databaseSeconds,
            statements: later.statements - earlier.statements,
            nodeSeconds: later.nodeSeconds - earlier.nodeSeconds
        )
    }
}

/// The measurements of `rangers-bench receipts`.
struct ReceiptsResult: Sendable {
    let load: HTTPLoad.Result
    let repetitions: HTTPLoad.Result
    let reports: Int
    /// The usage beyond that of the idle game.
    let usage: ReceiptsUsage
    let repeatedStatements: [StatementStatistics]
    let table: TableStatistics?
}

/// A device that shows one activity, and its requests.
private struct ReportingDevice: Sendable {
    let token: String
    let adventureID: AdventureID
    let deviceID = UUID().uuidString.lowercased()
    let activityID = UUID().uuidString.lowercased()

    init(of token: String, showing adventureID: AdventureID) {
        (self.token, self.adventureID) = (token, adventureID)
    }

    var deviceRegistration: PreparedRequest {
        PreparedRequest(
            .put,
            "/v1/players/me/devices/\(deviceID)",
            token: token,
            body: #"{"environment":"simulator","liveActivitiesEnabled":true,"frequentPushesEnabled":true}"#
        )
    }

    var activityRegistration: PreparedRequest {
        let pushToken = activityID.replacing("-", with: "")
        let body = """
            {"deviceID":"\(deviceID)","pushToken":"\(pushToken)","environment":"simulator","frequentPushesEnabled":true}
            """
        return PreparedRequest(
            .put,
            "/v1/adventures/\(adventureID)/activities/\(activityID)",
            token: token,
            body: body
        )
    }

    /// Returns the report with one more state, one second after the one before.
    func report(_ number: Int, at start: Timestamp) -> PreparedRequest {
        let moment = (start + .seconds(number)).rfc3339
        // A fight has few events: the same states again and again, each time with another budget.
        let sequence = number % 2
        let body = """
            {"sentAt":"\(moment)","device":{"liveActivitiesEnabled":true,"lowPowerMode":false,"budget":{"remaining":\
            \(1_000 - number % 1_000),"level":"frequent","at":"\(moment)"}},"activities":[{"adventureID":"\(adventureID)",\
            "activityID":"\(activityID)","shown":[{"sequence":\(sequence),"at":"\(moment)"}],"showing":\(sequence)}]}
            """
        return PreparedRequest(
            .post,
            "/v1/players/me/devices/\(deviceID)/receipts",
            token: token,
            body: body
        )
    }
}
