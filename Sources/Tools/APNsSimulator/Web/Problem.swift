import Hummingbird

/// An error of the web API: `application/problem+json` of RFC 9457.
struct Problem: Error, Encodable, HTTPResponseError {
    /// A field of the request that is not as it must be.
    struct FieldError: Encodable, Equatable, Sendable {
        let field: String
        let reason: String
    }

    /// Names the kind of problem for programs.
    let type: String
    let title: String
    let status: HTTPResponse.Status
    let detail: String
    var errors: [FieldError]?

    private enum CodingKeys: CodingKey {
        case type
        case title
        case status
        case detail
        case errors
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(type, forKey: .type)
        try container.encode(title, forKey: .title)
        try container.encode(status.code, forKey: .status)
        try container.encode(detail, forKey: .detail)
        try container.encodeIfPresent(errors, forKey: .errors)
    }

    func response(from request: Request, context: some RequestContext) -> Response {
        Response(status: status, json: self, contentType: "application/problem+json")
    }
}

extension Problem {
    /// A body that cannot be read as what the path takes.
    static func unreadableBody(_ detail: String) -> Self {
        Self(type: "unreadable-body", title: "The body cannot be read", status: .badRequest, detail: detail)
    }

    /// Fields that can be read and are not as they must be.
    static func invalidFields(_ errors: [FieldError]) -> Self {
        Self(
            type: "invalid-fields",
            title: "Some fields are not as they must be",
            status: .unprocessableContent,
            detail: "See 'errors' for what is wrong with \(errors.map(\.field).joined(separator: ", ")).",
            errors: errors
        )
    }

    /// A path that leads nowhere.
    static let notFound = Self(
        type: "not-found",
        title: "There is nothing here",
        status: .notFound,
        detail: "The page of phones is at /, the phones are at /api/phones."
    )

    /// What a framework's error comes to.
    init(_ error: any HTTPResponseError) {
        self.init(
            type: "http-\(error.status.code)",
            title: error.status.reasonPhrase,
            status: error.status,
            detail: (error as? HTTPError)?.body ?? "The request cannot be answered as it is."
        )
    }

    /// What the wall's error comes to.
    init(_ error: WallError) {
        switch error {
        case .unknownPhone:
            self.init(
                type: "unknown-phone",
                title: "There is no such phone",
                status: .notFound,
                detail: "GET /api/phones lists the phones; POST /api/phones adds one."
            )
        case .unknownActivity:
            self.init(
                type: "unknown-activity",
                title: "The phone has no such activity",
                status: .notFound,
                detail: "POST to the phone's activities starts one."
            )
        case .activityExists:
            self.init(
                type: "activity-exists",
                title: "The phone has this activity already",
                status: .conflict,
                detail: "Each activity has an identifier of its own; POST to its rotate gives it a new token."
            )
        case .tooManyActivities:
            self.init(
                type: "too-many-activities",
                title: "The phone has as many running activities as it takes",
                status: .conflict,
                detail: "Activities that end or are swiped away make room; --activity-limit sets how many there may be."
            )
        case .activityOver:
            self.init(
                type: "activity-over",
                title: "The activity is over",
                status: .conflict,
                detail: "What has ended gets no new token, and what is gone cannot be swiped away."
            )
        case .unknownChannel:
            self.init(
                type: "unknown-channel",
                title: "There is no such channel",
                status: .notFound,
                detail: "An activity that is to follow a channel starts only if the sender has made the channel before."
            )
        case .tooManyPhones:
            self.init(
                type: "too-many-phones",
                title: "The wall is full",
                status: .conflict,
                detail: "It holds \(PhoneWall.maximumPhones) phones; start the simulator anew."
            )
        }
    }
}
