import Encodings
import Foundation
import GameCore
import ServiceRuntime
import SimulatedPlayers
import Synchronization

/// Injects the faults of a plan and measures the recovery from each.
final class FaultInjector: Sendable {
    /// The probability with which a push is dropped or its response is lost.
    private static let dropProbability = 0.3
    private static let stallProbability = 0.5
    /// The maximum time of waiting for recovery; afterwards the end of the run shows whether the service recovers.
    private static let maxRecovery = Duration.seconds(120)
    private static let pause = Duration.milliseconds(100)

    private let cluster: ChaosCluster
    private let load: ChaosLoad
    private let injected = Mutex<[InjectedFault]>([])
    private let spans = Mutex<[ClosedRange<Timestamp>]>([])

    init(in cluster: ChaosCluster, load: ChaosLoad) {
        self.cluster = cluster
        self.load = load
    }

    /// The injected faults, in the order of their ends.
    var faults: [InjectedFault] { injected.withLock(\.self) }

    /// The time span of each fault, from its start to the recovery or to the end of the wait for it.
    var disturbances: [ClosedRange<Timestamp>] { spans.withLock(\.self) }

    /// Injects the faults of a plan at their times, those of each target one after another.
    func carryOut(_ plan: ChaosPlan) async throws {
        let start = ContinuousClock.now
        try await withThrowingDiscardingTaskGroup { group in
            for target in ChaosFault.Target.allCases {
                group.addTask { [self] in
                    for (number, step) in plan.steps(for: target).enumerated() {
                        try await Task.sleep(until: start + step.at)
                        try await carryOut(step.fault, number: number, since: start)
                    }
                }
            }
        }
    }

    private func carryOut(_ fault: ChaosFault, number: Int, since start: ContinuousClock.Instant) async throws {
        let wallStart = Runtime.system.now()
        let faultStart = ContinuousClock.now
        let requestStart = cluster.journal.requests?.now
        Progress.log("\((faultStart - start).text)  \(fault) …")
        switch fault {
        case .nodeKilled(let number, _): await cluster.nodes[number].kill()
        case .nodeStopped(let number, _): await cluster.nodes[number].suspend()
        default: break
        }
        async let watched = takeover(after: fault)
        let (note, latencies) = try await inject(fault, number: number)
        let end = ContinuousClock.now
        let wallBack = Runtime.system.now()
        let recovery = try await recover(since: end)
        let takeover = await watched
        for problem in takeover?.problems ?? [] { cluster.journal.reportProblem("\(fault): \(problem)") }
        let wallEnd = max(wallStart, wallBack, Runtime.system.now())
        if case .commitsLost = fault {
            cluster.journal.addLoss(.init(span: wallStart...wallEnd, backAt: wallBack))
            if let requests = cluster.journal.requests, let requestStart {
                requests.addLoss(requestStart...requests.now)
            }
        }
        spans.withLock { $0.append(wallStart...wallEnd) }
        injected.withLock {
            $0.append(
                InjectedFault(
                    atSeconds: (faultStart - start) / .seconds(1),
                    fault: fault,
                    seconds: (end - faultStart) / .seconds(1),
                    recoverySeconds: recovery.map { $0 / .seconds(1) },
                    takeover: takeover,
                    latencies: latencies,
                    note: note
                )
            )
        }
        let outcome = recovery.map { "recovered after \($0.text)" } ?? "not recovered after \(Self.maxRecovery.text)"
        Progress.log("\((.now - start).text)  \(fault): \(outcome)\(note.isEmpty ? "" : "; \(note)")")
    }

    private var watch: TakeoverWatch { TakeoverWatch(cluster.database.pool(), nodes: cluster.nodes) }

    /// Measures the takeover from a node that was killed or stopped; returns nil for other faults.
    private func takeover(after fault: ChaosFault) async -> Takeover.Times? {
        guard fault.target == .nodes else { return nil }
        return await watch.times()
    }

