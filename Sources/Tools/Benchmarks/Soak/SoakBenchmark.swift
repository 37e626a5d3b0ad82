import ArgumentParser
import Encodings
import Foundation
import GameCore
import GameStore
import ServiceRuntime

/// `rangers-bench soak`: checks that memory, descriptors and tables do not grow without bound over a long time.
struct SoakBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Runs the service for a long time, and detects growth.",
        discussion: """
            Starts a private PostgreSQL whose commits reach the disk, the APNs simulator and three nodes, each as a process \
            of its own, under a steady load: parties that travel one journey after another, boss fights that an operator \
            starts, new push tokens, and guests who come and leave again, so that the number of parties stays the same. \
            Ended adventures are removed after some minutes, as they are after a day or a month in production. At \
            intervals it records the memory and the descriptors of each process, the size and the dead rows of tables, the \
            number of sessions, and the load.

            The report has a row for each figure: medians of quarters, and the slope. Figures that must not grow are flat \
            when the last quarter's median is at most 5 % and 8 (MiB, or pieces; for parties, also the number of guests) \
            above the second quarter's. Tables may grow by a third or 1 MiB, and may have as many dead rows as live ones, \
            or 5,000. The report also has the load of each quarter. Finally the invariants are checked \
            (docs/simulation.md).

            JSON: {seconds, parties, pushes, acknowledged, removed, rows: [{figure, unit, trend: {firstQuarter, \
            secondQuarter, thirdQuarter, lastQuarter, slopePerHour}, isFlat}], invariants, excused, problems}.
            """
    )
    /// The minimum duration of a full run; shorter runs are trials with quick ticks and a short retention.
    private static let minFullRun = Duration.seconds(120)
    private static let tick = Duration.seconds(2)
    private static let trialTick = Duration.milliseconds(250)
    private static let maxRetention = Duration.seconds(180)
    /// The maximum duration of a visit of guests, after which tokens rotate, fights start and retention runs.
    private static let maxVisit = Duration.seconds(20)

    @Option(help: ArgumentHelp("The duration.", valueName: "minutes")) var minutes = 60.0

    @Option(help: ArgumentHelp("The number of parties.", valueName: "count")) var parties = 30

    @Option(
        help: ArgumentHelp("The interval of samples; at least \(SoakTrend.minSamples) must fit.", valueName: "seconds")
    )
    var every = 60

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--parties", parties, in: 1...2_000)
        try Self.check("--every", every, in: 1...3_600)
        // At most a week.
        guard minutes <= 10_080, minutes * 60 >= Double(every * SoakTrend.minSamples) else {
            throw ValidationError("--minutes must be at least \(SoakTrend.minSamples) times --every, and at most 10080")
        }
    }

    private var length: Duration { .seconds(minutes * 60) }

    func measure() async throws -> Report {
        let interval = length < Self.minFullRun ? Self.trialTick : Self.tick
        return try await run(in: try await ChaosCluster(interval: interval))
    }

    private func run(in cluster: ChaosCluster) async throws -> Report {
        let start = ContinuousClock.now
        let load = ChaosLoad(in: cluster, parties: parties)
        let observer = SoakObserver(cluster, guests: load.guests)
        let retention = SoakRetention(of: cluster.database.store(), keeping: min(Self.maxRetention, length / 4))
        try await load.gather()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await cluster.recorder.run() }
            group.addTask { await load.play() }
            let responsesKeptSince = try await work(load, retention, observer, in: cluster)
            load.close()
            // A phone whose new token was not acknowledged registers another one.
            _ = try await load.rotateTokens()
            Progress.log("no more journeys; waiting for the end of all adventures")
            let store = cluster.database.store()
            let unfinished = await cluster.recorder.waitForQuiescence(of: store)
            group.cancelAll()
            while await group.nextResult() != nil {}
            let check = try await InvariantResults(
                of: store,
                cluster.recorder,
                try await load.history(),
                responsesKeptSince: responsesKeptSince
            )
            return Self.report(
                seconds: (.now - start) / .seconds(1),
                parties: parties,
                pushes: cluster.recorder.accepted,
                acknowledged: cluster.journal.tally.acknowledged,
                removed: await retention.removed(),
                series: await observer.series,
                check: check,
                problems: cluster.journal.problems + [unfinished].compactMap(\.self) + (await missing(in: cluster))
            )
        }
    }

    /// Records samples while guests come and go, fights start, tokens rotate, and retention runs.
    /// - Returns: the moment since which idempotency records are complete.
    private func work(_ load: ChaosLoad, _ retention: SoakRetention, _ observer: SoakObserver, in cluster: ChaosCluster)
        async throws -> Timestamp
    {
        let end = ContinuousClock.now + length
        return try await withThrowingTaskGroup(of: Timestamp?.self) { group in
            group.addTask { [every] in
                var next = ContinuousClock.now
                while ContinuousClock.now < end {
                    Progress.log(try await observer.sample())
                    next += .seconds(every)
                    try await Task.sleep(until: min(next, end))
                }
                // A rate needs two samples; this sample completes the last rate.
                Progress.log(try await observer.sample())
                return nil
            }
            group.addTask { [length] in
                var since = Runtime.system.now()
                var number = 0
                while ContinuousClock.now < end {
                    try await load.visit(for: min(Self.maxVisit, length / 10))
                    _ = try await load.rotateTokens()
                    let campaign = number
                    if let problem = try await Self.problem(
                        about: "campaign soak-\(campaign)",
                        { try await Self.startFights(campaign, in: cluster) }
                    ) {
                        cluster.journal.reportProblem(problem)
                    }
                    since = try await retention.sweep()
                    number += 1
                }
                return since
            }
            var since = Runtime.system.now()
            while let result = try await group.next() { since = result ?? since }
            return since
        }
    }

    /// Runs work whose failure does not end the run.
    /// - Returns: a sentence about the failure; nil for none.
    /// - Throws: `CancellationError`.
    static func problem(about subject: String, _ body: () async throws -> Void) async throws(CancellationError)
        -> String?
    {
        do {
            try await body()
            return nil
        } catch let error as CancellationError { throw error } catch { return "\(subject): \(error)" }
    }

    /// Starts a boss fight for every idle party, as an operator.
    private static func startFights(_ number: Int, in cluster: ChaosCluster) async throws {
        let boss = BossCatalogue.all[number % BossCatalogue.all.count].id.rawValue
        try await cluster.launcher.startCampaign(
            [boss, "--campaign", "soak-\(number)"],
            port: cluster.addresses.next() ?? 0,
            tokenFile: cluster.tokenFile
        ).finish()
    }

    /// Returns the nodes that do not respond at the end, as sentences.
    private func missing(in cluster: ChaosCluster) async -> [String] {
        var sentences: [String] = []
        for node in cluster.nodes where await node.sampleWithRetries() == nil {
            sentences.append("node \(node.number + 1) does not respond")
        }
        return sentences
    }

    /// Returns the report of a run.
    static func report(
        seconds: Double,
        parties: Int,
        pushes: Int,
        acknowledged: Int,
        removed: [String: Int],
        series: SoakSeries,
        check: InvariantResults,
        problems: [String]
    ) -> Report {
        let results = series.results
        let removals = removed.sorted { $0.key < $1.key }.map { "\($0.value.grouped) \($0.key)" }
        var report = Report()
        report.set([
            "seconds": seconds, "parties": parties, "pushes": pushes, "acknowledged": acknowledged,
            "removed": removed,
        ])
        report.add(results.map(\.row), as: "rows")
        report.add([
            "\(seconds.grouped()) s with \(parties) parties: \(acknowledged.grouped) writes acknowledged, "
                + "\(pushes.grouped) pushes accepted.", "Load by quarters: \(load(results)).",
            "Removed: \(removals.isEmpty ? "nothing" : removals.joined(separator: ", ")).",
            "The numbers are medians of quarters. FLAT: the last is at most 5 % and 8 (MiB, or pieces) above the second; for "
                + "a table a third or 1 MiB, and no more dead rows than live ones, or 5,000.",
        ])
        check.add(to: &report)
        report.set("problems", problems)
        report.add(problems)
        let growing = results.filter { $0.isFlat == false }.map(\.figure.name)
        if !growing.isEmpty { report.fail("not flat: \(growing.joined(separator: ", "))") }
        if !check.holds { report.fail("not all invariants hold") }
        if !problems.isEmpty { report.fail("there are \(problems.count) problems") }
        return report
    }

    /// Returns the load of each quarter, for comparison with growth.
    private static func load(_ results: [SoakResult]) -> String {
        let load = [SoakFigure.parties(guests: 0), .adventures, .ticks, .pushes].compactMap { figure -> String? in
            guard let trend = results.first(where: { $0.figure.name == figure.name })?.trend else { return nil }
            let quarters = trend.quarters.map { $0.grouped(digits: 1) }.joined(separator: ", ")
            return "\(figure.name)\(figure.unit == .perSecond ? " per second" : "") \(quarters)"
        }
        return load.isEmpty ? "too few samples" : load.joined(separator: "; ")
    }
}
