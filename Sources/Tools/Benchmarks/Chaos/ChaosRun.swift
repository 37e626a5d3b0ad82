import Encodings
import Foundation
import GameCore
import ServiceRuntime
import SimulatedPlayers
import Synchronization

/// Does to a running service what a plan says, and sees how long it takes to be well again.
final class ChaosRun: Sendable {
    /// How much of what APNs gets a fault strikes.
    private static let shareOfDrops = 0.3
    private static let shareOfStalls = 0.5
    /// After this the end of the run has to show whether all is well.
    private static let longestRecovery = Duration.seconds(120)
    /// In what time before a fault it is looked for how fast the game was, at least.
    private static let lookBack = Duration.seconds(60)
    private static let pause = Duration.milliseconds(100)

    /// A fault that was done.
    struct Done: Encodable, Sendable {
        let atSeconds: Double
        let place: ChaosFault.Place
        /// Whether nobody could do any work meanwhile.
        let isOutage: Bool
        let what: String
        /// How long it lasted in fact.
        let seconds: Double
        /// From its end until all nodes that are not struck otherwise are ready and APNs has accepted a push again; nil
        /// when that took too long.
        let recoverySeconds: Double?
        /// When others did what a node did that was killed or stopped; nil for other faults.
        let takeover: Takeover.Times?
        let note: String

        /// From its beginning until all was well again, as far as that was seen.
        var span: ClosedRange<Double> { atSeconds...atSeconds + seconds + (recoverySeconds ?? 0) }
    }

    private let world: ChaosWorld
    private let load: ChaosLoad
    private let say: @Sendable (String) -> Void
    private let done = Mutex<[Done]>([])
    private let disturbances = Mutex<[ClosedRange<Timestamp>]>([])

    init(in world: ChaosWorld, with load: ChaosLoad, say: @escaping @Sendable (String) -> Void) {
        self.world = world
        self.load = load
        self.say = say
    }

    /// Does all of it.
    func carryOut(_ plan: ChaosPlan) async throws {
        let start = ContinuousClock.now
        try await withThrowingDiscardingTaskGroup { group in
            for place in ChaosFault.Place.allCases {
                group.addTask { [self] in
                    for (number, step) in plan.steps(at: place).enumerated() {
                        try await Wait.passing(until: start + step.at)
                        try await carryOut(step.fault, number: number, since: start)
                    }
                }
            }
        }
    }

    /// What was done, in the order of its ends.
    func faults() -> [Done] { done.withLock(\.self) }

    /// When things went wrong, each time until they were well again.
    func times() -> [ClosedRange<Timestamp>] { disturbances.withLock(\.self) }

    private func carryOut(_ fault: ChaosFault, number: Int, since start: ContinuousClock.Instant) async throws {
        let wallStart = Runtime.system.now()
        let begin = ContinuousClock.now
        say("\((begin - start).text)  \(fault.words) …")
        await strikeNode(by: fault)
        async let watched = takeover(after: fault)
        let note = try await strike(fault, number: number)
        let end = ContinuousClock.now
        let recovery = try await recover(since: end)
        let takeover = await watched
        if let complaint = takeover?.complaint(about: fault.words) { world.journal.complain(complaint) }
        let wallEnd = max(wallStart, Runtime.system.now())
        disturbances.withLock { $0.append(wallStart...wallEnd) }
        done.withLock {
            $0.append(
                Done(
                    atSeconds: (begin - start) / .seconds(1),
                    place: fault.place,
                    isOutage: fault.isOutage,
                    what: fault.words,
                    seconds: (end - begin) / .seconds(1),
                    recoverySeconds: recovery.map { $0 / .seconds(1) },
                    takeover: takeover,
                    note: note
                )
            )
        }
        let outcome = recovery.map { "well again after \($0.text)" } ?? "not well after \(Self.longestRecovery.text)"
        say("\((.now - start).text)  \(fault.words): \(outcome)\(note.isEmpty ? "" : "; \(note)")")
    }

    /// Strikes a node where that is the fault; the rest of it is yet to come.
    private func strikeNode(by fault: ChaosFault) async {
        switch fault {
        case .nodeKilled(let number, _): await world.nodes[number].kill()
        case .nodeStopped(let number, _): await world.nodes[number].stop()
        default: break
        }
    }

    /// Waits until others do what the node did that was struck just now; nil where it is no node that was struck.
    private func takeover(after fault: ChaosFault) async -> Takeover.Times? {
        guard fault.place == .nodes else { return nil }
        return await TakeoverWatch(world.database.pool(), interval: world.interval).times()
    }

