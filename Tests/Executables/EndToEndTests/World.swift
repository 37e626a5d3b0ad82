import Foundation
import GameCore
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import SimulatedPlayers
import Synchronization
import TestSupport

/// Everything that the whole needs, made of the real executables: an empty database, a provider key, the simulator,
/// an operator, and as many servers as a test starts.
final class World: Sendable {
    /// A server that serves.
    struct Server {
        let program: RunningProgram
        /// Where it serves; zero for one without the role `api`.
        let port: Int
        /// Where its metrics are, if that was asked for.
        var metricsPort: Int? = nil

        var url: URL {
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("a port is a number") }
            return url
        }
    }

    /// The pace of these tests; what is pushed is spaced so that a fight of some seconds shows the difference.
    private static let pace = [
        "RANGERS_JOURNEY_TICK": "200ms",
        "RANGERS_BOSS_TURN": "300ms",
        // Life is slower; these players ask as much more often as their game is faster.
        "RANGERS_LIMIT_TOKEN_BURST": "0",
        "RANGERS_LIMIT_ADDRESS_BURST": "0",
        "RANGERS_LIMIT_REGISTRATION_BURST": "0",
        "RANGERS_LIMIT_WRONG_CODE_BURST": "0",
        "RANGERS_CADENCE_FREQUENT_TURN_SPACING": "1s",
        "RANGERS_CADENCE_FREQUENT_LOW_SPACING": "1s",
        "RANGERS_CADENCE_STANDARD_TURN_SPACING": "3s",
        "RANGERS_CADENCE_STANDARD_LOW_SPACING": "3s",
        // A journey that takes seconds may spend all of a phone's budget; the fight that follows at once needs some of it.
        "RANGERS_CADENCE_STANDARD_HIGH_REFILL": "8s",
    ]
    /// A port that is known before anybody listens at it: below those that the system hands out, and another one in each
    /// test process.
    private static let knownPort = 20_000 + Int(ProcessInfo.processInfo.processIdentifier % 10_000)
    static let keyID = "TESTKEY001"
    static let teamID = "TESTTEAM01"
    static let bundleID = "com.example.emoji-rangers"

    let directory: URL
    /// What every server starts with.
    let environment: [String: String]
    /// Where the phones are.
    let simulatorURL: URL
    /// Where the simulator's channels are managed.
    let channelsPort: Int
    /// The database, past all servers.
    let store: GameStore
    /// Where servers listen, unless a test says otherwise; 0 for any free port.
    private let serverPort: Int
    private let programs: Mutex<[RunningProgram]>

    /// The operator whose token the simulator is told of, once there is one.
    static let pageOperator = "page"

    /// Makes a world for a test, and ends all of it when the test is over.
    ///
    /// Where the simulator is to know the server, as it must for players on its phones, there can be one server only.
    static func with(withGame: Bool = false, _ test: (World) async throws -> Void) async throws {
        // A name that finds whoever takes the path of a URL, or of a word of a shell, for the path of a file.
        let directory = FileManager.default.temporaryDirectory.appending(path: "rangers tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let world = try await World(in: directory, withGame: withGame)
        do {
            try await test(world)
        } catch {
            try await world.end()
            throw error
        }
        try await world.end()
    }

    private init(in directory: URL, withGame: Bool) async throws {
        self.directory = directory
        let key = directory.appending(path: "provider.p8").path(percentEncoded: false)
        let authority = directory.appending(path: "apns-ca.pem").path(percentEncoded: false)
        let ready = directory.appending(path: "simulator.json")
        let making = try RunningProgram(
            "apns-simulator",
            ["make-key", "--out", key],
            environment: [:],
            log: directory.appending(path: "make-key.log")
        )
        guard try await making.end() == 0 else { throw TimeLimitExceeded(description: making.output) }
        let port = withGame ? Self.knownPort : 0
        let viewer = directory.appending(path: "\(Self.pageOperator).token").path(percentEncoded: false)
        let game = withGame ? ["--game-server", "http://127.0.0.1:\(port)", "--operator-token-file", viewer] : []
        serverPort = port
        let simulator = try RunningProgram(
            "apns-simulator",
            [
                "serve", "--http-port", "0", "--apns-port", "0", "--ca-file", authority, "--key-file", key,
                "--key-id", Self.keyID, "--team-id", Self.teamID, "--bundle-id", Self.bundleID,
                "--ready-file", ready.path(percentEncoded: false),
            ] + game,
            environment: [:],
            log: directory.appending(path: "apns-simulator.log")
        )
        programs = Mutex([simulator])
        let ports = try await ReadyFile.read(ready, of: simulator)
        let databaseURL = try await TestDatabases.make()
        environment = Self.pace.merging([
            "RANGERS_DATABASE_URL": databaseURL,
            "RANGERS_APNS_ENVIRONMENT": "simulator",
            "RANGERS_APNS_HOST": "127.0.0.1",
            "RANGERS_APNS_PORT": "\(ports.apnsPort ?? 0)",
            "RANGERS_APNS_CA_FILE": authority,
            "RANGERS_APNS_KEY_FILE": key,
            "RANGERS_APNS_KEY_ID": Self.keyID,
            "RANGERS_APNS_TEAM_ID": Self.teamID,
            "RANGERS_APNS_BUNDLE_ID": Self.bundleID,
        ]) { $1 }
        simulatorURL = Server(program: simulator, port: ports.httpPort ?? 0).url
        channelsPort = ports.channelsPort ?? 0
        let logger = Logger(label: "end to end") { _ in SwiftLogNoOpLogHandler() }
        store = GameStore(pool: PostgresPool(configuration: .init(uri: databaseURL), logger: logger))
    }

    /// Starts a server and waits until it serves.
    /// - Parameters:
    ///   - port: nil for any free one, or for the one that the simulator knows.
    ///   - settings: in addition to ``environment``.
    /// - Returns: the server, which answers by now.
    /// - Throws: ``TimeLimitExceeded`` with what it said when it ended instead.
    func startServer(port: Int? = nil, _ settings: [String: String] = [:]) async throws -> Server {
        let ready = directory.appending(path: "rangersd-\(UUID().uuidString).json")
        let program = try start(
            "rangersd",
            ["serve", "--port", "\(port ?? serverPort)", "--ready-file", ready.path(percentEncoded: false)],
            environment: environment.merging(settings) { $1 }
        )
        let ports = try await ReadyFile.read(ready, of: program)
        return Server(program: program, port: ports.httpPort ?? 0, metricsPort: ports.metricsPort)
    }

    /// Spreads the schema as over a Citus cluster: from then on no transaction may change two shards.
    /// - Parameter settings: in addition to ``environment``.
    /// - Throws: ``TimeLimitExceeded`` with what was said when that is refused.
    func distribute(_ settings: [String: String] = [:]) async throws {
        _ = try await PostgresShell.run(DistributionStandIn.sql, on: databaseURL)
        let all = environment.merging(settings) { $1 }
        let (status, output) = try await run("rangersd", "migrate", "--distributed", environment: all)
        guard status == 0 else { throw TimeLimitExceeded(description: output) }
    }

    /// Whether a transaction tried to change two shards since.
    func hasMixedShards() async throws -> Bool {
        try await PostgresShell.run("SELECT is_called FROM stand_in.offences", on: databaseURL) != "f\n"
    }

    /// Where the database is, for whoever needs no pooler.
    var databaseURL: String { environment["RANGERS_DATABASE_URL"] ?? "" }

    /// Starts a program with its output in a file of its own.
    func start(_ name: String, _ arguments: [String], environment: [String: String]) throws -> RunningProgram {
        let log = directory.appending(path: "\(name)-\(UUID().uuidString).log")
        let program = try RunningProgram(name, arguments, environment: environment, log: log)
        programs.withLock { $0.append(program) }
        return program
    }

    /// Starts a program of the system with its output in a file of its own.
    func startSystemProgram(_ path: String, _ arguments: [String], environment: [String: String]) throws
        -> RunningProgram
    {
        let url = URL(filePath: path)
        let log = directory.appending(path: "\(url.lastPathComponent)-\(UUID().uuidString).log")
        let program = try RunningProgram(at: url, arguments, environment: environment, log: log)
        programs.withLock { $0.append(program) }
        return program
    }

    /// Runs a program to its end.
    /// - Returns: how it ended, and all it said.
    func run(
        _ name: String,
        _ arguments: String...,
        environment: [String: String]
    ) async throws -> (status: Int32, output: String) {
        let program = try start(name, arguments, environment: environment)
        let status = try await program.end(within: .seconds(120))
        return (status, program.output)
    }

    /// Makes an operator.
    /// - Returns: the file with the token.
    func createOperator(_ name: String, role: String) async throws -> URL {
        let (status, output) = try await run(
            "rangersd",
            "operator",
            "create",
            name,
            "--role",
            role,
            environment: environment
        )
        // The token stands alone in the first line; the rest is for people.
        guard status == 0, let token = output.split(separator: "\n").first(where: { $0.hasPrefix("ero_") }) else {
            throw TimeLimitExceeded(description: output)
        }
        let file = directory.appending(path: "\(name).token")
        try Data(token.utf8).write(to: file)
        return file
    }

    /// An operator at a terminal.
    func console(of server: Server) async throws -> OperatorConsole {
        guard let rangersctl = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "rangersctl")
        else { preconditionFailure("a test process has an executable") }
        let tokenFile = try await createOperator("console", role: "admin")
        return OperatorConsole(rangersctl: rangersctl, server: server.url, tokenFile: tokenFile)
    }

    private func end() async throws {
        for program in programs.withLock(\.self) { try await program.crash() }
    }
}

/// What the executables write once they serve.
private struct ReadyFile: Decodable {
    let httpPort: Int?
    let metricsPort: Int?
    let apnsPort: Int?
    let channelsPort: Int?

    static func read(_ url: URL, of program: RunningProgram) async throws -> ReadyFile {
        try await eventually("the ready file \(url.lastPathComponent)") {
            guard program.exitStatus == nil else { throw TimeLimitExceeded(description: program.output) }
            guard let data = try? Data(contentsOf: url) else { return nil }
            return try JSONDecoder().decode(ReadyFile.self, from: data)
        }
    }
}
