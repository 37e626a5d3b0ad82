import ArgumentParser
import Foundation
import GameCore
import GameEngine
import GameStore
import HTTPTypes
import Hummingbird
import Logging
import PartyAPI
import PostgresClient
import RangersLogging
import ServiceLifecycle
import ServiceRuntime

/// A helper process that serves the API on a database, or recorded responses without a database.
struct APIServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "api-server", shouldDisplay: false)

    /// The `application_name` of the sessions that serve requests.
    static let applicationName = "requests"
    /// The number of connections for requests: the same as in `rangersd`.
    static let requestConnections = 10
    private static let workConnections = 4
    /// The length of a boss turn: longer than a measurement, since a finished fight accepts no commands.
    private static let bossTurn = Duration.seconds(3_600)

    /// The libpq URI of a migrated database.
    @Option var databaseURL: String?
    /// The recorded responses: ``StaticResponses`` as JSON.
    @Option var responses: String?
    @Option var readyFile: String

    func run() async throws {
        if let databaseURL {
            try await serve(databaseURL)
        } else {
            let responses = try JSONDecoder().decode(StaticResponses.self, from: Data((responses ?? "").utf8))
            try await responses.serve { HelperCommand.report(port: $0, to: readyFile) }
        }
    }

    /// Runs API and engine, each with its own pool, wired and logging as in `rangersd`.
    private func serve(_ databaseURL: String) async throws {
        let logger = Logger(label: "rangers-bench") {
            LineLogHandler(label: $0, format: .text, to: .standardError(now: Runtime.system.now))
        }
        func pool(_ name: String, _ connections: Int) -> PostgresPool {
            PostgresPool(
                configuration: .init(uri: databaseURL, maximumConnections: connections, applicationName: name),
                logger: logger
            )
        }
        let requestPool = pool(Self.applicationName, Self.requestConnections)
        let workPool = pool("work", Self.workConnections)
        let streamWakeSignal = WakeSignal()
        let wakeSignal = WakeSignal(forwardingTo: [streamWakeSignal])
        let settings = GameSettings(bossTurn: Self.bossTurn)
        let store = GameStore(pool: requestPool)
        let api = PartyAPI(
            store: store,
            commands: GameCommands(store: store, settings: settings, runtime: .system, wakeSignal: wakeSignal),
            runtime: .system,
            wakeSignal: streamWakeSignal,
            logger: logger
        )
        let engine = GameEngine(
            store: GameStore(pool: workPool),
            settings: settings,
            runtime: .system,
            wakeSignal: wakeSignal,
            logger: logger
        )
        let server = api.server(host: "127.0.0.1", port: 0) { HelperCommand.report(port: $0, to: readyFile) }
        // The request log is written at its usual cost, and discarded.
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
        try await ServiceGroup(services: [requestPool, workPool, engine, server], logger: logger).run()
    }
}

/// Recorded responses of the API, served by a router that does nothing else: the cost of HTTP alone.
struct StaticResponses: Codable, Sendable {
    /// The headers that the server adds itself.
    private static let serverHeaders: Set<String> = ["content-length", "date", "server", "connection"]

    private struct Entry: Codable, Sendable {
        let status: Int
        let headers: [ReceivedResponse.Header]
        let body: String
    }

    private let entries: [APIRequestKind: Entry]

    init(_ responses: [APIRequestKind: ReceivedResponse]) {
        entries = responses.mapValues { response in
            Entry(
                status: response.status,
                headers: response.headers.filter { !Self.serverHeaders.contains($0.name.lowercased()) },
                body: String(decoding: response.body, as: UTF8.self)
            )
        }
    }

    /// Serves on a free port, which is passed to `onServing`, until the task is cancelled.
    func serve(_ onServing: @escaping @Sendable (Int) -> Void) async throws {
        let router = Router()
        for (kind, entry) in entries {
            let headers = entry.headers.reduce(into: HTTPFields()) { fields, header in
                guard let name = HTTPField.Name(header.name) else { return }
                fields.append(HTTPField(name: name, value: header.value))
            }
            let body = ByteBuffer(string: entry.body)
            router.on(RouterPath(kind.route), method: kind.method) { _, _ in
                Response(status: .init(code: entry.status), headers: headers, body: ResponseBody(byteBuffer: body))
            }
        }
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in onServing(channel.localAddress?.port ?? 0) },
            logger: silentLogger
        )
        try await application.run()
    }
}
