import ArgumentParser
import Foundation
import Glibc

/// Unbuffered standard output; `print` buffers the output to a pipe.
public enum StandardOutput {
    /// Writes a text completely.
    /// - Throws: `ExitCode.success` if the reader has closed the pipe, as `head` does; ``OutputError`` for any other
    ///   error.
    public static func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else {
                switch errno {
                case EINTR: continue
                case EPIPE: throw ExitCode.success
                default: throw OutputError(reason: String(cString: strerror(errno)))
                }
            }
        }
    }
}

/// An error of writing to standard output, for example on a full disk.
struct OutputError: CommandFailure {
    let reason: String

    var explanation: String { "cannot write to standard output: \(reason)" }
    var exitStatus: ExitStatus { .failed }
}
