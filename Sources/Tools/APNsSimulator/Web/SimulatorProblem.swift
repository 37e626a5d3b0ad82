import Hummingbird

/// An error response of the web API: `application/problem+json` of RFC 9457.
struct SimulatorProblem: Error, Encodable, HTTPResponseError {
    /// An invalid field of the request.
    struct FieldError: Encodable, Equatable, Sendable {
        let field: String
        let reason: String
    }

    /// The kind of problem, for programs.
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

extension SimulatorProblem {
    /// Creates the problem for a body that cannot be decoded as the request's type.
    static func unreadableBody(_ detail: String) -> Self {
        Self(type: "unreadable-body", title: "Unreadable body", status: .badRequest, detail: detail)
    }

    /// Creates the problem for a body that can be decoded, but has invalid fields.
    static func invalidFields(_ errors: [FieldError]) -> Self {
        Self(
            type: "invalid-fields",
            title: "Invalid fields",
            status: .unprocessableContent,
            detail: "'errors' describes what is wrong with \(errors.map(\.field).joined(separator: ", ")).",
            errors: errors
        )
    }

    /// The path is unknown.
    static let notFound = Self(
        type: "not-found",
        title: "Not found",
        status: .notFound,
        detail: "The phone wall is at /, its phones are at /api/phones."
    )

    /// Converts an error of the web framework.
    init(_ error: any HTTPResponseError) {
        self.init(
            type: "http-\(error.status.code)",
            title: error.status.reasonPhrase,
            status: error.status,
            detail: (error as? HTTPError)?.body ?? "The request is invalid."
        )
    }

    /// Converts an error of the wall.
    init(_ error: WallError) {
        switch error {
        case .unknownPhone:
            self.init(
                type: "unknown-phone",
                title: "Unknown phone",
                status: .notFound,
                detail: "GET /api/phones lists the phones; POST /api/phones adds one."
            )
        case .unknownActivity:
            self.init(
                type: "unknown-activity",
                title: "Unknown activity",
                status: .notFound,
                detail: "POST to the phone's activities to start one."
            )
        case .activityExists:
            self.init(
                type: "activity-exists",
                title: "The activity already exists",
                status: .conflict,
                detail: "Identifiers of activities are unique; POST to the activity's rotate to give it a new token."
            )
        case .tooManyActivities:
            self.init(
                type: "too-many-activities",
                title: "Too many activities",
                status: .conflict,
                detail: "End an activity or swipe one away; --activity-limit sets the maximum."
            )
        case .activitiesOff:
            self.init(
                type: "activities-off",
                title: "Live Activities are off",
                status: .conflict,
                detail: "PATCH the phone with \"liveActivitiesEnabled\": true first."
            )
        case .activityOver:
            self.init(
                type: "activity-over",
                title: "The activity is over",
                status: .conflict,
                detail: "An activity that has ended gets no new token, and a dismissed one cannot be swiped away."
            )
        case .unknownChannel:
            self.init(
                type: "unknown-channel",
                title: "Unknown channel",
                status: .notFound,
                detail: "Create the channel before an activity follows it."
            )
        case .tooManyPhones:
            self.init(
                type: "too-many-phones",
                title: "Too many phones",
                status: .conflict,
                detail: "The wall has the maximum of \(PhoneWall.maxPhones) phones; restart the simulator."
            )
        }
    }
}
