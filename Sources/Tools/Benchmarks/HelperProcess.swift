import Foundation

/// A child process, on one core or on all of them.
///
/// `taskset` (util-linux, on every Debian) pins, since that works for programs that are not ours too.
final class HelperProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    /// Program and first argument, or what there is of them.
    private let name: String

    /// Starts a program, searched for as a shell does.
    /// - Parameters:
    ///   - core: where it runs; nil for wherever the system lets it.
    ///   - program: its name or path.
    ///   - arguments: what it is told.
    /// - Throws: when it cannot be started.
    init(core: Int? = nil, program: String, arguments: [String]) throws {
        name = ([program] + arguments.prefix(1)).joined(separator: " ")
        process.executableURL = URL(filePath: "/usr/bin/env")
        let pinning = core.map { ["taskset", "--cpu-list", String($0)] } ?? []
        process.arguments = pinning + [program] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// This program, with other arguments.
    convenience init(core: Int? = nil, arguments: [String]) throws {
        try self.init(core: core, program: try Self.ownPath(), arguments: arguments)
    }

    /// Waits for the port that a helper prints when it is ready.
    func port() throws -> Int {
        var line = ""
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.unicodeScalars.append(UnicodeScalar(byte))
        }
        guard let port = Int(line) else { throw MeasurementFailure("\(name) did not start") }
        return port
    }

    /// Gives it all that it is to read.
    func send(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        try input.fileHandleForWriting.close()
    }

    /// Waits for the end.
    /// - Returns: all that it printed.
    func finish() throws -> Data {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw MeasurementFailure("\(name) ended with status \(process.terminationStatus)")
        }
        return data
    }

    /// Ends a helper, which lives as long as its input.
    func stop() {
        // Where it is closed already, the helper has seen its end.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    private static func ownPath() throws -> String {
        guard let path = Bundle.main.executablePath else { throw MeasurementFailure("No path to this program") }
        return path
    }
}
