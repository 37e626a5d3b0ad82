import Foundation

/// An executable of this package that runs until it is told to stop.
final class RunningExecutable {
    private let process = Process()
    /// What it writes to standard error, as it comes; ends with the process.
    private let errors: AsyncStream<Data>
    /// Its exit status, once.
    private let endings: AsyncStream<Int32>

    /// Starts it, with nothing in its environment but what is given.
    init(_ name: String, _ arguments: [String], environment: [String: String]) throws {
        let pipe = Pipe()
        let (errors, error) = AsyncStream<Data>.makeStream()
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                error.finish()
            } else {
                error.yield(data)
            }
        }
        self.errors = errors
        let (endings, ending) = AsyncStream<Int32>.makeStream()
        self.endings = endings
        process.executableURL = Executable.url(of: name)
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = pipe
        process.terminationHandler = {
            ending.yield($0.terminationStatus)
            ending.finish()
        }
        try process.run()
    }

    /// A test that fails half-way must not leave it behind.
    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
    }

    /// Its process identifier.
    var pid: Int32 { process.processIdentifier }

    /// Waits until a text comes on standard error.
    /// - Returns: false when the process ended without.
    func says(_ text: String) async -> Bool {
        var heard = ""
        for await data in errors {
            heard += String(decoding: data, as: UTF8.self)
            if heard.contains(text) { return true }
        }
        return false
    }

    /// Asks it to stop, as supervisors do, and waits until it has.
    /// - Returns: its exit status.
    func stop() async -> Int32? {
        process.terminate()
        return await endings.first { _ in true }
    }
}
