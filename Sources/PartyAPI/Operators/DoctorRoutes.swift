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
        router.get("admin/v1/doctor", use: gate.diagnostician(examine))
    }

    /// What one part finds keeps no other from looking: whoever asks wants to know what is wrong.
    private func examine(_ call: Call<Operator>) async throws -> Response {
        async let routes = examineRoutes()
        let checks = await examineDatabase() + routes
        return try Response(json: Report(at: surroundings.now().rfc3339, checks: checks))
    }

    private func examineDatabase() async -> [DoctorCheck] {
        let before = surroundings.now()
        let clock: Timestamp
        do {
            clock = try await store.clock()
        } catch {
            // It would be asked in vain for the rest, and take its time for each.
            return [.unreachableDatabase(error)]
        }
        let after = surroundings.now()
        var checks: [DoctorCheck] = []
        do {
            let (version, migrations) = (try await store.serverVersion(), try await store.checkMigrations())
            checks.append(.database(migrations, version: version, took: after - before))
        } catch {
            checks.append(.failure("database", error))
        }
        checks.append(.clock("clock", other: clock, before: before, after: after))
        await checks.append(
            examined("database connections") { .connections(try await store.connectionUse()) }
        )
        await checks.append(
            examined("dispatchers") {
                let leases = try await store.leaseCount()
                return .dispatchers(held: leases.held, holders: leases.holders, shards: leases.shards)
            }
        )
        await checks.append(examined("unsent changes") { .unsent(try await store.oldestUnsent(), at: clock) })
        await checks.append(
            examined("environments") {
                .environments(live: try await store.liveActivities(), served: pushes?.environments ?? [])
            }
        )
        return checks
    }

    private func examined(_ name: String, _ look: () async throws -> DoctorCheck) async -> DoctorCheck {
        do {
            return try await look()
        } catch {
            return .failure(name, error)
        }
    }

    private func examineRoutes() async -> [DoctorCheck] {
        guard let pushes else { return [.noRoutes] }
        do {
            return try await pushes.examine()
        } catch {
            return [.failure("APNs", error)]
        }
    }
}
