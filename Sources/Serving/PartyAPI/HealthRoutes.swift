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
            return try Response(json: ["status": "ready"])
        }
    }
}