    /// The rest of a fault.
    private func strike(_ fault: ChaosFault, number: Int) async throws -> String {
        switch fault {
        case .nodeKilled(let number, let length):
            try await Wait.passing(length)
            try await world.nodes[number].begin()
        case .nodeStopped(let number, let length):
            try await Wait.passing(length)
            await world.nodes[number].goOn()
        case .backendsTerminated:
            return "\(try await world.database.terminateBackends()) of them"
        case .databaseRestarted:
            try await world.database.crash()
            try await world.database.start()
        case .databaseAway(let length):
            return try await leaveDatabaseAway(for: length)
        case .snapshotPinned(let length):
            let begin = ContinuousClock.now
            try await world.database.pinSnapshot(for: length)
            let series = world.observer.series
            return Self.words(
                before: series.steadyRate(from: begin - max(length, Self.lookBack), to: begin),
                during: series.steadyRate(from: begin, to: .now)
            )
        case .rowLocked(let row, let length):
            return try await lockRow(row, for: length)
        case .diskFull(let length):
            return try await fillDisk(for: length)
        case .apnsDrops(let length):
            try await disturbPushes(PushFault(.connectionDrop, probability: Self.shareOfDrops), for: length)
        case .apnsLosesAnswers(let length):
            try await disturbPushes(PushFault(.lostAnswer, probability: Self.shareOfDrops), for: length)
        case .apnsStalls(let length):
            try await disturbPushes(PushFault(.stall, probability: Self.shareOfStalls), for: length)
        case .tokensRotated:
            return try await load.rotateTokens()
        case .loadRaised(let length):
            return try await load.raise(for: length)
        case .campaignInterrupted(let after, let away):
            let campaign = InterruptedCampaign(
                name: "chaos-\(number)",
                boss: BossCatalogue.all[number % BossCatalogue.all.count].id,
                system: world.system,
                tokenFile: world.tokenFile,
                nodes: world.addresses
            )
            let (words, isDoubled) = try await campaign.run(killedAfter: after, away: away)
            if isDoubled { world.journal.complain("campaign \(campaign.name) set two bosses on one party") }
            return words
        }
        return ""
    }

    private func leaveDatabaseAway(for length: Duration) async throws -> String {
        try await world.database.crash()
        await world.observer.look()
        let before = world.observer.memory
        try await Wait.passing(length)
        await world.observer.look()
        let after = world.observer.memory
        try await world.database.start()
        let growth = OutageMemory(before: before, after: after)
        if let complaint = growth.complaint { world.journal.complain(complaint) }
        return growth.words
    }

    /// Locks a row, and tells what that has cost the others: leases that changed hands, and pushes.
    private func lockRow(_ row: ChaosFault.Row, for length: Duration) async throws -> String {
        let watch = TakeoverWatch(world.database.pool(), interval: world.interval)
        let takeover = Takeover(from: try await watch.read())
        let begin = Runtime.system.now()
        guard let shard = try await world.database.lockRow(row, for: length) else { return "there was none" }
        let end = Runtime.system.now()
        let changed = takeover.changed(try await watch.read())
        try await world.witness.catchUp()
        let own = try await watch.activities(of: shard)
        let pushes = world.witness.all.accepted(from: begin, to: end, besides: own)
        return "shard \(shard); \(changed) leases changed hands, \(pushes) pushes to other shards meanwhile"
    }

    private func fillDisk(for length: Duration) async throws -> String {
        switch world.database.disk {
        case .failure(let failure):
            return "left out: \(failure.explanation)"
        case .success(let disk):
            try await disk.fill()
            let isFull = await world.database.refusesToGrow()
            try await Wait.passing(length)
            try disk.empty()
            return isFull ? "tables could not grow" : "PostgreSQL did not notice"
        }
    }

    private func disturbPushes(_ fault: PushFault, for length: Duration) async throws {
        try await world.simulator.add(fault)
        try await Wait.passing(length)
        try await world.simulator.removeFaults()
    }

    /// Waits until the service is well again.
    /// - Returns: how long that took; nil when it took too long.
    private func recover(since end: ContinuousClock.Instant) async throws -> Duration? {
        let last = try await world.simulator.lastPushNumber()
        let isWell = try await Wait.until(atMost: Self.longestRecovery, lookingEvery: Self.pause) {
            guard await areNodesReady() else { return false }
            return try await world.simulator.pushes(after: last).contains(where: \.isAccepted)
        }
        return isWell ? .now - end : nil
    }

    private func areNodesReady() async -> Bool {
        for node in world.nodes where await !node.isStruck {
            guard await node.isReady() else { return false }
        }
        return true
    }

    /// Ticks a second around a fault, where the game was not catching up; nil where it was all the time.
    static func words(before: TickSeries.Steady?, during: TickSeries.Steady?) -> String {
        func text(_ rate: TickSeries.Steady?) -> String {
            rate.map { "\(NumberText.text($0.ticksPerSecond, digits: 1)) in \(NumberText.text($0.seconds)) s" }
                ?? "not measured"
        }
        let words = "ticks/s: \(text(before)) before, \(text(during)) meanwhile"
        return before == nil || during == nil ? words + " (the game was catching up, or not seen)" : words
    }
}
