import Foundation
import Synchronization
import TestSupport

/// A running program: one of this package's executables, or a program of the system.
final class RunningProgram: Sendable {
    private let process = Process()
    private let status = Mutex<Int32?>(nil)
    private let log: URL

    /// Starts an executable of this package with exactly the given environment and a log file.
    convenience init(_ name: String, _ arguments: [String], environment: [String: String], log: URL) throws {
        // The package's executables are in the same directory as the tests.
        let executable = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name)
        try self.init(at: executable, arguments, environment: environment, log: log)
    }

    /// Starts a program with exactly the given environment and a log file.
    init(at executable: URL?, _ arguments: [String], environment: [String: String], log: URL) throws {
        self.log = log
        process.executableURL = executable
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        try Data().write(to: log)
        let output = try FileHandle(forWritingTo: log)
        process.standardOutput = output
        process.standardError = output
        process.terminationHandler = { [self] process in
            status.withLock {
                $0 = process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
            }
        }
        try process.run()
        OrphanReaper.shared.watch(process.processIdentifier)
    }

    /// The exit status as in a shell; nil while the program runs.
    var exitStatus: Int32? { status.withLock(\.self) }

    /// The output so far.
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// Sends a signal, unless the program has exited.
    func send(_ signal: Int32) {
        // The process identifier of an exited process may belong to another one.
        guard exitStatus == nil else { return }
        kill(process.processIdentifier, signal)
    }

    /// Waits for the exit.
    /// - Returns: the exit status.
    func end(within limit: Duration = .seconds(30)) async throws -> Int32 {
        let status = try await eventually("\(process.executableURL?.lastPathComponent ?? "") ends", within: limit) {
            exitStatus
        }
        OrphanReaper.shared.forget(process.processIdentifier)
        return status
    }

    /// Kills the program, as in a crash.
    func crash() async throws {
        send(SIGKILL)
        _ = try await end()
    }
}
