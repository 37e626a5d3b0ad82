import Foundation
import GameStore
import HTTPTypes
import PrivatePostgres

/// What nodes need besides their database: a provider key, an APNs to push to, and a folder for all of it.
final class LiveSystem: Sendable {
    private static let keyID = "BENCHKEY01"
    private static let teamID = "BENCHTEAM1"
    private static let bundleID = "com.example.emoji-rangers"
    /// More than a phone shows of one party.
    private static let activitiesOfPhone = 8
    /// Pushes that follow each event at once: what is measured is the way, not what the cadence waits for.
    private static let promptly = [
        "RANGERS_CADENCE_FREQUENT_TURN_SPACING": "1s",
        "RANGERS_CADENCE_FREQUENT_LOW_SPACING": "1s",
        "RANGERS_CADENCE_FREQUENT_HIGH_CAPACITY": "1000",
        "RANGERS_CADENCE_FREQUENT_HIGH_REFILL": "1s",
    ]

    private let folder: URL
    private let key: String
    private let authority: String
    /// Ends the programs and removes the folder, also when this program is killed.
    private let watchdog: Watchdog

    /// Makes a folder and a key.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "rangers-bench-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        watchdog = try Watchdog(endingProcessesAndRemoving: folder.path)
        key = folder.appending(path: "provider.p8").path
        authority = folder.appending(path: "apns-ca.pem").path
        let making = try ServiceProgram(
            "apns-simulator",
            ["make-key", "--out", key],
            in: folder,
            watchedBy: watchdog,
            serves: false
        )
        try await making.finish()
    }

    // A folder left behind in the temporary directory harms nobody.
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Starts the simulator.
    /// - Parameter arguments: further ones.
    /// - Returns: the simulator, which may not serve yet.
    /// - Throws: ``MeasurementFailure`` when there is no such program.
    func startSimulator(_ arguments: [String] = []) throws -> ServiceProgram {
        try ServiceProgram(
            "apns-simulator",
            [
                "serve", "--http-port", "0", "--apns-port", "0", "--ca-file", authority, "--key-file", key,
                "--key-id", Self.keyID, "--team-id", Self.teamID, "--bundle-id", Self.bundleID,
                "--activity-limit", "\(Self.activitiesOfPhone)",
            ] + arguments,
            in: folder,
            watchedBy: watchdog
        )
    }

    /// Starts a server that takes every push, without phones.
    func startAcceptance() throws -> HelperProcess {
        try HelperProcess(arguments: ["push-server", "--ca-file", authority])
    }

    /// Starts a node.
    /// - Parameters:
    ///   - roles: what it does.
    ///   - databaseURL: on which database.
    ///   - apnsPort: where it pushes to.
    ///   - interval: between two ticks of a journey, and two turns of a boss fight.
    ///   - settings: further ones.
    /// - Returns: the node, which may not serve yet.
    /// - Throws: ``MeasurementFailure`` when there is no such program.
    func startNode(
        _ roles: String,
        on databaseURL: String,
        apnsPort: Int,
        interval: Duration,
        settings: [String: String] = [:]
    ) throws -> ServiceProgram {
        let pace = "\(interval.wholeMilliseconds)ms"
        return try ServiceProgram(
            "rangersd",
            ["serve", "--port", "0", "--role", roles, "--log-level", "error"],
            environment: Self.promptly.merging([
                "RANGERS_DATABASE_URL": databaseURL,
                "RANGERS_METRICS_PORT": "0",
                "RANGERS_JOURNEY_TICK": pace,
                "RANGERS_BOSS_TURN": pace,
                "RANGERS_APNS_ENVIRONMENT": "simulator",
                "RANGERS_APNS_HOST": "127.0.0.1",
                "RANGERS_APNS_PORT": "\(apnsPort)",
                "RANGERS_APNS_CA_FILE": authority,
                "RANGERS_APNS_KEY_FILE": key,
                "RANGERS_APNS_KEY_ID": Self.keyID,
                "RANGERS_APNS_TEAM_ID": Self.teamID,
                "RANGERS_APNS_BUNDLE_ID": Self.bundleID,
            ]) { $1 }.merging(settings) { $1 },
            in: folder,
            watchedBy: watchdog
        )
    }

    /// Makes an operator who may do everything.
    /// - Returns: the file with the token, which only its owner can read.
    func makeOperator(_ name: String, on databaseURL: String) async throws -> URL {
        let making = try ServiceProgram(
            "rangersd",
            ["operator", "create", name, "--role", "admin"],
            environment: ["RANGERS_DATABASE_URL": databaseURL],
            in: folder,
            watchedBy: watchdog,
            serves: false
        )
        try await making.finish()
        // The token stands alone in a line; what else is said is for people.
        guard let token = making.output.split(separator: "\n").first(where: { $0.hasPrefix("ero_") }) else {
            throw MeasurementFailure("rangersd did not tell the operator's token")
        }
        let file = folder.appending(path: "\(name).token")
        let isWritten = FileManager.default.createFile(
            atPath: file.path,
            contents: Data(token.utf8),
            attributes: [.posixPermissions: 0o600]
        )
        guard isWritten else { throw MeasurementFailure("the operator's token cannot be kept") }
        return file
    }

    /// Runs the operators' command line.
    func runConsole(_ arguments: [String]) throws -> ServiceProgram {
        try ServiceProgram("rangersctl", arguments, in: folder, watchedBy: watchdog, serves: false)
    }
}

extension Duration {
    /// In milliseconds; what is finer is cut off.
    fileprivate var wholeMilliseconds: Int64 { Int64(self / .milliseconds(1)) }
}

/// What a node says of itself.
struct NodeMetricsReader: Sendable {
    private static let pause = Duration.milliseconds(100)
    private static let longest = Duration.seconds(60)

    let port: Int

    /// All that it tells now.
    func read() throws -> MetricsText {
        var connection = try LoadConnection(port: port)
        let status = try connection.exchange(PreparedRequest(.get, "/metrics").bytes)
        guard status == 200, let answer = connection.lastAnswer else {
            throw MeasurementFailure("a node's metrics were answered with \(status)")
        }
        return MetricsText(String(decoding: answer.body, as: UTF8.self))
    }

    /// Waits until the dispatcher follows all activities that live; adventures may be over by then on a slow machine.
    func awaitActivities(of store: GameStore) async throws {
        var live = 0
        let follows = try await Wait.until(atMost: Self.longest, lookingEvery: Self.pause) {
            live = try await store.liveActivities().values.reduce(0, +)
            return try live > 0 && read().sum("rangers_dispatcher_activities") >= Double(live)
        }
        guard !follows else { return }
        throw MeasurementFailure("the dispatcher does not follow the \(live) activities that live")
    }
}
