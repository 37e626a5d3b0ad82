import Foundation
import GameCore
import GameStore
import Logging
import PostgresClient
import PrivatePostgres
import SimulatedPlayers
import Synchronization
import TestSupport

/// A complete system of the real executables: an empty database, a provider key, the simulator, operators, and the
/// servers that a test starts.
final class TestDeployment: Sendable {
    /// A running server.
    struct Server {
        let program: RunningProgram
        /// The port; zero for a server without the role `api`.
        let port: Int
        /// The metrics port, if enabled.
        var metricsPort: Int? = nil

        var url: URL {
            guard let url = URL(string: "http://127.0.0.1:\(port)") else { preconditionFailure("the URL is valid") }
            return url
        }
    }

    /// The settings for fast games.
    ///
    /// The spacing of pushes is short enough that the cadences of the phones differ visibly within a fight of some
    /// seconds.
    private static let pace = [
        "RANGERS_JOURNEY_TICK": "200ms",
        "RANGERS_BOSS_TURN": "300ms",
        // The players of a fast game send requests faster than the limits allow.
        "RANGERS_LIMIT_TOKEN_BURST": "0",
        "RANGERS_LIMIT_ADDRESS_BURST": "0",
        "RANGERS_LIMIT_REGISTRATION_BURST": "0",
        "RANGERS_LIMIT_WRONG_CODE_BURST": "0", "RANGERS_QUOTA_PARTIES": "0", "RANGERS_QUOTA_ADVENTURES": "0",
        "RANGERS_CADENCE_FREQUENT_TURN_SPACING": "1s",
        "RANGERS_CADENCE_FREQUENT_LOW_SPACING": "1s",
        "RANGERS_CADENCE_STANDARD_TURN_SPACING": "3s",
        "RANGERS_CADENCE_STANDARD_LOW_SPACING": "3s",
        // A short journey can spend a phone's whole budget, and the fight that follows needs some of it.
        "RANGERS_CADENCE_STANDARD_HIGH_REFILL": "\(standardRefill)s",
    ]
    /// The seconds after which the server allows a phone without frequent pushes one more push of priority 10.
    static let standardRefill = 8
    /// The phones' limit for an hour, above everything that the server sends.
    private static let standardBudget = 3_600 / standardRefill + 50
    /// A port chosen before the server starts: below the system's ephemeral ports, and different in each test process.
    private static let fixedPort = 20_000 + Int(ProcessInfo.processInfo.processIdentifier % 10_000)
    static let keyID = "TESTKEY001"
    static let teamID = "TESTTEAM01"
    static let bundleID = "com.example.emoji-rangers"

    let directory: URL
    /// The settings of every server.
    let environment: [String: String]
    /// The address of the simulator's page and phones.
    let simulatorURL: URL
    /// The simulator's port for channel management.
    let channelsPort: Int
    /// Direct access to the database.
    let store: GameStore
    /// The default port of servers; 0 for any free port.
    private let serverPort: Int
    private let programs: Mutex<[RunningProgram]>

    /// The name of the operator whose token the simulator reads.
    static let pageOperator = "page"

