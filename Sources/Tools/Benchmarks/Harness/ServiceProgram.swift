import Foundation
import PrivatePostgres
import Synchronization

/// A running executable of this package, such as `rangersd`, from the folder of this program.
final class ServiceProgram: Sendable {
    /// The ready file that a serving program writes.
    struct Ports: Decodable, Sendable {
        let httpPort: Int?
        let metricsPort: Int?
        let apnsPort: Int?

        /// The base URL of the HTTP API.
        var httpURL: URL {
            get throws {
                guard let httpPort, let url = URL(string: "http://127.0.0.1:\(httpPort)") else {
                    throw BenchmarkFailure("The program has no HTTP port")
                }
                return url
            }
        }
    }

    /// The time limit for starting to serve, and for running to the end.
    private static let timeout = Duration.seconds(60)
    private static let pause = Duration.milliseconds(10)

    private let name: String
    private let process = Process()
    private let exited = Atomic(false)
    private let log: URL
    private let readyFile: URL
    /// The watchdog, which kills the program when its last reference is released.
    private let watchdog: Watchdog

    /// The output so far; empty when it cannot be read, since it serves to explain another error.
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
    var hasExited: Bool { exited.load(ordering: .acquiring) }
    var processIdentifier: Int32 { process.processIdentifier }

    /// Starts a program.
    /// - Parameters:
    ///   - name: the executable.
    ///   - arguments: its arguments; a serving program also gets `--ready-file`.
    ///   - environment: its complete environment; nothing is inherited.
    ///   - folder: the folder for its output.
    ///   - watchdog: kills the program when this process ends for any reason.
    ///   - serves: whether the program writes a ready file.
    /// - Throws: ``BenchmarkFailure`` when the executable was not built; the error of starting it.
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
        guard let own = Bundle.main.executableURL else { throw BenchmarkFailure("This program has no path") }
        let executable = own.deletingLastPathComponent().appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: executable.path) else {
            throw BenchmarkFailure("\(name) is not beside this program; build it: swift build -c release")
        }
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.executableURL = executable
        process.arguments = arguments + (serves ? ["--ready-file", readyFile.path] : [])
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [self] _ in exited.store(true, ordering: .releasing) }
        try process.run()
        try watchdog.announce(process: process.processIdentifier)
    }

    /// Waits until the program serves.
    /// - Returns: its ports.
    /// - Throws: ``BenchmarkFailure`` with the program's output when it exits or does not serve in time.
    func ports() async throws -> Ports {
        var ready: Data?
        _ = try await Polling.until(within: Self.timeout, every: Self.pause) {
            ready = try? Data(contentsOf: readyFile)
            return ready != nil || hasExited
        }
        if let ready { return try JSONDecoder().decode(Ports.self, from: ready) }
        throw BenchmarkFailure("\(name) does not serve: \(output)")
    }

    /// Waits until a program that does not serve has exited.
    /// - Throws: ``BenchmarkFailure`` with the program's output for an exit status other than 0.
    func finish() async throws {
        let isOver = try await Polling.until(within: Self.timeout, every: Self.pause) { hasExited }
        guard isOver, process.terminationStatus == 0 else { throw BenchmarkFailure("\(name) failed: \(output)") }
    }

    /// Sends SIGKILL.
    func kill() { send(SIGKILL) }

    /// Sends a signal, unless the program has exited.
    func send(_ signal: Int32) {
        // The kernel may have given the identifier of an exited process to another one.
        if !hasExited { Foundation.kill(processIdentifier, signal) }
    }
}
