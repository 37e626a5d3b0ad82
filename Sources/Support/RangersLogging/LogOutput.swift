import Foundation

/// Where the lines of a log go, and the clock that dates them.
public struct LogOutput: Sendable {
    /// The time in microseconds since 1970.
    let now: @Sendable () -> Int64
    /// Takes one line with its line feed; called by many threads at once.
    let write: @Sendable ([UInt8]) -> Void

    /// An output.
    /// - Parameters:
    ///   - now: the time in microseconds since 1970.
    ///   - write: takes one line with its line feed, from any thread.
    public init(now: @escaping @Sendable () -> Int64, write: @escaping @Sendable ([UInt8]) -> Void) {
        self.now = now
        self.write = write
    }

    /// Standard error, by the machine's clock.
    ///
    /// Nothing is kept back: what was logged before a crash is there. A line goes out in one call, which the kernel does
    /// not mix with others in files and terminals, and in pipes up to 4,096 bytes (pipe(7)).
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
                    // Nobody reads, or the disk is full: there is nowhere to say so.
                    return
                }
            }
        }
    )
}
