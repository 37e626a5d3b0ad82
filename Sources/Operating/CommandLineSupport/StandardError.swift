import Foundation

/// Standard error, for people, where standard output is for programs.
public enum StandardError {
    /// Prints a line.
    public static func print(_ line: String) {
        // Nothing is left to do when the reader has gone away.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
