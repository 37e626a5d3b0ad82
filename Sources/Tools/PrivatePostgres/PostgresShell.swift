import Foundation

/// `psql`, for output of the server besides results: notices, plans, parse trees.
public enum PostgresShell {
    /// Runs a script up to its first error.
    /// - Parameters:
    ///   - script: SQL and psql commands.
    ///   - uri: the database.
    /// - Returns: the whole output; results have no headings and no padding.
    /// - Throws: ``PrivatePostgresError`` with the output when a statement fails.
    public static func run(_ script: String, on uri: String) async throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "psql-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (input, output) = (directory.appending(path: "script.sql"), directory.appending(path: "output"))
        try Data(script.utf8).write(to: input)
        let words = [
            try ServerTools().path(of: "psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only",
            "--set=ON_ERROR_STOP=1", "--file=\(input.path(percentEncoded: false))", "--dbname=\(uri)",
        ]
        let status = try await ChildProcess(words, output: output.path(percentEncoded: false)).end()
        let text = try String(contentsOf: output, encoding: .utf8)
        guard status == 0 else {
            throw PrivatePostgresError("psql failed with status \(status): \(text.suffix(4_000))")
        }
        return text
    }
}
