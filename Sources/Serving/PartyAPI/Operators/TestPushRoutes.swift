import Cryptography
import GameCore
import GameStore
import Hummingbird
import PushRules
import ServiceRuntime

/// `POST /admin/v1/pushes`: one push to a token, and what APNs says of it.
///
/// It takes no idempotency key: what APNs says cannot be kept with the sending of it, and whoever tries a phone again wants
/// another push.
struct TestPushRoutes: Sendable {
    let store: GameStore
    let runtime: Runtime
    /// Nil on a node that has no way to APNs.
    let pushes: OperatorPushes?

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.post("admin/v1/pushes", use: gate.admin(send))
    }

    private func send(_ call: Call<Operator>) async throws -> Response {
        let body: NewTestPush = try call.fields()
        guard let pushes, let standard = pushes.environments.first else { throw Problem.noPushRoute }
        if body.environment == nil, pushes.environments.count > 1 {
            throw Problem.invalidFields([
                .init(field: "environment", reason: "must be given: this node sends to more than one")
            ])
        }
        let message = OperatorPushes.Message(
            deviceToken: body.deviceToken,
            environment: body.environment ?? standard,
            event: body.event,
            isUrgent: body.isUrgent
        )
        guard pushes.environments.contains(message.environment) else { throw Problem.noPushRoute }
        // Before it is sent: there is no push without an entry.
        try await store.audit(AuditChange(message, by: call.author), at: runtime.now())
        guard let report = try await pushes.send(message) else { throw Problem.noPushRoute }
        return try Response(json: report)
    }
}

extension AuditChange {
    /// Enough to tell tokens apart, far too little to push with.
    private static let fingerprintDigits = 8

    /// A push that is about to be sent.
    fileprivate init(_ message: OperatorPushes.Message, by author: AuditAuthor) {
        let fingerprint = SHA256.hex(of: message.deviceToken).prefix(Self.fingerprintDigits)
        self.init(
            AuditAction(rawValue: "push.send"),
            of: "push-token/\(fingerprint)",
            after: [
                "environment": message.environment.rawValue, "event": message.event.rawValue,
                "priority": message.isUrgent ? "10" : "5",
            ],
            by: author
        )
    }
}

extension Problem {
    static let noPushRoute = Problem(
        kind: .noPushRoute,
        detail: """
            Ask a node that has a provider key for that environment (its RANGERS_APNS settings say so); 'rangersctl push \
            curl' needs no node.
            """
    )
}
