import CommandLineSupport
import Foundation

/// Why the server refused a request (RFC 9457, `application/problem+json`).
struct Problem: Decodable, Hashable {
    /// What is wrong with one field of the request.
    struct FieldError: Decodable, Hashable {
        let field: String
        let reason: String
    }

    /// Which kind of problem it is, for programs.
    let type: String?
    let title: String?
    /// Of the answer itself: what its body says of it is a copy (RFC 9457, section 3.1.2).
    private(set) var status: Int?
    let detail: String?
    let errors: [FieldError]?

    /// Reads an answer that is no success.
    ///
    /// What is not from our server, such as a proxy's page, has nothing to say but its status.
    init(status: Int, body: Data) {
        if let problem = try? JSONDecoder().decode(Self.self, from: body), problem.title != nil {
            self = problem
            self.status = status
        } else {
            type = nil
            title = "the server answered \(status) without saying why"
            self.status = status
            detail = nil
            errors = nil
        }
    }

    /// What kind of problem it is.
    var summary: String {
        // RFC 9457 lets a problem leave out everything; `init` sees to the title.
        Printable.text((isGivingUp ? "the server gave up: " : "") + (title ?? ""))
    }

    /// Whether something was given that the server does not take, as the errors say.
    var isWrongUsage: Bool { type == "urn:emoji-rangers:problem:invalid-fields" }

    /// Whether the server gave up, and not whoever asked: what it needs is away, or takes too long.
    var isGivingUp: Bool { isOutOfDatabase || type == "urn:emoji-rangers:problem:took-too-long" }

    /// Whether the server's database does not answer.
    var isOutOfDatabase: Bool { type == "urn:emoji-rangers:problem:database-unavailable" }

    /// Title and detail, then a line for each field.
    var text: String {
        let sentence =
            isWrongUsage
            ? "the server does not take this:" : [title, detail].compactMap(\.self).joined(separator: ": ")
        let speaker = isGivingUp ? "the server gave up: " : ""
        let fields = (errors ?? []).map { "  \($0.field): \($0.reason)" }
        return ([speaker + sentence] + fields).map(Printable.text).joined(separator: "\n")
    }
}
