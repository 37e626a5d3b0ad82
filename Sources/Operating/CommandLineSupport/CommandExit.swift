import ArgumentParser
import Foundation

/// The exit status of a process, and the text to print before the exit.
struct CommandExit {
    /// Success without further output.
    static let success = Self(status: .done, text: "")

    let status: ExitStatus
    let text: String

    init(status: ExitStatus, text: String) {
        self.status = status
        self.text = text
    }

    init(of error: any Error, from root: (some ParsableCommand).Type) {
        if let failure = error as? any CommandFailure {
            status = failure.exitStatus
            let prefix = root.configuration.commandName.map { "\($0): " } ?? ""
            text = "\(prefix)\(failure.explanation)\n"
            return
        }
        switch root.exitCode(for: error) {
        case .success: status = .done  // ArgumentParser throws for `--help` and `--version`, too.
        case .validationFailure: status = .wrongUsage
        default: status = .failed
        }
        let message = HelpText.withFoldedUsage(
            HelpText.withWholeExamples(
                root.fullMessage(for: error, columns: nil),
                // Wide enough for any line.
                unwrapped: root.fullMessage(for: error, columns: 1_000_000)
            ),
            fitting: status == .done ? Terminal.columns : Terminal.columnsOfErrors
        )
        text = message.isEmpty ? "" : message + "\n"
    }

    func exitProcess() -> Never {
        let stream: FileHandle = status == .done ? .standardOutput : .standardError
        // An error means that the stream is closed.
        try? stream.write(contentsOf: Data(text.utf8))
        exit(status.rawValue)
    }
}
