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
        abstract: "Runs the simulator until it is told to stop (Ctrl-C, SIGTERM)."
    )

    @Option(help: "Where the page and its API listen. Nobody has to say who they are there: keep it local.")
    var httpHost = "127.0.0.1"

    @Option(help: "The page's port; the next free one is used when it is taken, and any with 0.")
    var httpPort = 8080

    @Option(help: "Where senders reach APNs.")
    var apnsHost = "127.0.0.1"

    @Option(help: "The port of APNs; any free one with 0.")
    var apnsPort = 0

    @Option(help: "The port where senders manage channels; any free one with 0.")
    var channelsPort = 0

    @Option(help: ArgumentHelp("Where to write the certificate that senders must trust.", valueName: "file"))
    var caFile: String?

    @Option(help: ArgumentHelp("The provider key (.p8) that senders sign with.", valueName: "file"))
    var keyFile: String

    @Option(help: ArgumentHelp("The key's identifier: what a provider token's kid must be.", valueName: "id"))
    var keyID: String

    @Option(help: ArgumentHelp("The team's identifier: what a provider token's iss must be.", valueName: "id"))
    var teamID: String

    @Option(
        help: ArgumentHelp(
            "Another key that senders may sign with, to see what comes of mixing keys, teams and environments.",
            valueName: "file,key-id,team-id[,environment]"
        )
    )
    var furtherKey: [FurtherKey] = []

    @Option(help: "Which of Apple's environments it stands in for.")
    var environment = EmulatedEnvironment.sandbox

    @Option(help: "For how many seconds pushes of priority 5 wait for others, as they do when a phone is at rest.")
    var groupingSeconds: Int64 = 0

    @Option(help: "What all chance comes from: tokens, and what faults strike; any when it is left out.")
    var seed: UInt64?

    @Option(help: ArgumentHelp("The app whose Live Activities the phones show.", valueName: "id"))
    var bundleID: String

    @Option(
        help: "How many pushes of priority 10 a phone takes in an hour; what exceeds it is accepted and never shown."
    )
    var standardBudget = 15

    @Option(help: "The same of a phone with frequent pushes.")
    var frequentBudget = 300

    @Option(help: "How many activities pushes start on a phone in a day.")
    var startBudget = 10

    @Option(help: "How many activities run on a phone at once.")
    var activityLimit = 5

    @Option(
        help: ArgumentHelp(
            "For how long APNs takes pushes for an activity that its owner has swiped away or ended in Settings.",
            discussion: "Apple names no number; developers see the 410 come some time after the swipe.",
            valueName: "seconds"
        )
    )
    var dismissalDelay: Int64 = 0

    @Option(
        help: ArgumentHelp(
            "Where rangersd is, such as http://127.0.0.1:8081: its players can be attached to the phones.",
            valueName: "url"
        )
    )
    var gameServer: String?

    @Option(
        help: ArgumentHelp(
            "Holds the token of an operator of the game server, role viewer: the page then says why it sent each push.",
            discussion: "Read when somebody asks, so it may be written later. Whoever sees the page sees the reasons.",
            valueName: "file"
        )
    )
    var operatorTokenFile: String?

    @Option(help: ArgumentHelp("Where to write the ports, as JSON, once both are open.", valueName: "file"))
    var readyFile: String?

    func validate() throws {
        let ports = [("--http-port", httpPort), ("--apns-port", apnsPort), ("--channels-port", channelsPort)]
        for (option, port) in ports
        where !(0...Int(UInt16.max)).contains(port) {
            throw ValidationError("\(option) \(port): a port is a number from 0 to \(UInt16.max)")
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
        if let twice = keyIDs.first(where: { id in keyIDs.count { $0 == id } > 1 }) {
            throw ValidationError("--further-key: there is another key named \(twice)")
        }
        _ = try gameServerURL
        if let operatorTokenFile {
            guard gameServer != nil else {
                throw ValidationError("--operator-token-file is of no use without --game-server")
            }
            try ParentDirectory.check(of: operatorTokenFile, for: "--operator-token-file")
        }
        guard (0...86_400).contains(groupingSeconds) else {
            throw ValidationError("--grouping-seconds \(groupingSeconds): 0 to 86400")
        }
        guard (0...86_400).contains(dismissalDelay) else {
            throw ValidationError("--dismissal-delay \(dismissalDelay): 0 to 86400")
        }
        let limits = [
            ("--standard-budget", standardBudget), ("--frequent-budget", frequentBudget),
            ("--start-budget", startBudget), ("--activity-limit", activityLimit),
        ]
        for (option, limit) in limits where limit < 0 {
            throw ValidationError("\(option) \(limit): no such number is below 0")
        }
    }

    private var gameServerURL: URL? {
        get throws {
            guard let gameServer else { return nil }
            guard let url = URL(string: gameServer), url.scheme == "http" || url.scheme == "https", url.host() != nil
            else { throw ValidationError("--game-server \(gameServer): a URL such as http://127.0.0.1:8081") }
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

        try removeReadyFile()
        // Whatever ends it, the file must not tell of doors that are closed; what ended it is the error that counts.
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
            try players?.find(phonesAt: listening)
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

    /// The certificate comes first: whoever waits for the ready file finds it there.
    private func announce(_ listening: APNsSimulator.Listening, seed: UInt64) throws {
        if let caFile { try write(Data(listening.certificateAuthorityPEM.utf8), to: caFile, for: "--ca-file") }
        if let readyFile {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try write(encoder.encode(listening), to: readyFile, for: "--ready-file")
        }
        print("The phones are at http://\(listening.httpHost):\(listening.httpPort)/")
        print("APNs is at \(listening.apnsHost):\(listening.apnsPort)")
        print("Channels are managed at \(listening.apnsHost):\(listening.channelsPort)")
        print("All chance comes from --seed \(seed)")
        // Whoever reads through a pipe wants to know now.
        fflush(nil)
    }

    /// Whoever waits for the file must not find that of an earlier run.
    private func removeReadyFile() throws {
        var isDirectory: ObjCBool = false
        guard let readyFile, FileManager.default.fileExists(atPath: readyFile, isDirectory: &isDirectory) else {
            return
        }
        guard !isDirectory.boolValue else { throw ValidationError("--ready-file \(readyFile): is a directory") }
        do {
            try FileManager.default.removeItem(atPath: readyFile)
        } catch let error as CocoaError {
            throw ValidationError("--ready-file \(readyFile) cannot be removed: \(error.localizedDescription)")
        }
    }

    /// Whoever waits for the file finds nothing or all of it.
    private func write(_ data: Data, to path: String, for option: String) throws {
        do {
            try data.write(to: URL(filePath: path), options: .atomic)
        } catch let error as CocoaError {
            throw ValidationError("\(option) \(path) cannot be written: \(error.localizedDescription)")
        }
    }
}
