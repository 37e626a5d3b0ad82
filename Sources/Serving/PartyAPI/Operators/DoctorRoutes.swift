import Encodings
import GameCore
import GameStore
import Hummingbird
import PostgresClient
import ServiceRuntime

/// `GET /admin/v1/doctor`: what a node finds wrong with itself and with what it needs.
///
/// It pushes to a token that is nobody's, so that APNs says what it thinks of key and topic; operators ask that rarely.
struct DoctorRoutes: Sendable {
    /// Gives up soon, so that whoever asks hears of everything else.
    let store: GameStore
    /// Nil on a node that has no way to APNs.
    let pushes: OperatorPushes?
    let runtime: Runtime

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
    private func examine(_ call: Call<Diagnostician>) async throws -> Response {
        async let routes = examineRoutes()
        // What has just failed would be asked in vain again, and take its time.
        let database: [DoctorCheck] =
            if let outage = call.caller.outage { .unreachableDatabase(outage) } else { await examineDatabase() }
        return try Response(json: Report(at: runtime.now().rfc3339, checks: database + (await routes)))
    }

    private func examineDatabase() async -> [DoctorCheck] {
        let before = runtime.now()
        let clock: Timestamp
        do {
            clock = try await store.clock()
        } catch {
            return .unreachableDatabase(error)
        }
        let after = runtime.now()
        let questions: [(name: String, look: @Sendable () async throws -> DoctorCheck)] = [
            (
                "database",
                {
                    let (version, migrations) = (try await store.serverVersion(), try await store.checkMigrations())
                    return .database(migrations, version: version, took: after - before)
                }
            ),
            ("clock", { .clock("clock", other: clock, before: before, after: after) }),
            ("database connections", { .connections(try await store.connectionUse()) }),
            (
                "database sessions",
                {
                    .sessions(
                        blocking: try await store.blockers(
                            ofMoreThan: DoctorCheck.toleratedLockWait,
                            limit: DoctorCheck.mostSessions
                        ),
                        keeping: try await store.oldSnapshots(
                            olderThan: DoctorCheck.toleratedSnapshotAge,
                            limit: DoctorCheck.mostSessions
                        )
                    )
                }
            ),
            (
                "dispatchers",
                {
                    let (leases, present) = (try await store.leaseCount(), try await store.dispatcherCount())
                    return .dispatchers(
                        present: present,
                        held: leases.held,
                        holders: leases.holders,
                        shards: leases.shards
                    )
                }
            ),
            ("unsent changes", { .unsent(try await store.oldestUnsent(), at: clock) }),
            (
                "environments",
                { .environments(live: try await store.liveActivities(), served: pushes?.environments ?? []) }
            ),
        ]
        // Side by side, since each may wait for a lock until it gives up.
        return await withTaskGroup { group in
            for (place, question) in questions.enumerated() {
                group.addTask { (place, await examined(question.name, question.look)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
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
