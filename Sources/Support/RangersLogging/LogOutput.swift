import Foundation

/// The destination of log lines, and the clock for their times.
public struct LogOutput: Sendable {
    /// Returns the time in microseconds since 1970.
    let now: @Sendable () -> Int64
    /// Writes one line with its line feed; called on many threads concurrently.
    let write: @Sendable ([UInt8]) -> Void

    /// Creates an output.
    /// - Parameters:
    ///   - now: returns the time in microseconds since 1970.
    ///   - write: writes one line with its line feed, on any thread.
    public init(now: @escaping @Sendable () -> Int64, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.now = now
        self.write = write
    }

    /// Standard error, with the system's clock.
    ///
    /// Lines are not buffered, so a crash loses none. Each line is one system call: the kernel does not interleave
    /// such writes in files and terminals, nor up to 4,096 bytes in pipes (pipe(7)).
    public static let standardError = Self(
        now: {
            var time = timespec()
            clock_gettime(CLOCK_REALTIME, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
        },
        write: { line in
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
    )
}
