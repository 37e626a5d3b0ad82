import Foundation

/// Standard error, for messages to people; standard output is for results.
public enum StandardError {
    /// Prints a line.
    public static func print(_ line: String) {
        // An error means that standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}
