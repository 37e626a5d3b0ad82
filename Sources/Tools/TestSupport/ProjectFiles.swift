public import Foundation

/// The files of the project, for tests that compare documents, sources and settings with each other.
public enum ProjectFiles {
    /// The project's root folder.
    public static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

    /// Returns a file's text.
    /// - Parameter path: the path below ``root``.
    /// - Returns: the text, decoded from UTF-8.
    /// - Throws: Foundation's error when the file cannot be read.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
