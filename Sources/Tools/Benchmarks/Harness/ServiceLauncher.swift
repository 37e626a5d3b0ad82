import Foundation

/// Starts nodes, the APNs simulator and `rangersctl`, with a provider key and a temporary folder for all of them.
final class ServiceLauncher: Sendable {
    private static let keyID = "BENCHKEY01"
    private static let teamID = "BENCHTEAM1"
    private static let bundleID = "com.example.emoji-rangers"
    /// The activity limit of devices: more than the activities of one party on one device.
    private static let activityLimit = 8
    private static let unlimited = [
        "RANGERS_LIMIT_TOKEN_BURST": "0", "RANGERS_LIMIT_ADDRESS_BURST": "0", "RANGERS_LIMIT_REGISTRATION_BURST": "0",
        "RANGERS_LIMIT_WRONG_CODE_BURST": "0", "RANGERS_LIMIT_RECEIPTS_BURST": "0", "RANGERS_QUOTA_PARTIES": "0",
        "RANGERS_QUOTA_ADVENTURES": "0", "RANGERS_QUOTA_DEVICES": "0", "RANGERS_QUOTA_ACTIVITIES": "0",
        "RANGERS_QUOTA_PROFILES": "0",
    ]
    /// A cadence that pushes after each event at once: most benchmarks measure the path of a push, not the cadence.
    private static let immediate = [
        "RANGERS_CADENCE_FREQUENT_TURN_SPACING": "1s", "RANGERS_CADENCE_FREQUENT_LOW_SPACING": "1s",
        "RANGERS_CADENCE_FREQUENT_HIGH_CAPACITY": "1000", "RANGERS_CADENCE_FREQUENT_HIGH_REFILL": "1s",
    ]

    let folder: TemporaryFolder
    private let key: String
    /// The file with the certificate authority of the server that was started last.
    let authority: String

    init() async throws {
        folder = try TemporaryFolder()
        key = folder.path("provider.p8")
        authority = folder.path("apns-ca.pem")
        try await start("apns-simulator", ["make-key", "--out", key], serves: false).finish()
    }

    /// Starts the simulator, which may not serve yet.
    func startSimulator(_ arguments: [String] = []) throws -> ChildProgram {
        try start(
            "apns-simulator",
            [
                "serve", "--http-port", "0", "--apns-port", "0", "--ca-file", authority, "--key-file", key, "--key-id",
                Self.keyID, "--team-id", Self.teamID, "--bundle-id", Self.bundleID, "--activity-limit",
                "\(Self.activityLimit)",
            ] + arguments
        )
    }

    /// Starts an APNs server that accepts every push and has no devices.
    ///
    /// With a file, it writes each push to it as a ``PushArrival``.
    func startAcceptingServer(recordingTo file: String? = nil) throws -> ChildProgram {
        let record = file.map { ["--record", $0] } ?? []
        return try ChildProgram(helper: ["push-server", "--ca-file", authority] + record, in: folder)
    }

    /// Starts a node, which may not serve yet.
    ///
    /// `apnsPort` is nil for a node without APNs. `interval` is the time between two ticks of a journey, and between
    /// two turns of a boss fight; nil is the default of `rangersd`, with its cadence. `settings` take precedence over the default settings of benchmarks.
    func startNode(
        _ roles: String,
        on databaseURL: String,
        apnsPort: Int?,
        interval: Duration?,
        logLevel: String = "error",
        settings: [String: String] = [:]
    ) throws -> ChildProgram {
        let apns = apnsPort.map { port in
            [
                "RANGERS_APNS_ENVIRONMENT": "simulator", "RANGERS_APNS_HOST": "127.0.0.1",
                "RANGERS_APNS_PORT": "\(port)", "RANGERS_APNS_CA_FILE": authority, "RANGERS_APNS_KEY_FILE": key,
                "RANGERS_APNS_KEY_ID": Self.keyID, "RANGERS_APNS_TEAM_ID": Self.teamID,
                "RANGERS_APNS_BUNDLE_ID": Self.bundleID,
            ]
        }
        let pace = interval.map { interval in
            let text = "\(Int64(interval / .milliseconds(1)))ms"
            return ["RANGERS_JOURNEY_TICK": text, "RANGERS_BOSS_TURN": text].merging(Self.immediate) { $1 }
        }
        return try start(
            "rangersd",
            ["serve", "--port", "0", "--role", roles, "--log-level", logLevel],
            environment: [
                "RANGERS_DATABASE_URL": databaseURL, "RANGERS_METRICS_PORT": "0",
            ].merging(Self.unlimited) { $1 }.merging(pace ?? [:]) { $1 }.merging(apns ?? [:]) { $1 }
                .merging(settings) { $1 }
        )
    }

    /// Creates an operator with the role `admin`.
    /// - Returns: a file with the operator's token, readable by its owner only.
    func createOperator(_ name: String, on databaseURL: String) async throws -> URL {
        let output = try await start(
            "rangersd",
            ["operator", "create", name, "--role", "admin"],
            environment: ["RANGERS_DATABASE_URL": databaseURL],
            serves: false
        ).finish()
        // The token is on a separate line.
        guard let token = output.split(separator: "\n").first(where: { $0.hasPrefix("ero_") }) else {
            throw BenchmarkFailure("rangersd printed no operator token")
        }
        let file = folder.url.appending(path: "\(name).token")
        let isWritten = FileManager.default.createFile(
            atPath: file.path,
            contents: Data(token.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten else { throw BenchmarkFailure("The operator token cannot be written to \(file.path)") }
        return file
    }

    /// Starts `rangersctl boss start` for every idle party.
    func startCampaign(_ arguments: [String], port: Int, tokenFile: URL) throws -> ChildProgram {
        try startOperator(
            ["boss", "start"] + arguments + ["--all-idle", "--yes", "--json"],
            port: port,
            tokenFile: tokenFile
        )
    }

    /// Starts `rangersctl`.
    func startOperator(_ arguments: [String], port: Int, tokenFile: URL) throws -> ChildProgram {
        let connection = ["--server", "http://127.0.0.1:\(port)", "--token-file", tokenFile.path]
        return try start("rangersctl", arguments + connection, serves: false)
    }

    private func start(_ name: String, _ arguments: [String], environment: [String: String] = [:], serves: Bool = true)
        throws -> ChildProgram
    {
        try ChildProgram(
            ChildProgram.path(beside: name),
            arguments,
            environment: environment,
            in: folder,
            serves: serves
        )
    }
}
