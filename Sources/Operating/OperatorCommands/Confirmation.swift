import ArgumentParser
import CommandLineSupport
import Foundation

/// For what touches many, or cannot be undone.
struct ConfirmationOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Do not ask.")
    var yes = false

    @Flag(help: "Say what would happen, and change nothing.")
    var dryRun = false

    func validate() throws {
        guard !(yes && dryRun) else { throw ValidationError("Either --yes or --dry-run.") }
    }

    /// Asks whether to go on, unless that was said already.
    /// - Throws: ``OperatorClientError/wrongUsage(_:)`` where nobody can be asked, ``Declined`` for anything but a yes.
    func confirm(_ question: String) throws {
        guard !yes else { return }
        try Self.ask(question, orSay: "--yes, or --dry-run")
    }

    /// Asks whether to go on.
    /// - Parameters:
    ///   - question: a sentence.
    ///   - options: what to say on the command line where nobody can be asked.
    /// - Throws: as ``confirm(_:)``.
    static func ask(_ question: String, orSay options: String) throws {
        guard Terminal.canAsk else {
            throw OperatorClientError.wrongUsage("nobody is here to be asked: \(question) Say \(options)")
        }
        // Who cannot be asked does not answer yes.
        try? FileHandle.standardError.write(contentsOf: Data("\(question) [y/N] ".utf8))
        let answer = readLine()
        // Whoever ends the input (Ctrl-D) is still in the line of the question.
        if answer == nil { StandardError.print("") }
        guard ["y", "yes"].contains(answer?.trimmingCharacters(in: .whitespaces).lowercased()) else { throw Declined() }
    }

    /// Somebody was asked, and did not say yes.
    struct Declined: CommandFailure {
        let explanation = "nothing was changed"
        let exitStatus = ExitStatus.failed
    }
}

extension URLQueryItem {
    /// Decides what would happen, and changes nothing.
    static let dryRun = URLQueryItem(name: "dryRun", value: "true")
}
