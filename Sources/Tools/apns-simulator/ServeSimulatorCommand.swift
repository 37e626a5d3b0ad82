import APNsSimulator
import ArgumentParser
import Cryptography
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

struct ServeSimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Runs the simulator until SIGINT (Ctrl-C) or SIGTERM."
    )

    @Option(help: "The host of the page and its API. There is no authentication: keep it local.")
    var httpHost = "127.0.0.1"

    @Option(help: "The port of the page; if it is in use, the next free one. 0 selects any free port.")
    var httpPort = 8080

    @Option(help: "The host of the APNs endpoints.")
    var apnsHost = "127.0.0.1"

    @Option(help: "The port for pushes; 0 selects any free port.")
    var apnsPort = 0

    @Option(help: "The port for channel management; 0 selects any free port.")
    var channelsPort = 0

    @Option(help: ArgumentHelp("Where to write the certificate authority that senders must trust.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("The provider key (.p8) that senders sign with.", valueName: "file"))
    var keyFile: String

    @Option(help: ArgumentHelp("The key's identifier: the kid of provider tokens.", valueName: "id"))
    var keyID: String

    @Option(help: ArgumentHelp("The team's identifier: the iss of provider tokens.", valueName: "id"))
    var teamID: String

    @Option(
        help: ArgumentHelp(
            "Another trusted key, to test a sender with mixed keys, teams and environments.",
            valueName: "file,key-id,team-id[,environment]"
        )
    )
    var furtherKey: [FurtherKey] = []

    @Option(help: "The APNs environment to emulate.")
    var environment = EmulatedEnvironment.sandbox

    @Option(help: "How many seconds pushes of priority 5 wait for others, as for an idle phone.")
    var groupingSeconds: Int64 = 0

    @Option(help: "The seed of all randomness, such as tokens and faults; random by default.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("The app whose Live Activities the phones show.", valueName: "id"))
    var bundleID: String

    @Option(
        help: "A phone's budget for pushes of priority 10 in an hour; APNs accepts more, but the phone drops them."
    )
    var standardBudget = 15

    @Option(help: "The same budget for a phone with frequent pushes.")
    var frequentBudget = 300

    @Option(help: "How many activities pushes can start on a phone in a day.")
    var startBudget = 10

    @Option(help: "How many activities can run on a phone at the same time.")
    var activityLimit = 5

    @Option(
        help: ArgumentHelp(
            "How long APNs accepts pushes for an activity that the user has removed, by a swipe or in Settings.",
            discussion: "Apple documents no number; developers see the 410 some time after the swipe.",
            valueName: "seconds"
        )
    )
    var dismissalDelay: Int64 = 0

    @Option(help: "How many requests the log keeps, from 1 to 1000000; 10,000 take about 15 MB of memory.")
    var loggedPushes = 10_000

    @Option(
        help: ArgumentHelp(
            "The address of rangersd, such as http://127.0.0.1:8081, to attach players to the phones.",
            valueName: "url"
        )
    )
    var gameServer: String?

    @Option(
        help: ArgumentHelp(
            "A file with the token of an operator of the game server, role viewer: the page then shows why each push was sent, and the parties with their invite codes.",
            discussion:
                "The file is read on each request, so it can be created later. All users of the page see both.",
            valueName: "file"
        )
    )
    var operatorTokenFile: String?

    @Option(help: ArgumentHelp("Where to write the ports, as JSON, once all endpoints listen.", valueName: "file"))
    var readyFile: String?

    func validate() throws {
        let ports = [("--http-port", httpPort), ("--apns-port", apnsPort), ("--channels-port", channelsPort)]
        for (option, port) in ports
        where !(0...Int(UInt16.max)).contains(port) {
            throw ValidationError("\(option) \(port): a port must be from 0 to \(UInt16.max)")
        }
        try AppleIdentifier.check(keyID, for: "--key-id")
        try AppleIdentifier.check(teamID, for: "--team-id")
        for further in furtherKey {
            try AppleIdentifier.check(further.keyID, for: "--further-key")
            try AppleIdentifier.check(further.teamID, for: "--further-key")
        }
        try AppleIdentifier.check(bundleID: bundleID, for: "--bundle-id")
        if let caFile { try ParentDirectory.check(of: caFile, for: "--ca-file") }
        if let readyFile { try ParentDirectory.check(of: readyFile, for: "--ready-file") }
        let keyIDs = [keyID] + furtherKey.map(\.keyID)
        if let duplicate = keyIDs.first(where: { id in keyIDs.count { $0 == id } > 1 }) {
            throw ValidationError("--further-key: duplicate key identifier \(duplicate)")
        }
        _ = try gameServerURL
        if let operatorTokenFile {
            guard gameServer != nil else {
                throw ValidationError("--operator-token-file requires --game-server")
            }
            try ParentDirectory.check(of: operatorTokenFile, for: "--operator-token-file")
        }
        guard (0...86_400).contains(groupingSeconds) else {
            throw ValidationError("--grouping-seconds \(groupingSeconds): must be from 0 to 86400")
        }
        guard (0...86_400).contains(dismissalDelay) else {
            throw ValidationError("--dismissal-delay \(dismissalDelay): must be from 0 to 86400")
        }
        guard (1...1_000_000).contains(loggedPushes) else {
            throw ValidationError("--logged-pushes \(loggedPushes): must be from 1 to 1000000")
        }
        let limits = [
            ("--standard-budget", standardBudget), ("--frequent-budget", frequentBudget),
            ("--start-budget", startBudget), ("--activity-limit", activityLimit),
        ]
        for (option, limit) in limits where limit < 0 {
            throw ValidationError("\(option) \(limit): must not be negative")
        }
    }

    private var gameServerURL: URL? {
        get throws {
            guard let gameServer else { return nil }
            guard let url = URL(string: gameServer), url.scheme == "http" || url.scheme == "https", url.host() != nil
            else { throw ValidationError("--game-server \(gameServer): must be a URL such as http://127.0.0.1:8081") }
            return url
        }
    }

    func run() async throws {
        let key = SenderKey(
            key: try PrivateFile.providerKey(at: keyFile, for: "--key-file").publicKey(),
            keyID: keyID,
            teamID: teamID
        )
        let furtherKeys = try furtherKey.map { further in
            SenderKey(
                key: try PrivateFile.providerKey(at: further.file, for: "--further-key").publicKey(),
                keyID: further.keyID,
                teamID: further.teamID,
                environment: further.environment
            )
        }
        var configuration = APNsSimulator.Configuration(bundleID: bundleID, keys: [key] + furtherKeys)
        configuration.environment = environment
        configuration.groupingSeconds = groupingSeconds
        if let seed { configuration.seed = seed }
        configuration.httpHost = httpHost
        configuration.httpPort = httpPort
        configuration.apnsHost = apnsHost
        configuration.apnsPort = apnsPort
        configuration.channelsPort = channelsPort
        configuration.limits.standardHighPerHour = standardBudget
        configuration.limits.frequentHighPerHour = frequentBudget
        configuration.limits.startsPerDay = startBudget
        configuration.limits.activities = activityLimit
        configuration.limits.dismissalDelaySeconds = dismissalDelay
        configuration.maxLoggedPushes = loggedPushes

        try removeReadyFile()
        // The file must not outlive the endpoints. The error that ended the server is the one to report.
        defer { try? removeReadyFile() }

        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var logger = Logger(label: "apns-simulator")
        logger.logLevel = .notice
        let players = try gameServerURL.map { GamePlayers(at: $0, operatorTokenFile: operatorTokenFile) }
        let simulator = try APNsSimulator(
            configuration: configuration,
            players: players,
            logger: logger
        ) { [configuration] listening in
            try players?.setSimulator(listening: listening)
            try announce(listening, seed: configuration.seed)
        }
        var services: [any Service] = [simulator]
        if let players { services.append(players) }
        let group = ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        try await group.run()
    }

    /// Writes and prints the addresses; the certificate is written first, so that it exists when the ready file
    /// appears.
    private func announce(_ listening: APNsSimulator.Listening, seed: UInt64) throws {
        if let caFile { try write(Data(listening.certificateAuthorityPEM.utf8), to: caFile, for: "--ca-file") }
        if let readyFile {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try write(encoder.encode(listening), to: readyFile, for: "--ready-file")
        }
        print("Page: http://\(listening.httpHost):\(listening.httpPort)/")
        print("APNs: \(listening.apnsHost):\(listening.apnsPort)")
        print("Channel management: \(listening.apnsHost):\(listening.channelsPort)")
        print("Repeat this run with --seed \(seed)")
        // Through a pipe, output is buffered.
        fflush(nil)
    }

    /// Removes the file of an earlier run, so that a waiting process does not read it.
    private func removeReadyFile() throws {
        var isDirectory: ObjCBool = false
        guard let readyFile, FileManager.default.fileExists(atPath: readyFile, isDirectory: &isDirectory) else {
            return
        }
        guard !isDirectory.boolValue else { throw ValidationError("--ready-file \(readyFile): is a directory") }
        do {
            try FileManager.default.removeItem(atPath: readyFile)
        } catch let error as CocoaError {
            throw ValidationError("--ready-file \(readyFile): cannot remove the file: \(error.localizedDescription)")
        }
    }

    /// Writes a file atomically, so that a waiting process reads all of it.
    private func write(_ data: Data, to path: String, for option: String) throws {
        do {
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch let error as CocoaError {
            throw ValidationError("\(option) \(path): cannot write the file: \(error.localizedDescription)")
        }
    }
}
