import Foundation

/// An error for a file whose text cannot be read.
public struct TextFileError: Error {
    /// The predicate of a sentence whose subject is the path, such as `does not exist`.
    public let reason: String

    /// Creates an error.
    public init(reason: String) { self.reason = reason }
}

/// Reads small text files: settings, secrets, keys.
public enum TextFile {
    /// The largest file that is read.
    ///
    /// Settings and secrets are far shorter, and a wrong path must not exhaust the memory.
    static let maxBytes = 1 << 20

    /// Reads a UTF-8 file of at most 1 MiB.
    /// - Parameter path: the path of the file.
    /// - Returns: the text of the file.
    /// - Throws: ``TextFileError`` if the file cannot be read, is too large or is not UTF-8.
    public static func read(_ path: String) throws(TextFileError) -> String {
        let data: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            data = try file.read(upToCount: maxBytes + 1)
        } catch {
            throw TextFileError(reason: reason(for: error))
        }
        // An empty file yields nil.
        guard let data else { return "" }
        guard data.count <= maxBytes else {
            throw TextFileError(reason: "is larger than 1 MiB; is it the right file?")
        }
        guard let text = String(data: data, encoding: .utf8) else { throw TextFileError(reason: "is not UTF-8 text") }
        return text
    }

    private static func reason(for error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "does not exist"
        case .fileReadNoPermission: "is not readable by this user"
        default: "cannot be read; is it a file?"
        }
    }
}
