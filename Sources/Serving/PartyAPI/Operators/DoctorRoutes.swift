import Encodings
import GameCore
import GameLog
import GameStore
import HTTPServing
import Hummingbird
import PushDispatch
import ServiceRuntime

/// `GET /admin/v1/doctor`: the diagnosis of a node and of the systems that it needs.
///
/// The check of APNs sends a push to an invalid token, so that the response shows whether the provider key and the
/// topic are valid.
struct DoctorRoutes: Sendable {
    /// The store over a pool with short timeouts, so that a slow database does not delay the other checks.
    let store: GameStore
    /// The diagnostics of APNs; nil on a node without a provider key.
    let diagnostics: APNsDiagnostics?
    let runtime: Runtime

    /// The response: `{at, checks}`.
    private struct Report: Encodable {
        /// The time by this node's clock.
        let at: String
        let checks: [DoctorCheck]
    }

    func add(to router: Router<ServingContext>, _ authenticator: Authenticator) {
        router.get("admin/v1/doctor", use: authenticator.diagnostician(diagnose))
    }

    /// Runs all checks.
    ///
    /// A failed check does not prevent the others.
    private func diagnose(_ request: APIRequest<DiagnosingOperator>) async throws -> Response {
        async let apns = checkAPNs()
        // After an outage during authentication, further queries would only delay the response.
        let database: [DoctorCheck] =
            if let outage = request.caller.outage { .unreachableDatabase(outage) } else { await checkDatabase() }
        return try Response(json: Report(at: runtime.now().rfc3339, checks: database + (await apns)))
    }

    private func checkDatabase() async -> [DoctorCheck] {
        let before = runtime.now()
        let clock: Timestamp
        do {
            clock = try await store.clock()
        } catch {
            return .unreachableDatabase(error)
        }
        let after = runtime.now()
        let checks: [(name: String, run: @Sendable () async throws -> DoctorCheck)] = [
            (
                "database",
                {
                    let (version, migrations) = (try await store.serverVersion(), try await store.checkMigrations())
                    return .database(migrations, version: version, took: after - before)
                }
            ),
            ("clock", { .clock("clock", other: clock, before: before, after: after) }),
            ("database connections", { .connections(try await store.connectionUsage()) }),
            (
                "database sessions",
                {
                    .sessions(
                        blocking: try await store.lockBlockers(
                            waitingLongerThan: DoctorCheck.toleratedLockWait,
                            limit: DoctorCheck.maxSessions
                        ),
                        keeping: try await store.oldSnapshots(
                            olderThan: DoctorCheck.toleratedSnapshotAge,
                            limit: DoctorCheck.maxSessions
                        )
                    )
                }
            ),
            ("shards", { .shards(try await store.heads(of: Shard.all)) }),
            ("shard clocks", { .shardClocks(try await store.heads(of: Shard.all), at: clock) }),
            ("lost commits", { .lostCommits(try await store.lostCommits()) }),
            ("adventures", { .adventures(try await store.faultyAdventures(limit: DoctorCheck.maxAdventures)) }),
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
            ("shown pushes", { try await shownPushes() }),
            ("erasures", { .erasures(oldest: try await store.oldestErasure(), at: clock) }),
            (
                "environments",
                { .environments(live: try await store.liveActivities(), served: diagnostics?.environments ?? []) }
            ),
            ("database machines", { try await DoctorCheck.machines(of: store) }),
            ("raids", { try await DoctorCheck.raids(of: store) }),
        ]
        // They run concurrently, since each may wait for a lock until its timeout.
        return await withTaskGroup { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await result(of: check.name, check.run)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    private func shownPushes() async throws -> DoctorCheck {
        let activities = try await store.reportedActivities(ofEachShard: DoctorCheck.examinedActivitiesPerShard)
        let devices = Dictionary(
            grouping: try await store.devices(of: Set(activities.map(\.playerID))),
            by: \.playerID
        )
        var pushes = ShownPushes()
        for activity in activities {
            let records = DecisionLog(encoded: activity.decisions).records
            let device = devices[activity.playerID]?.first { $0.id == activity.deviceID }
            let evidence = VerdictEvidence(activity, on: device)
            pushes.add(PushVerdict.judge(records, with: evidence, at: runtime.now()))
        }
        return .shownPushes(pushes, of: activities.count)
    }

    private func result(of name: String, _ run: () async throws -> DoctorCheck) async -> DoctorCheck {
        do {
            return try await run()
        } catch {
            return .failure(name, error)
        }
    }

    private func checkAPNs() async -> [DoctorCheck] {
        guard let diagnostics else { return [.noProviderKey] }
        do {
            return try await diagnostics.check()
        } catch {
            return [.failure("APNs", error)]
        }
    }
}
