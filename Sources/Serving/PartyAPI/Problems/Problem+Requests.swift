import HTTPTypes

// Problems of requests that do not get as far as a rule of the game.

extension Problem {
    /// How long clients should leave a service alone that is out of order.
    private static let retryAfterSeconds = 2

    static let malformedRequest = Problem(
        kind: .malformedRequest,
        detail: """
            Send HTTP/1.1 with one Host, or HTTP/2 over TLS; the length of a body is told once, by Content-Length or in chunks.
            """
    )

    static let requestTooSlow = Problem(
        kind: .requestTooSlow,
        detail: "Send headers and body at once; after this answer the connection is closed."
    )

    static let headersTooLarge = Problem(
        kind: .headersTooLarge,
        detail: "Path and headers may have \(ServingLimits.headerBytes) bytes together, "
            + "each at most \(ServingLimits.headerFieldBytes), and be \(ServingLimits.headerFields) at most."
    )

    static let unknownRoute = Problem(
        kind: .unknownRoute,
        detail: "Check the path; players' routes begin with /v1/, operators' with /admin/v1/."
    )

    static func wrongMethod(allowed: [HTTPRequest.Method]) -> Problem {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Problem(
            kind: .wrongMethod,
            detail: "This path takes \(names).",
            headers: [.allow: names]
        )
    }

    static let missingToken = Problem(
        kind: .missingToken,
        detail: "Send the header 'Authorization: Bearer' with your token.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers""#]
    )

    static let invalidToken = Problem(
        kind: .invalidToken,
        detail:
            "Nobody has this token, or it was revoked. Players' tokens (erp_) open /v1, operators' (ero_) /admin/v1.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers", error="invalid_token""#]
    )

    static let expiredToken = Problem(
        kind: .expiredToken,
        detail: "Its time is over; `rangersd operator create` makes a new one for the same name.",
        headers: [.wwwAuthenticate: #"Bearer realm="emoji-rangers", error="invalid_token""#]
    )

    static let unknownMethod = Problem(
        kind: .unknownMethod,
        detail: "The API takes \(HTTPRequest.Method.known.map(\.rawValue).joined(separator: ", "))."
    )

    static let viewersOnlyRead = Problem(
        kind: .viewersOnlyRead,
        detail: "This changes something; it takes the token of an operator whose role is admin. A dry run takes any."
    )

    static func bodyTooLarge(limit: Int) -> Problem {
        Problem(
            kind: .bodyTooLarge,
            detail: "A body may have at most \(limit) bytes."
        )
    }

    static let wrongContentType = Problem(
        kind: .wrongContentType,
        detail: "Send the header 'Content-Type: application/json' and a JSON object in UTF-8."
    )

    /// A body that would have to be unpacked (RFC 9110, section 15.5.16).
    static let compressedBody = Problem(
        kind: .wrongContentType,
        detail: "Send the JSON as it is, without 'Content-Encoding': nothing is unpacked here.",
        headers: [.acceptEncoding: "identity"]
    )

    /// Says where the JSON ends to be JSON, as a sentence.
    static func malformedJSON(_ reason: String) -> Problem {
        Problem(kind: .malformedJSON, detail: reason)
    }

    static func invalidFields(_ errors: [FieldError]) -> Problem {
        Problem(
            kind: .invalidFields,
            detail: "What must be different about \(errors.map(\.field).joined(separator: ", ")) is in 'errors'.",
            errors: errors
        )
    }

    static func tooManyRequests(retryAfterSeconds: Int) -> Problem {
        Problem(
            kind: .tooManyRequests,
            detail:
                "Wait as long as 'Retry-After' says. Your token or your address has used up what 'RateLimit-Limit' allows.",
            headers: [.retryAfter: "\(retryAfterSeconds)"]
        )
    }

    static func tooManyStreams(_ most: Int) -> Problem {
        Problem(
            kind: .tooManyRequests,
            detail: "You have \(most) event streams open here, as many as you may; let one end first.",
            headers: [.retryAfter: "5"]
        )
    }

    static let databaseUnavailable = Problem(
        kind: .databaseUnavailable,
        detail: "Try again soon. A write may have happened: send it again with its Idempotency-Key, if it had one.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    static let tookTooLong = Problem(
        kind: .tookTooLong,
        detail: "Try again soon. A write may have happened: send it again with its Idempotency-Key, if it had one.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    static func notReady(_ missing: [FieldError]) -> Problem {
        Problem(
            kind: .notReady,
            detail: "Missing: \(missing.map(\.field).joined(separator: ", ")).",
            errors: missing,
            headers: [.retryAfter: "\(retryAfterSeconds)"]
        )
    }

    static let internalError = Problem(
        kind: .internalError,
        detail: "This is a fault of the server. Whoever runs it finds the reason in its log by the X-Request-Id."
    )
}
