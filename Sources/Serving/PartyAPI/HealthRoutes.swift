import Hummingbird

/// What load balancers and supervisors ask, without a token.
struct HealthRoutes: Sendable {
    let readiness: Readiness

    func add(to router: Router<APIContext>) {
        router.get("healthz") { _, _ in try Response(json: ["status": "ok"]) }
        router.get("readyz") { _, _ -> Response in
            let lacks = await readiness.lacks
            guard lacks.isEmpty else { throw Problem.notReady(lacks.map { .init(field: $0.name, reason: $0.reason) }) }
            return try Response(json: ["status": "ready"])
        }
    }
}
