import CommandLineSupport
import Foundation

/// Shows the progress of a campaign on standard error: a bar on a terminal, otherwise a line every few seconds.
final class CampaignProgress {
    /// The interval between lines if standard error is not a terminal.
    private static let lineInterval = Duration.seconds(5)

    private var nextLineAt = ContinuousClock.now
    /// Whether the cursor is on the line of the bar.
    private var isInBar = false

    /// Shows the current progress.
    func show(_ result: CampaignResult, isLast: Bool) {
        if let columns = Terminal.columnsOfErrors {
            // ECMA-48: return to the beginning of the line, and erase it.
            write("\r\u{1B}[K" + result.progress(fitting: columns) + (isLast ? "\n" : ""))
            isInBar = !isLast
        } else if ContinuousClock.now >= nextLineAt || isLast {
            print(result.progress(fitting: nil))
            nextLineAt = .now + Self.lineInterval
        }
    }

    /// Prints a line of its own.
    func print(_ line: String) {
        write((isInBar ? "\n" : "") + line + "\n")
        isInBar = false
    }

    private func write(_ text: String) {
        // An error means that standard error is closed; the campaign goes on.
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
