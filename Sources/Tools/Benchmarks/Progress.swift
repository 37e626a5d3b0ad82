import Foundation

/// How far a long run has come: one line on standard error, as far as that is a terminal.
struct Progress {
    /// A run that is over sooner shows nothing.
    private static let patience: Duration = .seconds(1)

    private let total: Int
    private let isShown: Bool
    private let start = ContinuousClock.now
    private var done = 0

    /// A run of so many parts.
    init(of total: Int) {
        self.total = total
        isShown = isatty(STDERR_FILENO) == 1
    }

    /// Counts one part as done; the last one takes the line away.
    mutating func advance() {
        done += 1
        guard isShown, ContinuousClock.now - start > Self.patience else { return }
        let text = done < total ? "\(done) of \(total)" : ""
        // Back to the line's beginning, then clear to its end (ECMA-48); nothing is left to do when nobody reads it.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
