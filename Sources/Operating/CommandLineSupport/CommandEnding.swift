import ArgumentParser
import Foundation

/// What an error makes a process print and exit with.
struct CommandEnding {
    /// A command that has said all it had to say.
    static let done = Self(status: .done, text: "")

    let status: ExitStatus
    let text: String

    init(status: ExitStatus, text: String) {
        self.status = status
        self.text = text
    }

    init(of error: any Error, from root: (some ParsableCommand).Type) {
        if let failure = error as? any CommandFailure {
            status = failure.exitStatus
            let speaker = root.configuration.commandName.map { "\($0): " } ?? ""
            text = "\(speaker)\(failure.explanation)\n"
            return
        }
        switch root.exitCode(for: error) {
        case .success: status = .done  // `--help` and `--version` are thrown as well.
        case .validationFailure: status = .wrongUsage
        default: status = .failed
        }
        let message = HelpText.withFoldedUsage(
            HelpText.withWholeExamples(
                root.fullMessage(for: error, columns: nil),
                // Wider than any line.
                unwrapped: root.fullMessage(for: error, columns: 1_000_000)
            ),
            fitting: status == .done ? Terminal.columns : Terminal.columnsOfErrors
        )
        text = message.isEmpty ? "" : message + "\n"
    }

    func endProcess() -> Never {
        let stream: FileHandle = status == .done ? .standardOutput : .standardError
        // Nothing is left to do when the stream's reader has gone away.
        try? stream.write(contentsOf: Data(text.utf8))
        exit(status.rawValue)
    }
}
