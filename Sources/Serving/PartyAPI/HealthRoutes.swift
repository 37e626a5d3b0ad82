import HTTPServing
import Hummingbird

/// The routes for load balancers and supervisors, without a token.
struct HealthRoutes: Sendable {
    /// The paths, which are exempt from rate limits.
    static let paths: Set<String> = ["/healthz", "/readyz"]

    let readiness: Readiness

    func add(to router: Router<ServingContext>) {
        router.get("healthz") { _, _ in try Response(json: ["status": "ok"]) }
        router.get("readyz") { _, _ -> Response in
            let failures = await readiness.failures
            guard failures.isEmpty else {
                throw HTTPProblem.notReady(failures.map { .init(field: $0.name, reason: $0.reason) })
            }
            let restrictions = await readiness.restrictions
            return try Response(json: ReadinessView(restrictions: restrictions.isEmpty ? nil : restrictions))
        }
    }
}

/// The response of a process that is ready.
private struct ReadinessView: Encodable {
    struct Restriction: Encodable {
        let field: String
        let reason: String
    }

    let status = "ready"
    let restrictions: [Restriction]?

    init(restrictions: [Readiness.Failure]?) {
        self.restrictions = restrictions?.map { Restriction(field: $0.name, reason: $0.reason) }
    }
}
