import HTTPTypes

// Problems of requests that do not get as far as a rule of the game.

extension Problem {
    /// How long clients should leave a service alone that is out of order.
    private static let retryAfterSeconds = 2

    static let unknownRoute = Problem(
        slug: "unknown-route",
        title: "There is nothing at this path",
        status: .notFound,
        detail: "Check the path; players' routes begin with /v1/, operators' with /admin/v1/."
    )

    static func wrongMethod(allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            slug: "wrong-method",
            title: "The path does not take this method",
            status: .methodNotAllowed,
            detail: "This path takes \(names).",
            headers: [.allow: names]
        )
    }

    static let missingToken = Problem(
        slug: "missing-token",
        title: "A token is needed",
        status: .unauthorized,
        detail: "Send the header 'Authorization: Bearer' with your token.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers""#]
    )

    static let invalidToken = Problem(
        slug: "invalid-token",
        title: "The token is not valid here",
        status: .unauthorized,
        detail:
            "Nobody has this token, or it was revoked. Players' tokens (erp_) open /v1, operators' (ero_) /admin/v1.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers", error="invalid_token""#]
    )

    static let viewersOnlyRead = Problem(
        slug: "viewers-only-read",
        title: "Viewers may only read",
        status: .forbidden,
        detail: "This changes something; it takes the token of an operator whose role is admin."
    )

    static func bodyTooLarge(limit: Int) -> Problem {
        Problem(
            slug: "body-too-large",
            title: "The body is too large",
            status: .contentTooLarge,
            detail: "A body may have at most \(limit) bytes."
        )
    }

    static let wrongContentType = Problem(
        slug: "wrong-content-type",
        title: "The body must be JSON",
        status: .unsupportedMediaType,
        detail: "Send the header 'Content-Type: application/json' and a JSON object in UTF-8."
    )

    /// Says where the JSON ends to be JSON, as a sentence.
    static func malformedJSON(_ reason: String) -> Problem {
        Problem(
            slug: "malformed-json",
            title: "The body cannot be read as JSON",
            status: .badRequest,
            detail: reason
        )
    }

    static func invalidFields(_ errors: [FieldError]) -> Problem {
        Problem(
            slug: "invalid-fields",
            title: "Some fields are not as they must be",
            status: .unprocessableContent,
            detail: "What must be different about \(errors.map(\.field).joined(separator: ", ")) is in 'errors'.",
            errors: errors
        )
    }

    static let databaseUnavailable = Problem(
        slug: "database-unavailable",
        title: "The database is not available at the moment",
        status: .serviceUnavailable,
        detail: "Try again soon. A write may have happened: send it again with its Idempotency-Key, if it had one.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    static func notReady(_ missing: [FieldError]) -> Problem {
        Problem(
            slug: "not-ready",
            title: "Something that is needed is missing",
            status: .serviceUnavailable,
            detail: "Missing: \(missing.map(\.field).joined(separator: ", ")).",
            errors: missing,
            headers: [.retryAfter: "\(retryAfterSeconds)"]
        )
    }

    static let internalError = Problem(
        slug: "internal-error",
        title: "The server has failed",
        status: .internalServerError,
        detail: "This is a fault of the server. Whoever runs it finds the reason in its log by the X-Request-Id."
    )
}
