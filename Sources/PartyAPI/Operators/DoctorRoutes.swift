import GameCore
import GameStore
import Hummingbird

/// `GET /admin/v1/doctor`: what a node finds wrong with itself and with what it needs.
///
/// It pushes to a token that is nobody's, so that APNs says what it thinks of key and topic; operators ask that rarely.
struct DoctorRoutes: Sendable {
    let store: GameStore
    /// Nil on a node that has no way to APNs.
    let pushes: OperatorPushes?
    let surroundings: Surroundings

    /// The answer: `{at, checks}`.
    private struct Report: Encodable {
        /// By this node's clock.
        let at: String
        let checks: [DoctorCheck]
    }

    func add(to router: Router<APIContext>, _ gate: Gate) {
        router.get("admin/v1/doctor", use: gate.viewer(examine))
    }

    private func examine(_ call: Call<Operator>) async throws -> Response {
        let before = surroundings.now()
        let clock = try await store.clock()
        let after = surroundings.now()
        let migrations = try await store.checkMigrations()
        let found = try await store.diagnosis()
        let local = [
            DoctorCheck.database(migrations, version: found.serverVersion, took: after - before),
            .clock("clock", other: clock, before: before, after: after),
            .connections(open: found.connections.open, limit: found.connections.limit),
            .dispatchers(held: found.leases.held, holders: found.leases.holders, shards: found.leases.shards),
            .unsent(found.oldestUnsent, at: found.clock),
            .environments(live: found.liveActivities, served: pushes?.environments ?? []),
        ]
        let remedy = "Ask one with the role dispatcher."
        let routes =
            try await pushes?.examine()
            ?? [DoctorCheck("APNs", .skipped, "This node sends no pushes.", remedy: remedy)]
        return try Response(json: Report(at: surroundings.now().rfc3339, checks: local + routes))
    }
}
