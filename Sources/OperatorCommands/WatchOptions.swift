import ArgumentParser
import Foundation
import RangersCommandLine

/// For what can be looked at again and again.
struct WatchOptions: ParsableArguments {
    @Flag(help: "Show it again and again, until it is over or you stop it (Ctrl-C).")
    var watch = false

    @Option(help: ArgumentHelp("How many seconds apart, 1 to 3600.", valueName: "seconds"))
    var every = 2

    func validate() throws {
        guard (1...3_600).contains(every) else { throw ValidationError("--every takes 1 to 3600 seconds.") }
    }

    /// What is shown at a moment.
    struct Frame {
        /// The server's JSON.
        let body: Data
        let answer: any Answer
        /// Whether nothing will change any more.
        let isLast: Bool
    }

    /// Shows an answer again and again, or once.
    ///
    /// A terminal is cleared in between; elsewhere the answers are parted by an empty line, or are a line of JSON each.
    func run(json: Bool, _ ask: () async throws -> Frame) async throws {
        let isTerminal = Terminal.columns != nil
        var isFirst = true
        while true {
            let frame = try await ask()
            var text = ""
            if json {
                text = String(decoding: frame.body, as: UTF8.self) + "\n"
            } else {
                let lines = frame.answer.lines(fitting: Terminal.columns, paint: Terminal.paint)
                // ECMA-48: to the first cell, and everything behind it erased.
                if watch, isTerminal { text += "\u{1B}[H\u{1B}[2J" } else if !isFirst { text += "\n" }
                text += lines.map { $0 + "\n" }.joined()
            }
            // Not `print`: what is watched through a pipe is to come at once.
            try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            guard watch, !frame.isLast else { return }
            isFirst = false
            try await Task.sleep(for: .seconds(every))
        }
    }
}
