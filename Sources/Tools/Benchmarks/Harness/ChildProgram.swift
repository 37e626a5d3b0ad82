import CommandLineSupport
import Foundation
import PrivatePostgres
import Synchronization

/// A temporary folder for the files of programs.
final class TemporaryFolder: Sendable {
    let url: URL
    /// Kills the programs and removes the folder when its last reference is released or this process ends, even by
    /// SIGKILL.
    fileprivate let watchdog: Watchdog

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "rangers-bench-\(UUID())")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        watchdog = try Watchdog(endingProcessesAndRemoving: url.path)
    }

    /// Returns the path of a file in the folder.
    func path(_ name: String) -> String { url.appending(path: name).path }
}

/// A program that runs beside this one, with its output in a file.
final class ChildProgram: Sendable {
    /// The ready file that a serving program writes.
    struct Ports: Decodable, Sendable {
        let httpPort: Int?
        let metricsPort: Int?
        let apnsPort: Int?
        let channelsPort: Int?

        /// The base URL of the HTTP API.
        var httpURL: URL {
            get throws { try .local(port: httpPort) }
        }
    }

    /// The time limit for starting to serve, and by default for running to the end.
    private static let timeout = Duration.seconds(60)
    private static let pause = Duration.milliseconds(10)

    private let name: String
    private let process = Process()
    private let exited = Atomic(false)
    private let log: URL
    private let readyFile: URL
    private let folder: TemporaryFolder

    /// The output so far; empty when it cannot be read, since it serves to explain another error.
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }
    var hasExited: Bool { exited.load(ordering: .acquiring) }
    var processIdentifier: Int32 { process.processIdentifier }

    /// Starts a program.
    /// - Parameters:
    ///   - program: its path, or its name for a look-up in `PATH`.
    ///   - arguments: its arguments; a serving program also gets `--ready-file`.
    ///   - environment: its complete environment.
    ///   - core: the core to which `taskset` (util-linux, on every Debian) pins it; nil for all cores.
    ///   - folder: the folder for its output.
    ///   - serves: whether the program writes a ready file.
    /// - Throws: the error of starting it.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        core: Int? = nil,
        in folder: TemporaryFolder,
        serves: Bool = false
    ) throws {
        self.folder = folder
        name = ([URL(filePath: program).lastPathComponent] + arguments.prefix(1)).joined(separator: " ")
        let identity = UUID()
        log = folder.url.appending(path: "\(identity).log")
        readyFile = folder.url.appending(path: "\(identity).json")
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        let pinning = core.map { ["taskset", "--cpu-list", String($0)] } ?? []
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = pinning + [program] + arguments + (serves ? ["--ready-file", readyFile.path] : [])
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [self] _ in exited.store(true, ordering: .releasing) }
        try process.run()
        try folder.watchdog.announce(process: process.processIdentifier)
    }

    /// Starts a helper command of this program.
    convenience init(helper arguments: [String], core: Int? = nil, in folder: TemporaryFolder, serves: Bool = true)
        throws
    { try self.init(Self.path(beside: "rangers-bench"), arguments, core: core, in: folder, serves: serves) }

    /// Returns the path of an executable of this package, such as `rangersd`, in the folder of this program.
    static func path(beside name: String) throws -> String {
        guard let own = Bundle.main.executableURL else { throw BenchmarkFailure("This program has no path") }
        let path = own.deletingLastPathComponent().appending(path: name).path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw BenchmarkFailure("\(name) is not beside this program; build it: swift build -c release")
        }
        return path
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

    /// Returns the port of a helper command, once it serves.
    func port() async throws -> Int { try await ports().httpPort ?? 0 }

    /// Waits until a program that does not serve has exited.
    /// - Returns: its output.
    /// - Throws: ``BenchmarkFailure`` with the program's output for an exit status other than 0, or after the limit.
    @discardableResult func finish(within limit: Duration = timeout) async throws -> String {
        let isOver = try await Polling.until(within: limit, every: Self.pause) { hasExited }
        guard isOver, process.terminationStatus == 0 else { throw BenchmarkFailure("\(name) failed: \(output)") }
        return output
    }

    /// Waits until the program has exited, and decodes the JSON that it has printed on one line.
    ///
    /// The output may also have lines of standard error.
    /// - Throws: ``BenchmarkFailure`` when it fails or prints no JSON; `DecodingError`.
    func result<Result: Decodable>(_ type: Result.Type = Result.self, within limit: Duration = timeout) async throws
        -> Result
    {
        let output = try await finish(within: limit)
        guard let line = output.split(separator: "\n").last(where: { $0.first == "{" }) else {
            throw BenchmarkFailure("\(name) printed no JSON: \(output)")
        }
        return try JSONDecoder().decode(type, from: Data(line.utf8))
    }

    /// Sends SIGKILL.
    func kill() { send(SIGKILL) }

    /// Sends a signal, unless the program has exited.
    func send(_ signal: Int32) {
        // The kernel may have given the identifier of an exited process to another one.
        if !hasExited { Foundation.kill(processIdentifier, signal) }
    }
}

extension URL {
    /// Returns the URL of a path at a port of 127.0.0.1.
    static func local(port: Int?, path: String = "") throws(BenchmarkFailure) -> URL {
        guard let port, let url = URL(string: "http://127.0.0.1:\(port)/\(path)") else {
            throw BenchmarkFailure("The program has no HTTP port")
        }
        return url
    }
}

/// The end of a helper command that serves until it is killed.
enum HelperCommand {
    /// Writes the ready file; if that fails, the starting process reports that the helper does not serve.
    static func report(port: Int, to readyFile: String) {
        try? ReadyFile(path: readyFile).write(.init(httpPort: port))
    }

    /// Writes the ready file and blocks.
    static func serve(port: Int, readyFile: String) -> Never {
        report(port: port, to: readyFile)
        while true { pause() }
    }
}
