import ArgumentParser
import Foundation
import Glibc

/// Standard output for what is to come at once, also through a pipe; `print` keeps it back there.
public enum StandardOutput {
    /// Writes all of a text.
    /// - Throws: `ExitCode.success` when whoever read it has gone away, as `head` does when it has enough: there is nothing
    ///   left to do then; ``OutputError`` when it cannot be written for another reason.
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

/// Standard output takes nothing more, as on a full disk.
struct OutputError: CommandFailure {
    let reason: String

    var explanation: String { "standard output cannot be written: \(reason)" }
    var exitStatus: ExitStatus { .failed }
}
