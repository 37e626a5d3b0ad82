import Foundation

/// The exit status and the output of a process.
struct ProcessResult: Sendable {
    let status: Int32
    let output: String
    let errors: String
}

/// The executables of this package.
enum Executable {
    /// Returns the URL of an executable, which is built next to the tests.
    static func url(of name: String) -> URL? {
        Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name)
    }

    /// Runs an executable of this package to its end, with exactly the given environment.
    static func run(_ name: String, _ arguments: [String], environment: [String: String]) async throws -> ProcessResult
    {
        try await run(at: url(of: name), arguments, environment: environment)
    }

    /// Runs a program to its end, with exactly the given environment.
    static func run(at program: URL?, _ arguments: [String], environment: [String: String]) async throws
        -> ProcessResult
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "run tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // Files instead of pipes, because a full pipe would block the process.
        let output = folder.appending(path: "output")
        let errors = folder.appending(path: "errors")
        for url in [output, errors] {
            try Data().write(to: url)
        }

        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return ProcessResult(
            status: status,
            output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8)
        )
    }
}
