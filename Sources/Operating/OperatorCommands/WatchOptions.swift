import ArgumentParser
import CommandLineSupport
import Foundation

/// For what can be looked at again and again.
struct WatchOptions: ParsableArguments {
    @Flag(
        help:
            "Show it again and again, until it is over or you stop it (Ctrl-C). While the server is away it waits, a minute at most."
    )
    var watch = false

    @Option(help: ArgumentHelp("With --watch: how many seconds apart, 1 to 3600; 2 unless told.", valueName: "seconds"))
    var every: Int?

    private static let standardSeconds = 2

    func validate() throws {
        guard watch || every == nil else { throw ValidationError("--every goes with --watch.") }
        guard (1...3_600).contains(every ?? Self.standardSeconds) else {
            throw ValidationError("--every takes 1 to 3600 seconds.")
        }
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
    /// Where there is no answer for a moment, as while a node restarts, it waits; the first must come.
    func run(json: Bool, _ ask: () async throws(OperatorClientError) -> Frame) async throws {
        let isTerminal = Terminal.columns != nil
        var isFirst = true
        while true {
            let frame = try await Perseverance(say: StandardError.print).run(
                after: { !isFirst && $0.mayPass },
                step: ask
            )
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
            try StandardOutput.write(text)
            guard watch, !frame.isLast else { return }
            isFirst = false
            try await Task.sleep(for: .seconds(every ?? Self.standardSeconds))
        }
    }
}
