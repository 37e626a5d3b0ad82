package import HTTPTypes

/// An error as clients receive it: `application/problem+json` (RFC 9457).
///
/// Title and status belong to the kind; the detail can differ from case to case. A problem contains only text that was
/// written for clients: no error dump, no SQL statement, no token.
package struct HTTPProblem: Error, Equatable {
    /// A kind of problem.
    package struct Kind: Hashable, Sendable {
        /// The end of the `type` URI.
        ///
        /// Apps compare it, so it never changes.
        package let name: String
        package let status: HTTPResponse.Status
        /// A summary of the kind, for people.
        package let title: String

        package init(_ name: String, _ status: HTTPResponse.Status, _ title: String) {
            self.name = name
            self.status = status
            self.title = title
        }

        /// The `type` of the problem: a URN, which needs no host to stay valid.
        package var type: String { "urn:emoji-rangers:problem:" + name }
    }

    /// An error in a field of the request.
    package struct FieldError: Equatable, Sendable {
        /// The field's name in the body, the query or the headers.
        package let field: String
        /// The end of a sentence that begins with the field: "must be …".
        package let reason: String

        package init(field: String, reason: String) {
            self.field = field
            self.reason = reason
        }
    }

    package static let contentType = "application/problem+json"

    package let kind: Kind
    /// An explanation of this occurrence, and its remedy.
    package var detail: String
    package var errors: [FieldError]
    /// Response headers that belong to the problem, such as `Retry-After`.
    package var headers: HTTPFields

    package init(kind: Kind, detail: String, errors: [FieldError] = [], headers: HTTPFields = [:]) {
        self.kind = kind
        self.detail = detail
        self.errors = errors
        self.headers = headers
    }

    package var status: HTTPResponse.Status { kind.status }
}
