import GameCore
import GameStore
import HTTPTypes

/// A node with a dispatcher, on a separate database with the parties of a plan.
struct LiveNode {
    /// The URI of the database.
    let uri: String
    let program: ChildProgram
    let ports: ChildProgram.Ports

    /// Stores the parties, starts the node, and waits until it follows every live activity.
    ///
    /// `tokens` returns the push tokens of a party's activities, by seat; `decisions` is the encoded decision log of
    /// each activity. With `hasDefaultPace` the node has the default pace and cadence of `rangersd`, otherwise the pace of
    /// the plan, and it pushes each event at once. On a slow machine, adventures may end during the wait.
    init(
        _ roles: String,
        by launcher: ServiceLauncher,
        apnsPort: Int?,
        on server: BenchmarkPostgres,
        database: String,
        playing plan: FixturePlan,
        hasDefaultPace: Bool = false,
        tokens: @escaping @Sendable (Int) -> [[UInt8]] = { _ in [] },
        decisions: [UInt8]? = nil
    ) async throws {
        uri = try await server.create(database)
        try await plan.load(into: uri, tokens: tokens, decisions: decisions)
        program = try launcher.startNode(
            roles,
            on: uri,
            apnsPort: apnsPort,
            interval: hasDefaultPace ? nil : plan.journeyTick
        )
        ports = try await program.ports()
        let store = GameStore(pool: BenchmarkPostgres.pool(uri))
        let shards = Double(Shard.all.count)
        var live = 0
        let isFollowing = try await Polling.until(within: .seconds(180), every: .milliseconds(100)) {
            live = try await store.liveActivities().values.reduce(0, +)
            let metrics = try metrics()
            return metrics.sum("rangers_dispatcher_shards_leased") == shards
                && metrics.sum("rangers_dispatcher_activities") >= Double(live)
        }
        if !isFollowing { throw BenchmarkFailure("The dispatcher does not follow the \(live) live activities") }
    }

    /// Reads the metrics; blocks the thread until the node has responded.
    func metrics() throws -> MetricsText {
        var connection = try LoadConnection(port: ports.metricsPort ?? 0)
        let body = try connection.body(of: PreparedRequest(.get, "/metrics"))
        return MetricsText(String(decoding: body, as: UTF8.self))
    }
}
