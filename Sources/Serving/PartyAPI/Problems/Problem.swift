import HTTPTypes

/// An error as clients see it: `application/problem+json` of RFC 9457.
///
/// Title and status belong to the kind; the detail may differ from case to case. Nothing in it comes from an error
/// that was not written for clients: no dump, no statement, no token.
struct Problem: Error, Equatable {
    /// A field of the request that is not as it must be.
    struct FieldError: Encodable, Equatable {
        /// The field's name in the body, the query or the headers.
        let field: String
        /// What must be, as a sentence's end: "must be …".
        let reason: String
    }

    static let contentType = "application/problem+json"

    let kind: Kind
    /// What is wrong here and what would be right.
    var detail: String
    var errors: [FieldError] = []
    /// What the status asks for besides the body.
    var headers: HTTPFields = [:]

    var status: HTTPResponse.Status { kind.status }
}

extension Problem: Encodable {
    private enum CodingKeys: CodingKey {
        case type
        case title
        case status
        case detail
        case errors
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind.type, forKey: .type)
        try container.encode(kind.title, forKey: .title)
        try container.encode(status.code, forKey: .status)
        try container.encode(detail, forKey: .detail)
        if !errors.isEmpty {
            try container.encode(errors, forKey: .errors)
        }
    }
}