    /// Injects a fault until its end; a node has already been killed or stopped.
    /// - Returns: a note about its effect, and the seconds that requests to other shards took while shards were locked.
    private func inject(_ fault: ChaosFault, number: Int) async throws -> (note: String, latencies: [Double]) {
        if case .shardsLocked(let count, let length) = fault { return try await lockShards(count, for: length) }
        return (try await injectOther(fault, number: number), [])
    }

    private func injectOther(_ fault: ChaosFault, number: Int) async throws -> String {
        switch fault {
        case .nodeKilled(let number, let length):
            try await Task.sleep(for: length)
            try await cluster.nodes[number].start()
        case .nodeStopped(let number, let length):
            try await Task.sleep(for: length)
            await cluster.nodes[number].resume()
        case .backendsTerminated: return "\(try await cluster.database.terminateBackends()) backends"
        case .databaseRestarted:
            try await cluster.database.crash()
            try await cluster.database.start()
        case .databaseAway(let length): return try await stopDatabase(for: length)
        case .commitsLost(let length): try await cluster.database.loseCommits(of: length)
        case .snapshotPinned(let length): try await cluster.database.pinSnapshot(for: length)
        case .rowLocked(let row, let length): return try await lockRow(row, for: length)
        case .shardsLocked: break
        case .diskFull(let length): return try await fillDisk(for: length)
        case .linkBroken(let link, let length):
            guard let relay = cluster.relays[link.node][link.peer] else { return "skipped: there is no relay" }
            relay.set(link.kind)
            defer { relay.set(nil) }
            try await Task.sleep(for: length)
        case .pushesDisturbed(let kind, let length):
            let probability = kind == .stall ? Self.stallProbability : Self.dropProbability
            try await cluster.simulator.add(PushFault(kind, probability: probability))
            try await Task.sleep(for: length)
            try await cluster.simulator.removeFaults()
        case .tokensRotated: return "\(try await load.rotateTokens()) tokens"
        case .loadRaised(let length): return "\(try await load.raise(for: length)) more parties"
        case .campaignInterrupted(let after, let away):
            let campaign = InterruptedCampaign(
                name: "chaos-\(number)",
                boss: BossCatalogue.all[number % BossCatalogue.all.count].id,
                cluster: cluster
            )
            let start = Runtime.system.now()
            let (note, hasDuplicates) = try await campaign.run(killedAfter: after, away: away)
            if hasDuplicates {
                cluster.journal.reportProblem(
                    "campaign \(campaign.name) started two fights of one party",
                    unlessLostIn: start...max(start, Runtime.system.now())
                )
            }
            return note
        }
        return ""
    }

    private func stopDatabase(for length: Duration) async throws -> String {
        try await cluster.database.crash()
        await cluster.observer.sample()
        let before = cluster.observer.memory
        try await Task.sleep(for: length)
        await cluster.observer.sample()
        let growth = OutageMemory(before: before, after: cluster.observer.memory)
        try await cluster.database.start()
        if let problem = growth.problem { cluster.journal.reportProblem(problem) }
        return growth.description
    }

    /// Locks a row, and reports the effect: leases that changed hands, and pushes to other shards.
    private func lockRow(_ row: ChaosFault.Row, for length: Duration) async throws -> String {
        let watch = watch
        let takeover = Takeover(from: try await watch.leases())
        let start = Runtime.system.now()
        guard let shard = try await cluster.database.lockRow(row, for: length) else { return "there was no row" }
        let end = Runtime.system.now()
        let changed = takeover.changedLeases(try await watch.leases())
        try await cluster.recorder.poll()
        let own = try await watch.activities(of: shard)
        let pushes = cluster.recorder.pushes.accepted(from: start, to: end, except: own)
        return "shard \(shard); \(changed) leases changed hands, \(pushes) pushes to other shards meanwhile"
    }

