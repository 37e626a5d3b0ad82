import ArgumentParser
import Foundation
import GameStore
import SimulatedPlayers

/// `rangers-bench chaos`: checks that the invariants hold for real processes under faults.
struct ChaosBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "chaos",
        abstract: "Runs real processes under load, injects faults, and checks the invariants.",
        discussion: """
            Starts a private PostgreSQL whose commits reach the disk, the APNs simulator with devices, and three nodes of \
            mixed roles (rangersd, apns-simulator and rangersctl are those in the folder of this program). Players travel \
            and fight over REST, and operators run campaigns and raids. Meanwhile nodes get SIGKILL and SIGSTOP; sessions are \
            terminated; PostgreSQL restarts, is down, has a full disk, locked rows and shards, and a pinned snapshot; APNs \
            drops and stalls requests and loses responses; the network between nodes, PostgreSQL and APNs is cut or \
            loses packets; push tokens change; players come and go; and a campaign is killed \
            half-way. With --lose-commits, PostgreSQL also comes back as it was some seconds before. The faults and their \
            times are drawn from the seed and printed first. At the end the faults stop, and the \
            invariants are checked (docs/benchmarks/chaos.md).

            The same seed has the same plan; its course depends on the machine.

            JSON: {seed, command, faults: [{atSeconds, target, isOutage, fault, seconds, recoverySeconds, takeover: \
            {dispatcherSeconds, shards, engineSeconds, areClocksLate}, note}], load: {requests, acknowledged, \
            repeated}, acceptedPushes, activities: {all, abandoned}, clockMovesPerSecond: {before, during, after}, \
            takeoverSeconds: {p50, p99, max, counted, nodeFaults}, engineTakeoverSeconds: {p50, p99, max, counted, \
            nodeFaults}, history: {reads, writes, refused, unknown, objects, parties, undecided, findings: [text]}, \
            lockedShards: {requests, p50, p99}, raids: {raids, defeated, rounds, fights, longestWaitSeconds}, nodes: [{number, roles, bytesBefore, maxBytes, bytesAfter, failedStarts, \
            unexpectedExits}], invariants: [{invariant, description, checked, items, violationCount, violations: \
            [text]}], excused: {kind: count}, problems: [text], violations: [text], seconds}.
            """
    )

    @Option(help: ArgumentHelp("The seed of the plan.", valueName: "seed")) var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "The time during which faults begin (default: 600, with --short 25 or 30).",
            valueName: "seconds"
        )
    )
    var seconds: Int?

    @Option(help: ArgumentHelp("The number of parties (default: 24, with --short 6).", valueName: "count")) var parties:
        Int?

    @Flag(help: "Use short faults and gaps, so that every kind of fault occurs within half a minute.") var short = false

    @Option(
        help: ArgumentHelp(
            "Fail if dispatchers take longer to follow the shards of a killed or stopped node (default: no limit).",
            valueName: "seconds"
        )
    )
    var maxTakeover: Double?

    @Option(help: ArgumentHelp("The number of nodes, 1 to 3.", valueName: "count")) var nodes = ChaosCluster.roles.count

    @Flag(
        help: ArgumentHelp(
            "Let PostgreSQL come back as it was some seconds before, too. Writes of these seconds are not checked."
        )
    )
    var loseCommits = false

    @Flag(help: "Only print the plan.") var plan = false

    @OptionGroup var options: ReportOptions

    func validate() throws {
        if let seconds { try Self.check("--seconds", seconds, in: 10...86_400) }
        if let maxTakeover, !(maxTakeover > 0) {
            throw ValidationError("--max-takeover must be more than 0, not \(maxTakeover)")
        }
        try Self.check("--nodes", nodes, in: 1...ChaosCluster.roles.count)
        if let parties { try Self.check("--parties", parties, in: 3...500) }
    }

    private var length: Int { seconds ?? (short ? (loseCommits ? 30 : 25) : 600) }
    private var partyCount: Int { parties ?? (short ? 6 : 24) }
    /// The time between two ticks of a journey, and between two turns of a boss fight.
    private var interval: Duration { short ? .milliseconds(250) : .seconds(1) }
    /// About how long a raid lasts without faults.
    private var raidLength: Duration { short ? .seconds(5) : .seconds(60) }
    /// The time without faults, before them and after them.
    private var calm: Duration { short ? .seconds(3) : .seconds(30) }

    /// The command that repeats the plan.
    private var command: String {
        "rangers-bench chaos --seed \(seed) --seconds \(length) --parties \(partyCount)\(short ? " --short" : "")"
            + (nodes == ChaosCluster.roles.count ? "" : " --nodes \(nodes)") + (loseCommits ? " --lose-commits" : "")
    }

    private var faultPlan: ChaosPlan {
        ChaosPlan(
            seed: seed,
            duration: .seconds(length),
            nodes: nodes,
            losesCommits: loseCommits,
            pace: short ? .short : .full
        )
    }

    func run() async throws { if plan { for step in faultPlan.steps { print(step) } } else { try await runAndPrint() } }

    func measure() async throws -> Report {
        let start = ContinuousClock.now
        Progress.log("seed \(seed): \(faultPlan.steps.count) faults")
        for step in faultPlan.steps { Progress.log("plan  \(step.description)") }
        let cluster = try await ChaosCluster(
            interval: interval,
            hasFaults: true,
            nodes: nodes,
            losesCommits: loseCommits
        )
        return try await run(in: cluster, since: start).report
    }

    private func run(in cluster: ChaosCluster, since start: ContinuousClock.Instant) async throws -> ChaosResult {
        let load = ChaosLoad(in: cluster, parties: partyCount, hasRaids: true)
        let raids = ChaosRaids(in: cluster, lasting: raidLength)
        let injector = FaultInjector(in: cluster, load: load)
        try await load.gather()
        Progress.log("\(partyCount) parties are ready after \((.now - start).text)")
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await cluster.recorder.run() }
            group.addTask { await cluster.observer.run() }
            group.addTask { try await cluster.superviseNodes() }
            group.addTask { await load.play() }
            group.addTask { await raids.run() }
            let moves = try await injectFaults(with: injector, load: load, in: cluster)
            raids.close()
            Progress.log("no more journeys and raids; waiting for the end of all adventures")
            let store = cluster.database.store()
            let unfinished = await cluster.recorder.waitForQuiescence(of: store)
            group.cancelAll()
            while await group.nextResult() != nil {}
            if let unfinished { cluster.journal.reportProblem(unfinished) }
            var history = try await load.history()
            history.disturbances = injector.disturbances
            let check = try await InvariantResults(of: store, cluster.recorder, history)
            let counts = check.raidCounts
            if counts.fights == 0 { cluster.journal.reportProblem("no party fought in a raid") }
            guard let requests = cluster.journal.requests?.results() else {
                throw BenchmarkFailure("The requests were not recorded")
            }
            return ChaosResult(
                seed: seed,
                command: command,
                faults: injector.faults,
                load: cluster.journal.tally,
                acceptedPushes: cluster.recorder.accepted,
                activities: try await cluster.simulator.phones().reduce(0) { $0 + $1.activities.count },
                abandonedActivities: history.abandoned.count,
                clockMovesPerSecond: moves,
                nodes: await cluster.nodeResults(),
                check: check,
                history: requests,
                raids: ChaosRaidTally(
                    raids: counts.raids,
                    defeated: counts.defeated,
                    rounds: counts.rounds,
                    fights: counts.fights,
                    longestWaitSeconds: raids.longestWait / .seconds(1)
                ),
                maxTakeoverSeconds: maxTakeover,
                problems: cluster.journal.problems,
                seconds: (.now - start) / .seconds(1)
            )
        }
    }

    /// Carries out the plan, with calm before and after it.
    /// - Returns: the clocks moved per second before, during and after the faults.
    private func injectFaults(with injector: FaultInjector, load: ChaosLoad, in cluster: ChaosCluster) async throws -> (
        before: Double, during: Double, after: Double
    ) {
        func moves() async -> (at: ContinuousClock.Instant, count: Double) {
            await cluster.observer.sample()
            return (.now, cluster.observer.clockMoves)
        }
        let start = await moves()
        try await Task.sleep(for: calm)
        cluster.observer.resetMemory()
        let faultStart = await moves()
        try await injector.carryOut(faultPlan)
        let faultEnd = await moves()
        Progress.log("all faults are over; \(calm.text) without faults")
        try await Task.sleep(for: calm)
        let end = await moves()
        load.close()
        // A stopped node may have flushed results for an older token when it continued: new tokens make the server send
        // the current state once more.
        _ = try await load.rotateTokens()
        let rates = [(start, faultStart), (faultStart, faultEnd), (faultEnd, end)].map { from, to in
            (to.count - from.count) / ((to.at - from.at) / .seconds(1))
        }
        return (rates[0], rates[1], rates[2])
    }
}
