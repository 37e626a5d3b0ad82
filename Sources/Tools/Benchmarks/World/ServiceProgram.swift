import Foundation
import PrivatePostgres
import Synchronization

/// A running executable of this package that was built beside this one, such as `rangersd`.
final class ServiceProgram: Sendable {
    /// What such a program writes once it serves.
    struct Ports: Decodable, Sendable {
        let httpPort: Int?
        let metricsPort: Int?
        let apnsPort: Int?
    }

    /// How long it may take until it serves, or has ended.
    private static let longest = Duration.seconds(60)
    private static let pause = Duration.milliseconds(10)

    private let name: String
    private let process = Process()
    private let hasEnded = Atomic(false)
    private let log: URL
    private let readyFile: URL
    private let watchdog: Watchdog

    /// What it has said so far; nothing where that cannot be read, since it is wanted for the sake of another error.
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
    /// Whether it has ended, for whatever reason.
    var isOver: Bool { hasEnded.load(ordering: .acquiring) }
    /// Its process.
    var identifier: Int32 { process.processIdentifier }

    /// Starts a program.
    /// - Parameters:
    ///   - name: the executable's.
    ///   - arguments: to which `--ready-file` is added, unless it is only to run to its end.
    ///   - environment: all that it has of one.
    ///   - folder: where its output goes.
    ///   - watchdog: ends it when this program has ended, however that ended.
    ///   - serves: whether it writes a ready file.
    /// - Throws: ``MeasurementFailure`` when it was not built.
    init(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        in folder: URL,
        watchedBy watchdog: Watchdog,
        serves: Bool = true
    ) throws {
        self.name = name
        self.watchdog = watchdog
        let identity = UUID().uuidString
        log = folder.appending(path: "\(name)-\(identity).log")
        readyFile = folder.appending(path: "\(name)-\(identity).json")
        guard let own = Bundle.main.executableURL else { throw MeasurementFailure("No path to this program") }
        let executable = own.deletingLastPathComponent().appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw MeasurementFailure("\(name) is not beside this program; build it: swift build -c release")
        }
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.executableURL = executable
        process.arguments = arguments + (serves ? ["--ready-file", readyFile.path] : [])
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [self] _ in hasEnded.store(true, ordering: .releasing) }
        try process.run()
        try watchdog.announce(process: process.processIdentifier)
    }

    /// Waits until it serves.
    /// - Returns: where.
    /// - Throws: ``MeasurementFailure`` with what it said when it ended instead.
    func ports() async throws -> Ports {
        var ready: Data?
        _ = try await Wait.until(atMost: Self.longest, lookingEvery: Self.pause) {
            // It is not there until the program serves.
            ready = try? Data(contentsOf: readyFile)
            return ready != nil || isOver
        }
        if let ready { return try JSONDecoder().decode(Ports.self, from: ready) }
        throw MeasurementFailure("\(name) does not serve: \(output)")
    }

    /// Waits for the end of one that ends by itself.
    func finish() async throws {
        let isOver = try await Wait.until(atMost: Self.longest, lookingEvery: Self.pause) { self.isOver }
        guard isOver, process.terminationStatus == 0 else {
            throw MeasurementFailure("\(name) failed: \(output)")
        }
    }

    /// Ends it at once; nothing here is worth a good end.
    func kill() { send(SIGKILL) }

    /// Sends it a signal, if it has not ended.
    func send(_ signal: Int32) {
        // A process that has ended has given its number back; it may be another's now.
        guard !hasEnded.load(ordering: .acquiring) else { return }
        Foundation.kill(identifier, signal)
    }
}
