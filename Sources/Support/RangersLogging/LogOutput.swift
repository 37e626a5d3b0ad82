public import Encodings
import Foundation

/// The destination of log lines, and the injected clock for their times.
public struct LogOutput: Sendable {
    /// Returns the wall clock's time.
    let now: @Sendable () -> Timestamp
    /// Writes one line with its line feed; called on many threads concurrently.
    let write: @Sendable ([UInt8]) -> Void

    /// Creates an output.
    /// - Parameters:
    ///   - now: returns the wall clock's time.
    ///   - write: writes one line with its line feed, on any thread.
    public init(now: @escaping @Sendable () -> Timestamp, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.now = now
        self.write = write
    }

    /// Returns an output to standard error.
    ///
    /// Lines are not buffered, so a crash loses none. Each line is one system call: the kernel does not interleave
    /// such writes in files and terminals, nor up to 4,096 bytes in pipes (pipe(7)).
    /// - Parameter now: returns the wall clock's time.
    /// - Returns: the output.
    public static func standardError(now: @escaping @Sendable () -> Timestamp) -> Self {
        Self(now: now) { line in
            var written = 0
            while written < line.count {
                let count = line[written...].withUnsafeBytes { rest in
                    Foundation.write(STDERR_FILENO, rest.baseAddress, rest.count)
                }
                if count >= 0 {
                    written += count
                } else if errno != EINTR {
                    // The reader is gone or the disk is full, and there is no place to report it.
                    return
                }
            }
        }
    }
}
