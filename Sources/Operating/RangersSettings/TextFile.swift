import Foundation

/// Why a file gives no text.
public struct TextFileError: Error {
    /// The end of a sentence that begins with the path.
    public let reason: String
}

/// Reads small files that people write or are given: settings, secrets, keys.
public enum TextFile {
    /// The largest file that is read: settings and secrets are far shorter, and a wrong path must not fill the memory.
    static let limitBytes = 1 << 20

    /// The text of a file.
    public static func read(_ path: String) throws(TextFileError) -> String {
        let data: Data?
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            data = try file.read(upToCount: limitBytes + 1)
        } catch {
            throw TextFileError(reason: reason(for: error))
        }
        // Nothing read is the end of an empty file.
        guard let data else { return "" }
        guard data.count <= limitBytes else {
            throw TextFileError(reason: "is larger than 1 MiB; is it the right one?")
        }
        guard let text = String(data: data, encoding: .utf8) else { throw TextFileError(reason: "is not UTF-8 text") }
        return text
    }

    private static func reason(for error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "does not exist"
        case .fileReadNoPermission: "may not be read by this user"
        default: "cannot be read; is it a file?"
        }
    }
}