    /// Creates a deployment for a test and stops it afterwards.
    ///
    /// With `withGame`, the simulator knows the server's address, so there can be only one server.
    static func with(withGame: Bool = false, _ test: (TestDeployment) async throws -> Void) async throws {
        // The space and the umlaut detect code that confuses URL paths, shell words and file paths.
        let directory = FileManager.default.temporaryDirectory.appending(path: "rangers tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let deployment = try await TestDeployment(in: directory, withGame: withGame)
        do {
            try await test(deployment)
        } catch {
            try await deployment.end()
            throw error
        }
        try await deployment.end()
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
        let port = withGame ? Self.fixedPort : 0
        let viewer = directory.appending(path: "\(Self.pageOperator).token").path(percentEncoded: false)
        let game = withGame ? ["--game-server", "http://127.0.0.1:\(port)", "--operator-token-file", viewer] : []
        serverPort = port
        let simulator = try RunningProgram(
            "apns-simulator",
            [
                "serve", "--http-port", "0", "--apns-port", "0", "--ca-file", authority, "--key-file", key,
                "--key-id", Self.keyID, "--team-id", Self.teamID, "--bundle-id", Self.bundleID,
                "--ready-file", ready.path(percentEncoded: false), "--standard-budget", "\(Self.standardBudget)",
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
            "RANGERS_APNS_CHANNELS_PORT": "\(ports.channelsPort ?? 0)",
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

    /// Starts a server and waits until it is ready.
    /// - Parameters:
    ///   - port: nil for the default port.
    ///   - settings: added to ``environment``.
    ///   - executable: `rangersd`, or a program that embeds it.
    /// - Returns: the server.
    /// - Throws: ``TimeLimitExceeded`` with the output of a server that has exited.
    func startServer(
        port: Int? = nil,
        _ settings: [String: String] = [:],
        executable: String = "rangersd"
    ) async throws -> Server {
        let ready = directory.appending(path: "rangersd-\(UUID().uuidString).json")
        let program = try start(
            executable,
            ["serve", "--port", "\(port ?? serverPort)", "--ready-file", ready.path(percentEncoded: false)],
            environment: environment.merging(settings) { $1 }
        )
        let ports = try await ReadyFile.read(ready, of: program)
        return Server(program: program, port: ports.httpPort ?? 0, metricsPort: ports.metricsPort)
    }

    /// Distributes the schema as on a Citus cluster: from then on no transaction may change two shards.
    /// - Parameter settings: added to ``environment``.
    /// - Throws: ``TimeLimitExceeded`` with the output when the migration fails.
    func distribute(_ settings: [String: String] = [:]) async throws {
        _ = try await PostgresShell.run(DistributionStandIn.sql, on: databaseURL)
        let all = environment.merging(settings) { $1 }
        let (status, output) = try await run("rangersd", "migrate", "--distributed", environment: all)
        guard status == 0 else { throw TimeLimitExceeded(description: output) }
    }

    /// Returns whether a transaction has tried to change two shards.
    func hasMixedShards() async throws -> Bool {
        try await PostgresShell.run("SELECT is_called FROM stand_in.offences", on: databaseURL) != "f\n"
    }

    /// The database's URL, without a pooler.
    var databaseURL: String { environment["RANGERS_DATABASE_URL"] ?? "" }

    /// Starts an executable of this package, with a log file.
    func start(_ name: String, _ arguments: [String], environment: [String: String]) throws -> RunningProgram {
        let log = directory.appending(path: "\(name)-\(UUID().uuidString).log")
        let program = try RunningProgram(name, arguments, environment: environment, log: log)
        programs.withLock { $0.append(program) }
        return program
    }

    /// Starts a program of the system, with a log file.
    func startSystemProgram(_ path: String, _ arguments: [String], environment: [String: String]) throws
        -> RunningProgram
    {
        let url = URL(filePath: path)
        let log = directory.appending(path: "\(url.lastPathComponent)-\(UUID().uuidString).log")
        let program = try RunningProgram(at: url, arguments, environment: environment, log: log)
        programs.withLock { $0.append(program) }
        return program
    }

    /// Runs a program until it exits.
    /// - Returns: its exit status and output.
    func run(
        _ name: String,
        _ arguments: String...,
        environment: [String: String]
    ) async throws -> (status: Int32, output: String) {
        let program = try start(name, arguments, environment: environment)
        let status = try await program.end(within: .seconds(120))
        return (status, program.output)
    }

    /// Creates an operator.
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
        // The token is alone on a line.
        guard status == 0, let token = output.split(separator: "\n").first(where: { $0.hasPrefix("ero_") }) else {
            throw TimeLimitExceeded(description: output)
        }
        let file = directory.appending(path: "\(name).token")
        try Data(token.utf8).write(to: file)
        return file
    }

    /// Creates an operator with the role admin, and returns a `rangersctl` with the operator's token.
    func console(of server: Server) async throws -> OperatorConsole {
        guard let rangersctl = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "rangersctl")
        else { preconditionFailure("the test process has an executable") }
        let tokenFile = try await createOperator("console", role: "admin")
        return OperatorConsole(rangersctl: rangersctl, server: server.url, tokenFile: tokenFile)
    }

    private func end() async throws {
        for program in programs.withLock(\.self) { try await program.crash() }
    }
}

/// The ready file of an executable.
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
