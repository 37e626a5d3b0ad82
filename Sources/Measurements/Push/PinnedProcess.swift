import Foundation

/// A child process on one core.
///
/// `taskset` (util-linux, on every Debian) pins, since that works for programs that are not ours too.
final class PinnedProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Starts a program, searched for as a shell does.
    init(core: Int, program: String, arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["taskset", "--cpu-list", String(core), program] + arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// This program, with other arguments.
    convenience init(core: Int, arguments: [String]) throws {
        try self.init(core: core, program: try Self.ownPath(), arguments: arguments)
    }

    /// Waits for the port that a helper prints when it is ready.
    func port() throws -> Int {
        var line = ""
        while let byte = output.fileHandleForReading.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") {
            line.unicodeScalars.append(UnicodeScalar(byte))
        }
        guard let port = Int(line) else { throw PushFailure("\(name) did not start") }
        return port
    }

    /// Waits for the end.
    /// - Returns: all that it printed.
    func finish() throws -> Data {
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw PushFailure("\(name) ended with status \(process.terminationStatus)")
        }
        return data
    }

    /// Ends a helper, which lives as long as its input.
    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Program and first argument, or what there is of them.
    private var name: String { (process.arguments ?? []).dropFirst(3).prefix(2).joined(separator: " ") }

    private static func ownPath() throws -> String {
        guard let path = Bundle.main.executablePath else { throw PushFailure("No path to this program") }
        return path
    }
}
