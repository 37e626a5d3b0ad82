import Hummingbird

/// What load balancers and supervisors ask, without a token.
struct HealthRoutes: Sendable {
    let checks: [ReadinessCheck]

    func add(to router: Router<APIContext>) {
        router.get("healthz") { _, _ in try Response(json: ["status": "ok"]) }
        router.get("readyz") { _, _ in try await readiness() }
    }

    private func readiness() async throws -> Response {
        var missing: [Problem.FieldError] = []
        for check in checks {
            if let reason = await check.check() {
                missing.append(.init(field: check.name, reason: reason))
            }
        }
        guard missing.isEmpty else { throw Problem.notReady(missing) }
        return try Response(json: ["status": "ready"])
    }
}
