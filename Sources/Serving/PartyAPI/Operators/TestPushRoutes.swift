import GameCore
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import PushRules
import ServiceRuntime

/// `POST /admin/v1/pushes`: sends one push to a token and returns the response of APNs.
///
/// It supports no idempotency key: sending and storing the response cannot be one transaction, and a repeated test
/// should push again.
struct TestPushRoutes: Sendable {
    let store: GameStore
    /// The diagnostics that send the pushes; nil on a node without a provider key.
    let diagnostics: APNsDiagnostics?

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.post("admin/v1/pushes", use: authenticator.admin(send))
    }

    private func send(_ request: APIRequest<Operator>) async throws -> Response {
        let body: TestPushBody = try request.fields()
        guard let diagnostics, let standard = diagnostics.environments.first else { throw HTTPProblem.noPushRoute }
        if body.environment == nil, diagnostics.environments.count > 1 {
            throw HTTPProblem.invalidFields([
                .init(field: "environment", reason: "is required: this node sends to more than one environment")
            ])
        }
        let push = APNsDiagnostics.TestPush(
            deviceToken: body.deviceToken,
            environment: body.environment ?? standard,
            event: body.event,
            isUrgent: body.isUrgent
        )
        guard diagnostics.environments.contains(push.environment) else { throw HTTPProblem.noPushRoute }
        let owners = try await store.liveActivities(withToken: push.deviceToken, in: push.environment)
        if let owner = owners.first { throw HTTPProblem.token(of: owner.id) }
        // The entry is stored before the push is sent, so that every push has an entry.
        try await store.audit(AuditChange(push, by: request.author))
        guard let report = try await diagnostics.send(push) else { throw HTTPProblem.noPushRoute }
        return try Response(json: report)
    }
}

extension AuditChange {
    /// Creates the audit entry for a push, before it is sent.
    fileprivate init(_ push: APNsDiagnostics.TestPush, by author: AuditAuthor) {
        self.init(
            AuditAction(rawValue: "push.send"),
            of: "push-token/\(push.deviceToken.tokenFingerprint)",
            after: [
                "environment": push.environment.rawValue, "event": push.event.rawValue,
                "priority": push.isUrgent ? "10" : "5",
            ],
            by: author
        )
    }
}

extension HTTPProblem {
    /// Returns the problem of a push to the token of a live activity.
    ///
    /// Its dispatcher decides about its pushes: a push past it would have a timestamp that hides the dispatcher's own.
    fileprivate static func token(of id: ActivityID) -> HTTPProblem {
        HTTPProblem(
            kind: .tokenOfActivity,
            detail: """
                The token belongs to the live activity \(id), whose dispatcher decides about its pushes. It sends one on \
                'rangersctl push test --activity \(id)'.
                """
        )
    }

    static let noPushRoute = HTTPProblem(
        kind: .noPushRoute,
        detail: """
            Ask a node with a provider key for that environment (see its RANGERS_APNS settings), or use 'rangersctl push curl', \
            which needs no node.
            """
    )
}
