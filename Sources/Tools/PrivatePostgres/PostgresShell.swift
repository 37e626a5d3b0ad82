import Foundation

/// `psql`, for what the server says besides results: notices, plans, parse trees.
public enum PostgresShell {
    /// Runs a script to its end, or to its first error.
    /// - Parameters:
    ///   - script: SQL and commands of psql.
    ///   - uri: the database.
    /// - Returns: all that was said, results without headings and padding.
    /// - Throws: ``TestServerError`` with all that was said when a statement fails.
    public static func run(_ script: String, on uri: String) async throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "psql-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        // A folder left behind in the temporary directory harms nobody.
        defer { try? FileManager.default.removeItem(at: directory) }
        let (input, output) = (directory.appending(path: "script.sql"), directory.appending(path: "output"))
        try Data(script.utf8).write(to: input)
        let words = [
            try ServerTools().path(of: "psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only",
            "--set=ON_ERROR_STOP=1", "--file=\(input.path(percentEncoded: false))", "--dbname=\(uri)",
        ]
        let status = try await ChildProcess(words, output: output.path(percentEncoded: false)).end()
        let text = try String(contentsOf: output, encoding: .utf8)
        guard status == 0 else { throw TestServerError("psql failed with status \(status): \(text.suffix(4_000))") }
        return text
    }
}
