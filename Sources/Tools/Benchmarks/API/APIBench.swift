import Foundation
import GameCore
import PrivatePostgres

/// Measures the API, and what it stands on, in turns on one machine.
struct APIBench {
    /// Odd, so that one of them is the median.
    static let runs = 3
    static let commandsPerSecond = 500

    private static let fights = 64
    /// Of each client, of HTTP and of PostgreSQL: as many as the API has to PostgreSQL.
    private static let connections = APIServerCommand.requestConnections
    /// Reads that are recorded: they are all alike, and are run again over and over.
    private static let recordedReads = 400

    /// Of each kind that writes, in one run.
    let requests: Int

    /// Starts what is needed, measures, and stops it.
    func report() async throws -> APIReport {
        let cluster = try await PrivateCluster.start(
            .init(
                isDurable: true,
                // For what is recorded: one file, each line an object.
                settings: [
                    "logging_collector": "on", "log_destination": "jsonlog", "log_rotation_age": "0",
                    "log_rotation_size": "0",
                ]
            )
        )
        let databases = BenchDatabases(cluster: cluster)
        let world = try await databases.create("world")
        let size = APIWorld.Size(requests: requests, rounds: 2 * Self.runs, fights: Self.fights)
        let rounds = try await APIWorld(size, on: world).rounds
        let recording = try await record(rounds[0], in: databases)
        try await databases.store(recording.replays, in: world)

        let api = try Self.server(on: try await databases.create("served", from: "world"))
        defer { api.stop() }
        let answers = String(decoding: try JSONEncoder().encode(StaticAnswers(recording.answers)), as: UTF8.self)
        let fixed = try HelperProcess(arguments: ["api-server", "--answers", answers])
        defer { fixed.stop() }
        let loads = (api: try Self.load(api), fixed: try Self.load(fixed))

        var tally = APITally()
        var progress = Progress(of: Self.runs * (APIRequestKind.allCases.count + 1))
        for run in 0..<Self.runs {
            let replayed = try await databases.create("replayed_\(run)", from: "world")
            for kind in APIRequestKind.allCases {
                let requests = rounds[run][kind] ?? []
                tally.ofAPI[kind, default: []].append(try await loads.api.run(requests, expecting: kind.status))
                tally.ofHTTP[kind, default: []].append(
                    try await loads.fixed.run(requests, expecting: kind.status).perSecond
                )
                guard let replay = recording.replays.first(where: { $0.kind == kind }) else { continue }
                tally.ofSQL[kind, default: []].append(
                    try replay.perSecond(
                        program: cluster.program("pgbench"),
                        uri: replayed,
                        repeats: kind.isRead ? max(requests.count / replay.rows.count, 1) : 1
                    )
                )
                progress.advance()
            }
            tally.paced.append(
                try await loads.api.run(
                    rounds[Self.runs + run][.command] ?? [],
                    expecting: APIRequestKind.command.status,
                    pace: .open(perSecond: Self.commandsPerSecond)
                )
            )
            progress.advance()
        }
        return APIReport(tally)
    }

    /// Sends each request once, one after another, and reads from PostgreSQL's log what came of it.
    private func record(
        _ requests: [APIRequestKind: [PreparedRequest]],
        in databases: BenchDatabases
    ) async throws -> (replays: [StatementReplay], answers: [APIRequestKind: ReceivedAnswer]) {
        let uri = try await databases.create("recorded", from: "world")
        let server = try Self.server(on: uri + "&options=-c%20log_statement%3Dall")
        defer { server.stop() }
        let port = try server.port()
        var answers: [APIRequestKind: ReceivedAnswer] = [:]
        var replays: [StatementReplay] = []
        for kind in APIRequestKind.allCases {
            let requests = Array((requests[kind] ?? []).prefix(kind.isRead ? Self.recordedReads : Int.max))
            let start = try await databases.logBytes()
            var connection = try LoadConnection(port: port)
            for request in requests {
                let status = try connection.exchange(request.bytes)
                guard status == kind.status else {
                    throw MeasurementFailure("\(kind) was answered with \(status) and not \(kind.status)")
                }
            }
            answers[kind] = connection.lastAnswer
            let log = try StatementLog(
                Data(try await databases.log(after: start)),
                of: APIServerCommand.applicationName
            )
            replays.append(
                StatementReplay(
                    kind,
                    try log.requests(requests.count),
                    shards: requests.map(\.shard),
                    clients: Self.connections
                )
            )
        }
        return (replays, answers)
    }

    private static func server(on uri: String) throws -> HelperProcess {
        try HelperProcess(arguments: ["api-server", "--database-url", uri])
    }

    private static func load(_ server: HelperProcess) throws -> HTTPLoad {
        HTTPLoad(port: try server.port(), connections: connections)
    }
}

/// What the runs came to.
struct APITally {
    var ofAPI: [APIRequestKind: [HTTPLoad.Figures]] = [:]
    /// Requests a second.
    var ofHTTP: [APIRequestKind: [Double]] = [:]
    /// Requests a second.
    var ofSQL: [APIRequestKind: [Double]] = [:]
    /// Commands at a fixed rate.
    var paced: [HTTPLoad.Figures] = []
}
