import Foundation

/// A child process, optionally pinned to one core.
///
/// `taskset` (util-linux, on every Debian) pins programs that cannot pin themselves.
final class HelperProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// The program and its first argument, for messages.
    private let name: String

    /// Starts a program, which is looked up in `PATH`.
    /// - Throws: the error of starting it.
    init(core: Int? = nil, program: String, arguments: [String]) throws {
        name = ([program] + arguments.prefix(1)).joined(separator: " ")
        process.executableURL = URL(filePath: "/usr/bin/env")
        let pinning = core.map { ["taskset", "--cpu-list", String($0)] } ?? []
        process.arguments = pinning + [program] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// Starts this program with other arguments.
    convenience init(core: Int? = nil, arguments: [String]) throws {
        guard let path = Bundle.main.executablePath else { throw BenchmarkFailure("This program has no path") }
        try self.init(core: core, program: path, arguments: arguments)
    }

    /// Waits for the port that a helper command prints once it serves.
    func port() throws -> Int {
        var line = ""
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.unicodeScalars.append(UnicodeScalar(byte))
        }
        guard let port = Int(line) else { throw BenchmarkFailure("\(name) did not start") }
        return port
    }

    /// Writes `text` to the process's standard input and closes it.
    func send(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
    }

    /// Waits for the process to exit.
    /// - Returns: its standard output.
    /// - Throws: ``BenchmarkFailure`` for an exit status other than 0.
    func finish() throws -> Data {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkFailure("\(name) exited with status \(process.terminationStatus)")
        }
        return data
    }

    /// Stops a helper command, which runs until its standard input is closed.
    func stop() {
        // Closing fails when `send` has already closed it.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// The protocol between a helper command and the process that started it: a port on standard output, then the end of
/// standard input.
enum HelperCommand {
    /// Reports the port that the helper listens on.
    static func report(port: Int) {
        // Unlike `print`, this does not buffer. A closed standard output is ignored.
        try? FileHandle.standardOutput.write(contentsOf: Data("\(port)\n".utf8))
    }

    /// Blocks until the starting process closes standard input or exits.
    static func awaitEndOfInput() { while !FileHandle.standardInput.availableData.isEmpty {} }
}