    /// Locks shards, and measures the requests to other shards.
    private func lockShards(_ count: Int, for length: Duration) async throws -> (note: String, latencies: [Double]) {
        guard let requests = cluster.journal.requests else { return ("skipped: requests are not recorded", []) }
        let start = requests.now
        let shards = try await cluster.database.lockShards(count, for: length)
        guard !shards.isEmpty else { return ("there was no live adventure", []) }
        let locked = Set(shards.compactMap { UInt8(exactly: $0).map { Shard(rawValue: $0) } })
        let latencies = requests.latencies(from: start, to: requests.now, except: locked)
        let names = shards.map(String.init).joined(separator: ", ")
        return ("shards \(names); requests to others: \(LatencySummary(latencies))", latencies)
    }

    private func fillDisk(for length: Duration) async throws -> String {
        switch cluster.database.disk {
        case .failure(let failure): return "skipped: \(failure.explanation)"
        case .success(let disk):
            await disk.fill()
            let isFull = await cluster.database.refusesToGrow()
            try await Task.sleep(for: length)
            try disk.empty()
            return isFull ? "tables could not grow" : "PostgreSQL was not affected"
        }
    }

    /// Waits until all nodes without a fault are ready and APNs has accepted a push.
    /// - Returns: the recovery time; nil when the recovery took longer than ``maxRecovery``.
    private func recover(since end: ContinuousClock.Instant) async throws -> Duration? {
        let last = try await cluster.simulator.lastPushNumber()
        let hasRecovered = try await Polling.until(within: Self.maxRecovery, every: Self.pause) {
            for node in cluster.nodes where await !node.isFaulted { guard await node.isReady() else { return false } }
            return try await cluster.simulator.pushes(after: last).contains(where: \.isAccepted)
        }
        return hasRecovered ? .now - end : nil
    }
}

/// A campaign of the operators' command line that is killed half-way and continued.
struct InterruptedCampaign {
    /// The JSON that the command line prints at its end.
    private struct Outcome: Decodable {
        struct Fight: Decodable { let partyID: String }

        /// The fights of this run.
        let started: [Fight]
        /// The fights of earlier runs.
        let earlierFights: [Fight]
        let alreadyStarted: Int
        let busy: Int
    }

    /// The rate of a campaign: low enough that it can be killed half-way.
    private static let fightsPerSecond = 2
    /// The time for which the campaign is retried.
    private static let retryTime = Duration.seconds(120)
    /// The time limit for one run: a stopped node accepts the command line's connection and does not respond.
    private static let runLimit = Duration.seconds(20)
    private static let pause = Duration.milliseconds(500)

    let name: String
    let boss: BossID
    let cluster: ChaosCluster

    /// Runs the campaign, kills it, and runs it to its end.
    /// - Parameters:
    ///   - after: the time until it is killed.
    ///   - away: the time until it is continued.
    /// - Returns: a note, and whether a party has had two fights of the campaign.
    /// - Throws: ``BenchmarkFailure`` when the campaign cannot be completed.
    func run(killedAfter after: Duration, away: Duration) async throws -> (note: String, hasDuplicates: Bool) {
        let first = try start()
        try await Task.sleep(for: after)
        let wasKilled = !first.hasExited
        first.kill()
        try await Task.sleep(for: away)
        var result: Result<Outcome, any Error> = .failure(CancellationError())
        _ = try await Polling.until(within: Self.retryTime, every: Self.pause) {
            let run = try start()
            do {
                result = .success(try await run.result(within: Self.runLimit))
                return true
            } catch let failure as BenchmarkFailure {
                // The node is down; an operator tries again.
                run.kill()
                result = .failure(failure)
                return false
            }
        }
        let outcome = try result.get()
        let end = wasKilled ? "killed" : "complete before it was killed"
        let parties = (outcome.started + outcome.earlierFights).map(\.partyID)
        return (
            "\(end): \(outcome.alreadyStarted) fights before, \(outcome.started.count) after, \(outcome.busy) busy",
            Set(parties).count != parties.count
        )
    }

    private func start() throws -> ChildProgram {
        try cluster.launcher.startCampaign(
            [boss.rawValue, "--campaign", name, "--rate", "\(Self.fightsPerSecond)"],
            port: cluster.addresses.next() ?? 0,
            tokenFile: cluster.tokenFile
        )
    }
}
