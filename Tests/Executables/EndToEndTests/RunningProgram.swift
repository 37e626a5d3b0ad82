import Foundation
import Synchronization
import TestSupport

/// A program, running: one of our executables, or one of the system's.
final class RunningProgram: Sendable {
    private let process = Process()
    private let status = Mutex<Int32?>(nil)
    private let log: URL

    /// Starts one of our executables with nothing in its environment but what is given, and with its output in a file.
    convenience init(_ name: String, _ arguments: [String], environment: [String: String], log: URL) throws {
        // Beside the tests is where the package's executables are built.
        let executable = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name)
        try self.init(at: executable, arguments, environment: environment, log: log)
    }

    /// The same of any program.
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
        Undertaker.shared.watch(process.processIdentifier)
    }

    /// How it ended, as a shell would tell; nil while it runs.
    var exitStatus: Int32? { status.withLock(\.self) }

    /// What it has said so far.
    var output: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// Sends it a signal.
    func send(_ signal: Int32) {
        // A process that has ended has given its number back; it may be another's now.
        guard exitStatus == nil else { return }
        kill(process.processIdentifier, signal)
    }

    /// Waits for its end.
    /// - Returns: how it ended.
    func end(within limit: Duration = .seconds(30)) async throws -> Int32 {
        let status = try await eventually("\(process.executableURL?.lastPathComponent ?? "") ends", within: limit) {
            exitStatus
        }
        Undertaker.shared.forget(process.processIdentifier)
        return status
    }

    /// Ends it at once, as a crash would.
    func crash() async throws {
        send(SIGKILL)
        _ = try await end()
    }
}
