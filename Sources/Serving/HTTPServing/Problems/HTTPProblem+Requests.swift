package import HTTPTypes

// The problems of every API: of requests that are rejected before a route handles them, and of the server itself.

extension HTTPProblem.Kind {
    package static let malformedRequest = Self("malformed-request", .badRequest, "Malformed HTTP request")
    package static let malformedJSON = Self("malformed-json", .badRequest, "Malformed JSON")
    package static let unknownRoute = Self("unknown-route", .notFound, "Unknown path")
    package static let wrongMethod = Self("wrong-method", .methodNotAllowed, "Method not allowed for this path")
    package static let requestTooSlow = Self("request-too-slow", .requestTimeout, "Request did not arrive in time")
    package static let bodyTooLarge = Self("body-too-large", .contentTooLarge, "Request body too large")
    package static let wrongContentType = Self("wrong-content-type", .unsupportedMediaType, "Request body must be JSON")
    package static let invalidFields = Self("invalid-fields", .unprocessableContent, "Invalid fields")
    package static let tooManyRequests = Self("too-many-requests", .tooManyRequests, "Too many requests")
    package static let headersTooLarge = Self(
        "headers-too-large",
        .requestHeaderFieldsTooLarge,
        "Request headers too large"
    )
    package static let internalError = Self("internal-error", .internalServerError, "Internal server error")
    package static let unknownMethod = Self("unknown-method", .notImplemented, "Unknown HTTP method")
    package static let tookTooLong = Self("took-too-long", .serviceUnavailable, "Request timed out")
    package static let notReady = Self("not-ready", .serviceUnavailable, "Server not ready")

    /// The kinds that this module declares.
    package static let ofServing: [Self] = [
        .malformedRequest, .malformedJSON, .unknownRoute, .wrongMethod, .requestTooSlow, .bodyTooLarge,
        .wrongContentType, .invalidFields, .tooManyRequests, .headersTooLarge, .internalError, .unknownMethod,
        .tookTooLong, .notReady,
    ]
}

extension HTTPProblem {
    /// The delay before clients should retry when the service is unavailable.
    package static let retryAfterSeconds = 2

    package static let malformedRequest = Self(
        kind: .malformedRequest,
        detail: """
            Send HTTP/1.1 with a method in capital letters and exactly one Host header, or HTTP/2 over TLS; declare the \
            length of a body once, by Content-Length or by chunked encoding.
            """
    )

    package static let requestTooSlow = Self(
        kind: .requestTooSlow,
        detail: "Send headers and body without delay. The connection is closed after this response."
    )

    package static let headersTooLarge = Self(
        kind: .headersTooLarge,
        detail: """
            At most \(ServingLimits.maxHeaderFields) headers are allowed, of at most \(ServingLimits.maxHeaderFieldBytes) \
            bytes each; path and headers together may have \(ServingLimits.maxHeaderBytes) bytes.
            """
    )

    package static let unknownRoute = Self(
        kind: .unknownRoute,
        detail: """
            Check the path: /docs lists all routes. It must match one of them exactly, without a trailing slash or empty \
            segments.
            """
    )

    package static func wrongMethod(allowed: [HTTPRequest.Method]) -> Self {
        let names = allowed.map(\.rawValue).joined(separator: ", ")
        return Self(kind: .wrongMethod, detail: "This path accepts \(names).", headers: [.allow: names])
    }

    package static let unknownMethod = Self(
        kind: .unknownMethod,
        detail: "The known methods are \(HTTPRequest.Method.known.map(\.rawValue).joined(separator: ", "))."
    )

    package static func bodyTooLarge(limit: Int) -> Self {
        Self(kind: .bodyTooLarge, detail: "A body may have at most \(limit) bytes.")
    }

    package static let wrongContentType = Self(
        kind: .wrongContentType,
        detail: "Send the header 'Content-Type: application/json' and a JSON object in UTF-8."
    )

    package static let wrongCharset = Self(
        kind: .wrongContentType,
        detail: "Send the JSON in UTF-8, and no other 'charset' in 'Content-Type' (RFC 8259, section 8.1)."
    )

    /// A compressed body (RFC 9110, section 15.5.16).
    package static let compressedBody = Self(
        kind: .wrongContentType,
        detail: "Send the JSON without 'Content-Encoding': the server does not decompress bodies.",
        headers: [.acceptEncoding: "identity"]
    )

    /// Returns the problem of a body that is not valid JSON.
    /// - Parameter reason: a sentence with the syntax error and its position.
    /// - Returns: the problem.
    package static func malformedJSON(_ reason: String) -> Self {
        Self(kind: .malformedJSON, detail: reason)
    }

    package static func invalidFields(_ errors: [FieldError]) -> Self {
        Self(
            kind: .invalidFields,
            detail: "Correct \(errors.map(\.field).joined(separator: ", ")) as 'errors' says.",
            errors: errors
        )
    }

    package static let tookTooLong = Self(
        kind: .tookTooLong,
        detail: "Retry soon. A write may have succeeded: repeat it with the same Idempotency-Key, if it had one.",
        headers: [.retryAfter: "\(retryAfterSeconds)"]
    )

    package static func notReady(_ errors: [FieldError]) -> Self {
        Self(
            kind: .notReady,
            detail: "Failed checks: \(errors.map(\.field).joined(separator: ", ")).",
            errors: errors,
            headers: [.retryAfter: "\(retryAfterSeconds)"]
        )
    }

    package static let internalError = Self(
        kind: .internalError,
        detail: "This is a fault of the server. Its operator finds the cause in the log by the X-Request-Id."
    )
}
