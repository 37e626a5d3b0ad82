import ArgumentParser
import CommandLineSupport
import Foundation

/// The options of commands that affect many parties or cannot be undone.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask for confirmation.")
    var yes = false

    @Flag(help: "Show what would happen, and change nothing.")
    var dryRun = false

    func validate() throws {
        guard !(yes && dryRun) else { throw ValidationError("--yes and --dry-run exclude each other.") }
    }

    /// Asks for confirmation, unless `--yes` is given.
    /// - Parameter question: the question.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` without a terminal; ``Declined`` for any answer but yes.
    func confirm(_ question: String) throws {
        guard !yes else { return }
        try Self.ask(question, alternative: "--yes or --dry-run")
    }

    /// Asks for confirmation.
    /// - Parameters:
    ///   - question: the question.
    ///   - alternative: the options that replace the confirmation, for the error without a terminal.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` without a terminal; ``Declined`` for any answer but yes.
    static func ask(_ question: String, alternative: String) throws {
        guard Terminal.canAsk else {
            throw OperatorClientError.wrongUsage("no terminal for a confirmation: \(question) Use \(alternative)")
        }
        // If standard error is closed, the answer cannot be yes.
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        let answer = readLine()
        // After Ctrl-D the cursor is still in the line of the question.
        if answer == nil { StandardError.print("") }
        guard ["y", "yes"].contains(answer?.trimmingCharacters(in: .whitespaces).lowercased()) else { throw Declined() }
    }

    /// An error for a question that was not answered with yes.
    struct Declined: CommandFailure {
        let explanation = "nothing was changed"
        let exitStatus = ExitStatus.failed
    }
}

extension URLQueryItem {
    /// The query item that makes the server report the changes of a request without making them.
    static let dryRun = URLQueryItem(name: "dryRun", value: "true")
}
