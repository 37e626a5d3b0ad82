import ArgumentParser

/// `rangers-bench broadcast`: the states of a raid on its broadcast channel.
struct BroadcastBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "broadcast",
        abstract:
            "Times the states of a raid from their commit until APNs has accepted them for all subscribers at once.",
        discussion: """
            Starts a node with all roles, a private PostgreSQL whose commits reach the disk, and the APNs simulator, each as \
            a process of its own on this machine; rangersd and apns-simulator are those in the folder of this program. Parties \
            of four, stored by COPY, fight one boss, so each round of the raid commits another state, which the node \
            broadcasts to the raid's channel. Then the raid is stopped.

            A simulated subscriber is eight bytes in the simulator: the newest timestamp that it has got. The simulator \
            delivers each broadcast to every one of them, after it has taken the time of arrival. Some phones of the wall \
            follow the channel, too.

            The latency of a state is from its commit, as PostgreSQL records it, until a broadcast with it, or with a newer \
            state, arrives at the simulator. A channel gets one broadcast a second at most; the second latency does not count \
            the wait for that limit. The bar of \(bar) ms is for the first one at p99.

            At last the newest state is sent as a push to each of some tokens, with one client, to a server that accepts \
            every push and has no phones. The time for all subscribers is extrapolated from it, and not measured.

            The command exits with 1 if a broadcast is not newer than the one before, if it has a state that was replaced \
            more than a second before, if two have the same second, if one is rejected or misses a subscriber, and if a state \
            never arrives.

            JSON: {subscribers, phones, parties, seconds, states, broadcasts, p50Milliseconds, p99Milliseconds, \
            maxMilliseconds, unheldP50Milliseconds, unheldP99Milliseconds, unheldMaxMilliseconds, isWithinBar, tokens, \
            pushesPerSecond, extrapolatedSeconds, ratio}.
            """
    )
    static let reportsSpeed = true
    /// The bar for the latency at p99, in milliseconds.
    static let bar = 200

    @Option(help: ArgumentHelp("The number of subscribers of the channel.", valueName: "count")) var subscribers =
        1_000_000

    @Option(help: ArgumentHelp("How many of them are phones of the wall.", valueName: "count")) var phones = 100

    @Option(help: ArgumentHelp("The number of parties in the raid.", valueName: "count")) var parties = 400

    @Option(
        help: ArgumentHelp("How long the raid is measured, in seconds: about one state each.", valueName: "seconds")
    )
    var seconds = 120

    @Option(help: ArgumentHelp("The number of tokens that get the state as a push each.", valueName: "count"))
    var tokens =
        20_000

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--subscribers", subscribers, in: 1...10_000_000)
        try Self.check("--phones", phones, in: 0...min(subscribers, 1_000))
        try Self.check("--parties", parties, in: 10...100_000)
        try Self.check("--seconds", seconds, in: 5...3_600)
        try Self.check("--tokens", tokens, in: 100...100_000)
    }

    func measure() async throws -> Report {
        let run = BroadcastRun(
            subscribers: subscribers,
            phones: phones,
            parties: parties,
            seconds: seconds,
            tokens: tokens
        )
        return try await run.measure().report
    }
}

/// The results of a raid's broadcasts, and of the pushes beside them.
struct BroadcastResult {
    let subscribers: Int
    let phones: Int
    let parties: Int
    let seconds: Int
    let log: BroadcastLog
    let tokens: Int
    /// The time in which APNs accepted a push for each token.
    let pushSeconds: Double

    private var pushesPerSecond: Double { Double(tokens) / pushSeconds }
    /// The time in which pushes would reach all subscribers.
    private var extrapolatedSeconds: Double { Double(subscribers) / pushesPerSecond }

    var report: Report {
        var report = Report()
        let (all, unheld) = (Self.percentiles(log.latencies), Self.percentiles(log.unheldLatencies))
        let isWithinBar = all.p99.map { $0 < Double(BroadcastBenchmark.bar) }
        let ratio = all.p99.map { extrapolatedSeconds / ($0 / 1_000) }
        report.set(["subscribers": subscribers, "phones": phones, "parties": parties, "seconds": seconds])
        report.set(["states": log.latencies.count, "broadcasts": log.broadcasts])
        report.set(["p50Milliseconds": all.p50, "p99Milliseconds": all.p99, "maxMilliseconds": all.max])
        report.set(["unheldP50Milliseconds": unheld.p50, "unheldP99Milliseconds": unheld.p99])
        report.set(["unheldMaxMilliseconds": unheld.max, "isWithinBar": isWithinBar])
        report.set(["tokens": tokens, "pushesPerSecond": pushesPerSecond])
        report.set(["extrapolatedSeconds": extrapolatedSeconds, "ratio": ratio])
        let rows: [Report.Row] = [("from the commit", all), ("without the wait for the limit", unheld)].map {
            name,
            times in
            [
                .text(nil, "LATENCY", name), .number(nil, "P50 MS", times.p50), .number(nil, "P99 MS", times.p99),
                .number(nil, "MAX MS", times.max),
            ]
        }
        report.add(rows)
        func text(_ value: Double?) -> String { value?.grouped() ?? "-" }
        report.add([
            "\(log.latencies.count.grouped) states of a raid reached \(subscribers.grouped) subscribers, of which "
                + "\(phones.grouped) are phones, with \(log.broadcasts.grouped) broadcasts: p99 \(text(all.p99)) ms, "
                + "the bar of \(BroadcastBenchmark.bar) ms is \(isWithinBar == true ? "met" : "missed").",
            "A push each: \(pushesPerSecond.grouped()) pushes/s to \(tokens.grouped) tokens. Extrapolated to all "
                + "subscribers, which was not measured, that takes \(extrapolatedSeconds.grouped(digits: 1)) s, "
                + "\(text(ratio)) times the p99 of a broadcast.",
        ])
        for failure in log.failures { report.fail(failure) }
        return report
    }

    private static func percentiles(_ values: [Duration]) -> (p50: Double?, p99: Double?, max: Double?) {
        func percentile(_ percent: Int) -> Double? {
            values.isEmpty ? nil : values.percentile(percent) / .milliseconds(1)
        }
        return (percentile(50), percentile(99), percentile(100))
    }
}
