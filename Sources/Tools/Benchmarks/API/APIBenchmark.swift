import ArgumentParser
import Foundation
import GameEngine
import PrivatePostgres

/// `rangers-bench api`: the speed of players' requests.
struct APIBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Sends players' requests to the API, and compares it with what HTTP and SQL alone allow.",
        discussion: """
            A node serves API and engine, rangersd from the folder of this program, on a private PostgreSQL whose \
            commits reach the disk. Two limits are measured in turns with them: a router that gives the same responses without a database, under \
            the same requests; and the statements of the same requests, as PostgreSQL logged them, run by pgbench with \
            their parameters, those of a transaction in one pipeline. All of it shares the machine's cores. Then \
            commands are sent at a fixed rate of \(commandsPerSecond) per second, timed from when each was due. Each \
            figure is the median of \(runs) runs; the whole takes about two minutes.

            JSON: {rows: [{request, perSecond, p50Milliseconds, p99Milliseconds, httpPerSecond, sqlPerSecond, \
            limitPerSecond, ratioToLimit}], commands: {perSecond, p50Milliseconds, p99Milliseconds}, medianOf}.
            """
    )
    static let reportsSpeed = true
    private static let runs = 3
    private static let commandsPerSecond = 500
    /// The number of fights that the requests address.
    private static let fights = 64
    /// The connections of each HTTP and PostgreSQL client: as many as the API has to PostgreSQL.
    private static let connections = 10
    /// The length of a boss turn: longer than a measurement, since a finished fight accepts no commands.
    static let bossTurn = Duration.seconds(3_600)
    /// The number of reads that are recorded; since they are alike, a replay repeats them.
    private static let recordedReads = 400

    @Option(
        help: ArgumentHelp("The number of requests of each kind per run; four times as many reads.", valueName: "count")
    )
    var requests = 1_500

    @OptionGroup var options: ReportOptions

    func validate() throws { try Self.check("--requests", requests, in: 10...20_000) }

    func measure() async throws -> Report {
        let server = try await BenchmarkPostgres(settings: BenchmarkPostgres.jsonLog)
        let fixtureURI = try await server.create("world")
        let rounds = try await APIFixture.rounds(2 * Self.runs, on: fixtureURI, fights: Self.fights, requests: requests)
        let launcher = try await ServiceLauncher()
        let recording = try await record(rounds[0], on: server, launcher)
        try await StatementReplay.store(recording.replays, in: fixtureURI)

        let api = try Self.start("api,engine", on: try await server.create("served", from: "world"), launcher)
        defer { api.kill() }
        let responses = String(decoding: try JSONEncoder().encode(StaticResponses(recording.responses)), as: UTF8.self)
        let router = try ChildProgram(helper: ["response-server", "--responses", responses], in: launcher.folder)
        defer { router.kill() }
        let apiLoad = HTTPLoad(port: try await api.port(), connections: Self.connections)
        let routerLoad = HTTPLoad(port: try await router.port(), connections: Self.connections)

        var results = APIResults()
        var progress = Progress(of: Self.runs * (APIRequestKind.allCases.count + 1))
        for run in 0..<Self.runs {
            let replayed = try await server.create("replayed_\(run)", from: "world")
            for kind in APIRequestKind.allCases {
                let requests = rounds[run][kind] ?? []
                results.api[kind, default: []].append(try await apiLoad.run(requests, expecting: kind.status))
                results.http[kind, default: []].append(
                    try await routerLoad.run(requests, expecting: kind.status).perSecond
                )
                guard let replay = recording.replays.first(where: { $0.kind == kind }) else { continue }
                let repeats = kind.isRead ? max(requests.count / Self.recordedReads, 1) : 1
                results.sql[kind, default: []].append(
                    try await replay.perSecond(
                        program: server.cluster.program("pgbench"),
                        uri: replayed,
                        repeats: repeats,
                        in: launcher.folder
                    )
                )
                progress.advance()
            }
            let commands = rounds[Self.runs + run][.command] ?? []
            let status = APIRequestKind.command.status
            results.fixedRate.append(
                try await apiLoad.run(commands, expecting: status, rate: Self.commandsPerSecond)
            )
            progress.advance()
        }
        return Self.report(results)
    }

    /// Sends each request once, one after another, and reads its statements from PostgreSQL's log.
    private func record(
        _ requests: [APIRequestKind: [PreparedRequest]],
        on server: BenchmarkPostgres,
        _ launcher: ServiceLauncher
    ) async throws -> (replays: [StatementReplay], responses: [APIRequestKind: ReceivedResponse]) {
        let uri = try await server.create("recorded", from: "world")
        // Without the engine role, only requests run statements of the node.
        let api = try Self.start("api", on: uri + "&options=-c%20log_statement%3Dall", launcher)
        defer { api.kill() }
        // If the clocks stood still, some of the requests would record an outage.
        let engine = Task { try await APIFixture.engine(on: uri).run() }
        defer { engine.cancel() }
        let port = try await api.port()
        var responses: [APIRequestKind: ReceivedResponse] = [:]
        var replays: [StatementReplay] = []
        for kind in APIRequestKind.allCases {
            let requests = Array((requests[kind] ?? []).prefix(kind.isRead ? Self.recordedReads : Int.max))
            let start = try await server.logBytes()
            var connection = try LoadConnection(port: port)
            for request in requests { _ = try connection.body(of: request, expecting: kind.status) }
            responses[kind] = connection.lastResponse
            let log = try StatementLog(Data(try await server.log(after: start)), of: "rangersd")
            replays.append(
                StatementReplay(
                    kind,
                    try log.requests(requests.count),
                    shards: requests.map(\.shard),
                    clients: Self.connections
                )
            )
        }
        return (replays, responses)
    }

    private static func start(_ roles: String, on uri: String, _ launcher: ServiceLauncher) throws -> ChildProgram {
        try launcher.startNode(roles, on: uri, apnsPort: nil, interval: bossTurn, logLevel: "info")
    }

    /// Returns the report of all runs; each figure is the median of its runs.
    static func report(_ results: APIResults) -> Report {
        let rows = APIRequestKind.allCases.compactMap { kind -> Report.Row? in
            guard let runs = results.api[kind], let http = results.http[kind], let sql = results.sql[kind] else {
                return nil
            }
            let perSecond = runs.map(\.perSecond).median
            // Both use the same cores, one after the other for each request: times add up, not rates.
            let limit = 1 / (1 / http.median + 1 / sql.median)
            return [
                .text("request", "REQUEST", kind.rawValue), .number("perSecond", "PER SECOND", perSecond),
                .number("p50Milliseconds", "P50 MS", runs.map(\.p50Milliseconds).median, digits: 2),
                .number("p99Milliseconds", "P99 MS", runs.map(\.p99Milliseconds).median, digits: 2),
                .number("httpPerSecond", "HTTP ALONE", http.median), .number("sqlPerSecond", "SQL ALONE", sql.median),
                .number("limitPerSecond", "LIMIT", limit),
                .number("ratioToLimit", "RATIO", perSecond / limit, digits: 2),
            ]
        }
        let p50 = results.fixedRate.map(\.p50Milliseconds).median
        let p99 = results.fixedRate.map(\.p99Milliseconds).median
        var report = Report()
        report.add(rows, as: "rows")
        report.set(
            "commands",
            [.value("perSecond", commandsPerSecond), .value("p50Milliseconds", p50), .value("p99Milliseconds", p99)]
                as Report.Row
        )
        report.set("medianOf", runs)
        report.add([
            "Commands at \(commandsPerSecond) per second: p50 \(p50.grouped(digits: 2)) ms, p99 "
                + "\(p99.grouped(digits: 2)) ms, from when each was due.",
            "Each figure is the median of \(runs) runs in turns; LIMIT is what HTTP and SQL allow on the same cores.",
        ])
        return report
    }
}

/// The results of all runs.
struct APIResults {
    var api: [APIRequestKind: [HTTPLoad.Result]] = [:]
    /// The requests per second over HTTP.
    var http: [APIRequestKind: [Double]] = [:]
    /// The requests per second of PostgreSQL alone.
    var sql: [APIRequestKind: [Double]] = [:]
    /// The results for commands at a fixed rate.
    var fixedRate: [HTTPLoad.Result] = []
}
