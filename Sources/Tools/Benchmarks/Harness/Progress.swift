import CommandLineSupport
import Foundation

/// The progress of a long run: one line on standard error, if that is a terminal.
struct Progress {
    /// The time before the first output; shorter runs show no progress.
    private static let delay: Duration = .seconds(1)

    private let total: Int
    private let isShown = isatty(STDERR_FILENO) == 1
    private let start = ContinuousClock.now
    private var done = 0

    /// Starts the progress of a run of `total` steps.
    init(of total: Int) { self.total = total }

    /// Counts a step; the last one clears the line.
    mutating func advance() {
        done += 1
        guard isShown, ContinuousClock.now - start > Self.delay else { return }
        let text = done < total ? "\(done) of \(total)" : ""
        // Carriage return, then "erase to end of line" (ECMA-48); a closed standard error is ignored.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Prints a line about an event of the run on standard error.
    static func log(_ line: String) { StandardError.print(line) }
}
