import CommandLineSupport
import Foundation

/// Tells on standard error how far a campaign has come: a bar that moves on a terminal, a line now and then elsewhere.
final class CampaignProgress {
    /// How often a line tells the progress where there is no terminal.
    private static let lineInterval = Duration.seconds(5)

    private var lineDue = ContinuousClock.now
    /// Whether the last line of the terminal is the bar's.
    private var isInBar = false

    /// Shows what it has come to.
    func show(_ tally: CampaignTally, isLast: Bool) {
        if let columns = Terminal.columnsOfErrors {
            // ECMA-48: to the line's beginning, and the rest of it erased.
            write("\r\u{1B}[K" + tally.progress(fitting: columns) + (isLast ? "\n" : ""))
            isInBar = !isLast
        } else if ContinuousClock.now >= lineDue || isLast {
            say(tally.progress(fitting: nil))
            lineDue = .now + Self.lineInterval
        }
    }

    /// Says something in a line of its own.
    func say(_ line: String) {
        write((isInBar ? "\n" : "") + line + "\n")
        isInBar = false
    }

    private func write(_ text: String) {
        // Nothing is left to do when the reader has gone away.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
