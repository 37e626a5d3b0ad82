import Foundation

/// Standard output, line by line: a pipe's reader sees each line when it is told, not when a buffer is full.
enum StandardOutput {
    @Sendable static func print(_ line: String) {
        // Nothing is left to do when the reader has gone away.
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
