import Foundation

/// A program that runs until it is told to stop.
final class RunningExecutable {
    private let process = Process()
    /// What it writes where it is listened to, as it comes; ends with the process.
    private let errors: AsyncStream<Data>
    /// What was heard, and nobody has waited for yet.
    private var heard = ""
    /// Its exit status, once.
    private let endings: AsyncStream<Int32>

    /// Where a program is listened to.
    enum Outlet {
        case standardOutput
        case standardError
    }

    /// Starts one of this package, with nothing in its environment but what is given.
    convenience init(_ name: String, _ arguments: [String], environment: [String: String]) throws {
        try self.init(at: Executable.url(of: name), arguments, environment: environment)
    }

    /// Starts it, with nothing in its environment but what is given; at a terminal, if there is one, it reads from there
    /// and writes its errors there.
    init(
        at program: URL?,
        _ arguments: [String],
        environment: [String: String],
        listeningTo outlet: Outlet = .standardError,
        terminal: FileHandle? = nil
    ) throws {
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
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment
        process.standardInput = terminal ?? FileHandle.nullDevice
        process.standardOutput = outlet == .standardOutput ? pipe : FileHandle.nullDevice
        process.standardError = terminal ?? (outlet == .standardError ? pipe : FileHandle.nullDevice)
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

    /// Waits until a text comes, after those that were waited for before.
    /// - Returns: false when the process ended without.
    func says(_ text: String) async -> Bool {
        var errors = errors.makeAsyncIterator()
        while true {
            if let range = heard.range(of: text) {
                heard.removeSubrange(..<range.upperBound)
                return true
            }
            guard let data = await errors.next() else { return false }
            heard += String(decoding: data, as: UTF8.self)
        }
    }

    /// Asks it to stop, as supervisors do, and waits until it has.
    /// - Returns: its exit status.
    func stop() async -> Int32? {
        process.terminate()
        return await ends()
    }

    /// Waits until it has ended by itself.
    /// - Returns: its exit status, or the signal that ended it.
    func ends() async -> Int32? {
        await endings.first { _ in true }
    }
}
