import CommandLineSupport
import RangersClient

extension ServerProblem {
    /// Whether the request is invalid, which is wrong usage of the command.
    var isWrongUsage: Bool { type == .invalidFields }

    /// Whether the server gave up because its database is unavailable or slow.
    var isTimeout: Bool { isDatabaseUnavailable || type == .tookTooLong }

    /// Whether the server's database is unavailable.
    var isDatabaseUnavailable: Bool { type == .databaseUnavailable }

    /// The title, in one line.
    var summary: String { Printable.text((isTimeout ? "the server gave up: " : "") + title) }

    /// Title and detail, then one line for each invalid field.
    var text: String {
        let sentence =
            isWrongUsage
            ? "the server rejects the request:" : [title, detail].compactMap(\.self).joined(separator: ": ")
        let fields = errors.map { "  \($0.field): \($0.reason)" }
        return ([(isTimeout ? "the server gave up: " : "") + sentence] + fields).map(Printable.text)
            .joined(separator: "\n")
    }
}
