import Foundation

/// A running program whose output a test can wait for.
final class RunningExecutable {
    private let process = Process()
    /// The output as it arrives; ends with the process.
    private let output: AsyncStream<Data>
    /// The output after the last expected text.
    private var unmatched = ""
    /// Yields the exit status.
    private let endings: AsyncStream<Int32>

    /// The output to wait for.
    enum Outlet {
        case standardOutput
        case standardError
    }

    /// Starts an executable of this package with exactly the given environment.
    convenience init(_ name: String, _ arguments: [String], environment: [String: String]) throws {
        try self.init(at: Executable.url(of: name), arguments, environment: environment)
    }

    /// Starts a program with exactly the given environment; a terminal, if given, is its standard input and error.
    init(
        at program: URL?,
        _ arguments: [String],
        environment: [String: String],
        listeningTo outlet: Outlet = .standardError,
        terminal: FileHandle? = nil
    ) throws {
        let pipe = Pipe()
        let (output, continuation) = AsyncStream<Data>.makeStream()
        pipe.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
            } else {
                continuation.yield(data)
            }
        }
        self.output = output
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

    /// Kills the process if a test has failed before its end.
    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
    }

    /// The process identifier.
    var pid: Int32 { process.processIdentifier }

    /// Waits for a text in the output, after the last expected text.
    /// - Returns: whether the text was printed before the output ended.
    func prints(_ text: String) async -> Bool {
        var output = output.makeAsyncIterator()
        while true {
            if let range = unmatched.range(of: text) {
                unmatched.removeSubrange(..<range.upperBound)
                return true
            }
            guard let data = await output.next() else { return false }
            unmatched += String(decoding: data, as: UTF8.self)
        }
    }

    /// Sends SIGTERM, and waits for the end of the process.
    /// - Returns: the exit status.
    func stop() async -> Int32? {
        process.terminate()
        return await waitUntilExit()
    }

    /// Waits for the end of the process.
    /// - Returns: the exit status, or the signal that terminated it.
    func waitUntilExit() async -> Int32? {
        await endings.first { _ in true }
    }
}
