import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import PostgresClient
import RangersMetrics
import ServiceRuntime

/// Records every figure that could grow.
actor SoakObserver {
    /// The tables with retention, which must stop growing.
    private static let retentionTables: Set = [
        "activities", "activity_decisions", "idempotency_keys", "log",
    ]
    /// The tables that keep an outline of every adventure.
    private static let otherTables: Set = ["adventures", "parties", "players"]

    private let cluster: ChaosCluster
    private let pool: PostgresPool
    /// The number of parties that come and go.
    private let guests: Int
    private let start = ContinuousClock.now
    private(set) var series = SoakSeries()
    private var last: (at: ContinuousClock.Instant, ticks: Double?, pushes: Int)?
    /// The last responding process of each node.
    private var processes: [Int: Int32] = [:]

    init(_ cluster: ChaosCluster, guests: Int) {
        self.cluster = cluster
        self.guests = guests
        pool = cluster.database.pool()
    }

    /// Records one sample of each figure.
    /// - Returns: the sample on one line.
    func sample() async throws -> String {
        var values: [(figure: SoakFigure, value: Double)] = []
        var ticks: Double? = 0
        for node in cluster.nodes {
            let sample = await node.sampleWithRetries()
            if let sample { processes[node.number] = sample.process }
            // Without the ticks of every node, there is no sum.
            ticks = ticks.flatMap { sum in sample.map { sum + $0.ticks } }
        }
        let nodes = processes.sorted { $0.key < $1.key }.map { ("rangersd \($0.key + 1)", $0.value, true) }
        let simulator = ("apns-simulator", cluster.simulatorProgram.processIdentifier, false)
        for (name, process, isLimited) in nodes + [simulator] {
            guard let memory = ProcessUsage.memory(of: process) else { continue }
            values.append((.memory(of: name, isLimited: isLimited), memory.mebibytes))
            values.append((.descriptors(of: name), Double(memory.descriptors)))
        }
        values += rates(ticks: ticks)
        let statistics = try await GameStore(pool: pool).statistics(at: Runtime.system.now())
        values.append((.parties(guests: guests), Double(statistics.parties.value)))
        values.append((.adventures, Double(statistics.journeys + statistics.bossFights)))
        for table in try await TableStatistics.read(from: pool) {
            let hasRetention = Self.retentionTables.contains(table.name)
            guard hasRetention || Self.otherTables.contains(table.name) else { continue }
            values.append((.size(of: table.name, hasRetention: hasRetention), Double(table.bytes) / 1_048_576))
            values.append((.rows(of: table.name), Double(table.liveRows)))
            values.append((.deadRows(of: table.name), Double(table.deadRows)))
        }
        values.append((.connections, Double(try await TableStatistics.sessions(from: pool))))
        series.add(values, atSeconds: (.now - start) / .seconds(1))
        return values.map { "\($0.figure.name) \($0.value.grouped(digits: $0.figure.unit == .count ? 0 : 1))" }.joined(
            separator: ", "
        )
    }

    /// Returns the rates since the last sample.
    private func rates(ticks: Double?) -> [(figure: SoakFigure, value: Double)] {
        let pushes = cluster.recorder.accepted
        defer { last = (.now, ticks, pushes) }
        guard let last else { return [] }
        let seconds = (.now - last.at) / .seconds(1)
        var rates: [(figure: SoakFigure, value: Double)] = [(.pushes, Double(pushes - last.pushes) / seconds)]
        if let ticks, let before = last.ticks { rates.append((.ticks, (ticks - before) / seconds)) }
        return rates
    }
}

/// The service's retention worker with a clock that is almost a day ahead, so that it removes data after minutes.
final class SoakRetention: Sendable {
    private static let kinds = [
        "idempotencyRecord", "adventure", "entry", "activity", "decisions", "party", "inviteCode",
    ]

    /// The time for which data is kept.
    let age: Duration
    private let retentionWorker: RetentionWorker
    private let registry = MetricRegistry()

    init(of store: GameStore, keeping age: Duration) {
        self.age = age
        let ahead = RetentionSettings.minAge - age
        retentionWorker = RetentionWorker(
            store: store,
            // Its time is ahead, so activities live longer by the same time: devices still show them.
            settings: RetentionSettings(
                ended: RetentionSettings.minAge,
                activities: RetentionSettings.activityLifetime + ahead
            ),
            timeAhead: ahead,
            metrics: RetentionMetrics(in: registry),
            logger: silentLogger
        )
    }

    /// Removes the data that is older than ``age``.
    ///
    /// No party may be founded during the sweep: its invite code would count as unused.
    /// - Returns: the moment since which all data is kept.
    func sweep() async throws -> Timestamp {
        var code: InviteCode?
        try await retentionWorker.sweep(codesAfter: &code)
        return Runtime.system.now() - age
    }

    /// Returns the number of removed items, by kind.
    func removed() async -> [String: Int] {
        let metrics = MetricsText(await registry.text())
        return Self.kinds.reduce(into: [:]) { removed, kind in
            let count = Int(metrics.sum("rangers_retention_removed_total", with: #"kind="\#(kind)""#))
            if count > 0 { removed[kind] = count }
        }
    }
}
