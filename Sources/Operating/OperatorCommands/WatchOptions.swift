import ArgumentParser
import CommandLineSupport
import Foundation

/// The options of commands that can refresh their output.
struct WatchOptions: ParsableArguments {
    @Flag(
        help:
            "Refresh the output until the adventure or raid ends or you stop the command (Ctrl-C). Survives outages of the server of at most a minute."
    )
    var watch = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("With --watch: the interval in seconds, 1 to 3600; the default is 2.", valueName: "seconds")
    )
    var every: Int?

    private static let defaultSeconds = 2

    func validate() throws {
        guard watch || every == nil else { throw ValidationError("--every requires --watch.") }
        guard (1...3_600).contains(every ?? Self.defaultSeconds) else {
            throw ValidationError("--every must be between 1 and 3600 seconds.")
        }
    }

    /// The content of one refresh.
    struct Frame {
        /// The server's JSON.
        let body: Data
        let content: any HumanReadable
        /// Whether the content will not change any more.
        let isLast: Bool
    }

    /// Prints the content once, or repeatedly with `--watch`.
    ///
    /// A terminal is cleared before each refresh. In other outputs, an empty line separates the refreshes, or each is a
    /// line of JSON. Transient errors, for example while a node restarts, are retried, except that of the first
    /// request.
    func run(json: Bool, _ request: () async throws(OperatorClientError) -> Frame) async throws {
        let isTerminal = Terminal.columns != nil
        var isFirst = true
        while true {
            let frame = try await Retrier(report: StandardError.print).run(
                after: { !isFirst && $0.isTransient },
                step: request
            )
            var text = ""
            if json {
                text = String(decoding: frame.body, as: UTF8.self) + "\n"
            } else {
                let lines = frame.content.lines(fitting: Terminal.columns, paint: Terminal.paint)
                // ECMA-48: move to the first cell, and erase the display.
                if watch, isTerminal { text += "\u{1B}[H\u{1B}[2J" } else if !isFirst { text += "\n" }
                text += lines.map { $0 + "\n" }.joined()
            }
            // Not `print`, which buffers the output to a pipe.
            try StandardOutput.write(text)
            guard watch, !frame.isLast else { return }
            isFirst = false
            try await Task.sleep(for: .seconds(every ?? Self.defaultSeconds))
        }
    }
}
