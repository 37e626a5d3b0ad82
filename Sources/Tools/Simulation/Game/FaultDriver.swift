import Encodings
import GameCore

/// Injects the faults of a ``FaultPlan`` into nodes, database and APNs.
final class FaultDriver {
    /// The number of nodes above which half of them come and go each minute.
    private static let fewNodes = 3

    private let plan: FaultPlan
    private let world: SimulatedWorld
    private let nodes: [SimulatedNode]
    private let database: MemoryDatabase
    private let apns: SimulatedAPNs
    /// The host of an operator's SQL session.
    private let console: SimulatedHost
    /// When the database comes up again, in microseconds since the run began.
    private var downUntil: Int64 = 0
    /// The times of all faults, in microseconds since the run began.
    private(set) var faultTimes: [Int64] = []
    /// The times at which the database has lost commits, in microseconds since the run began.
    private(set) var failoverTimes: [Int64] = []
    private(set) var serverClockSteps: [RunHistory.ClockStep] = []
    /// Called when the database has lost the commits since a moment, in microseconds since the run began.
    var onFailover: (_ lostSince: Int64) -> Void = { _ in }
    /// The times during which the leases of shards are locked, in microseconds since the run began: their holders cannot
    /// flush.
    private(set) var lockSpans: [Int16: [ClosedRange<Int64>]] = [:]

    init(
        _ plan: FaultPlan,
        in world: SimulatedWorld,
        nodes: [SimulatedNode],
        database: MemoryDatabase,
        apns: SimulatedAPNs
    ) {
        self.plan = plan
        self.world = world
        self.nodes = nodes
        self.database = database
        self.apns = apns
        console = SimulatedHost(in: world, named: "console")
    }

    /// Injects faults from now until the plan's end.
    func start() {
        database.onFault = { [weak self] in self?.recordFault() }
        apns.onFault = { [weak self] in self?.recordFault() }
        guard !plan.isFaultless else { return }
        apns.onSend = { [weak self] in self?.interruptSend(from: $0) }
        apns.onLostResponse = { [weak self] in self?.crashAfterSend(from: $0) }
        database.conditions.slowInAThousand = [0, 5, 20][world.number(below: 3)]
        database.conditions.brokenInAThousand = [0, 3, 15][world.number(below: 3)]
        apns.conditions.queuedInAThousand = [0, 30][world.number(below: 2)]
        apns.conditions.slowInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.conditions.brokenInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.conditions.lostInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.conditions.forgottenInAThousand = [0, 0, 0, 20][world.number(below: 4)]
        apns.conditions.rejectedInAThousand = [0, 20, 100][world.number(below: 3)]
        apns.conditions.duplicatedInAThousand = [0, 50][world.number(below: 2)]
        database.hasStandby = plan.losesCommits
        world.after(plan.end) { self.stop() }
        scheduleNext()
        if nodes.count > Self.fewNodes { scheduleTurnover() }
        if plan.hasUpgrade { for node in nodes { scheduleUpgrade(of: node) } }
    }

    /// Upgrades a node in two steps: its dispatcher first, or its API and engine.
    private func scheduleUpgrade(of node: SimulatedNode) {
        let times = [0, 1].map { _ in world.duration(1_000...15_000) }.sorted()
        let isDispatcherFirst = world.number(below: 2) == 0
        world.after(times[0]) { [self] in
            if isDispatcherFirst { node.versions.dispatcher = .newest } else { node.versions.game = .newest }
            restartOutdated(node)
        }
        world.after(times[1]) { [self] in
            node.versions = SimulatedNode.Versions()
            restartOutdated(node)
        }
    }

    /// Restarts a node until its process has the versions that it should have: one that is frozen does not stop.
    private func restartOutdated(_ node: SimulatedNode) {
        guard !node.isUpToDate else { return }
        restart(node, after: world.duration(100...4_000))
        world.after(.seconds(4)) { self.restartOutdated(node) }
    }

    /// Ends the faults that are still in progress.
    private func stop() {
        recordFault()
        world.log("faults stop")
        database.conditions = MemoryDatabase.Conditions()
        apns.conditions = SimulatedAPNs.Conditions()
    }

    /// Interrupts a process that is about to write a push: freezes it, in most cases until another node holds its
    /// lease, or restarts it gracefully with the state that it has flushed.
    private func interruptSend(from host: SimulatedHost) {
        guard plan.happens(inAThousand: 40, in: world), let node = node(of: host) else { return }
        if world.number(below: 4) == 0 {
            freeze(node, for: world.duration(4_000...12_000))
        } else {
            restart(node, after: world.duration(50...500))
        }
    }

    /// Restarts a node gracefully, perhaps with another clock error.
    ///
    /// Violations during a graceful shutdown count, so the fault is recorded only once the node has shut down.
    private func restart(_ node: SimulatedNode, after pause: Duration) {
        node.restart(after: pause) { [weak self] in
            self?.recordFault()
            self?.setClock(of: node)
        }
    }

    private func setClock(of node: SimulatedNode) {
        let step = world.number(below: 2 * plan.maxClockStep + 1) - plan.maxClockStep
        let gameStep = world.number(below: 2 * plan.maxGameClockStep + 1) - plan.maxGameClockStep
        node.clockError.value = .milliseconds(step)
        node.gameClockError.value = .milliseconds(gameStep)
        world.log("\(node.host.name) has its clocks set to \(step) ms and \(gameStep) ms")
    }

    /// Crashes a process just after it has sent a push whose response is lost.
    private func crashAfterSend(from host: SimulatedHost) {
        guard plan.happens(inAThousand: 150, in: world), let node = node(of: host) else { return }
        recordFault()
        node.crash(for: world.duration(100...8_000))
    }

    private func node(of host: SimulatedHost) -> SimulatedNode? { nodes.first { $0.host === host } }

    private func freeze(_ node: SimulatedNode, for pause: Duration) {
        recordFault()
        node.freeze(for: pause)
        world.after(pause) { self.recordFault() }
    }

    /// Locks the row of a shard, whose games stand still meanwhile.
    private func lockShard() {
        let shards = database.tables.shards.keys.sorted()
        let duration = world.duration(500...12_000)
        database.lockShard(shards[world.number(below: shards.count)], from: console, for: duration)
        world.after(duration) { self.recordFault() }
    }

    /// Locks the lease of a shard, or the row of a dispatcher, which then loses all of its leases.
    private func lockLease() {
        // Some of them last for as long as there are faults, while pushes go on.
        let rest = plan.end - .microseconds(world.elapsed)
        let duration = world.number(below: 4) == 0 ? rest : world.duration(1_000...15_000)
        let dispatchers = database.tables.dispatchers.filter { !$0.value.isOver }.keys.sorted()
        if world.number(below: 2) == 0, !dispatchers.isEmpty {
            let holder = dispatchers[world.number(below: dispatchers.count)]
            return database.lockDispatcher(holder, from: console, for: duration)
        }
        let shards = database.tables.leases.keys.sorted()
        let shard = shards[world.number(below: shards.count)]
        database.lockLease(of: shard, from: console, for: duration)
        lockSpans[shard, default: []].append(world.elapsed...world.elapsed + duration.wholeMicroseconds)
    }

    /// Takes the server down, at times for long enough that all leases have expired.
    ///
    /// Then it may come back on another machine, whose clock is ahead by up to two hours, and which lacks the last commits.
    /// A standby takes over sooner, so that nodes renew their presences there; its clock is up to five seconds off.
    private func stopDatabase() {
        database.crash()
        database.conditions.isDown = true
        world.log("database goes down")
        let isPromoted = plan.losesCommits && world.number(below: 2) == 0
        let isMoved = isPromoted || world.number(below: 3) == 0
        let downtime = world.duration(isPromoted ? 1_200...4_000 : isMoved ? 6_000...9_000 : 100...6_000)
        downUntil = max(downUntil, world.elapsed + downtime.wholeMicroseconds)
        world.after(downtime) { [self] in
            // It stays down for another fault, or is up since the faults stopped.
            guard world.elapsed >= downUntil, database.conditions.isDown else { return }
            recordFault()
            if isMoved, let lostSince = database.failOver() {
                world.log("the server has lost its last commits")
                failoverTimes.append(world.elapsed)
                onFailover(lostSince)
            }
            if isPromoted {
                setServerClock(by: world.duration(0...10_000) - .seconds(5))
            } else if isMoved {
                setServerClock(by: world.duration([0...5_000, 0...7_200_000][world.number(below: 2)]))
            }
            database.conditions.isDown = false
            world.log("database comes up")
        }
    }

    private func setServerClock(by step: Duration) {
        database.clockError += step
        serverClockSteps.append(RunHistory.ClockStep(at: world.elapsed, microseconds: step.wholeMicroseconds))
        world.log("the server has its clock set by \(step)")
    }

    private func recordFault() { faultTimes.append(world.elapsed) }

    private func scheduleNext() {
        world.after(world.duration(500...plan.maxSpacing)) {
            guard self.world.elapsed < self.plan.end.wholeMicroseconds else { return }
            self.injectFault()
            self.scheduleNext()
        }
    }

    private func scheduleTurnover() {
        world.after(.seconds(120) / nodes.count) { [self] in
            guard world.elapsed < plan.end.wholeMicroseconds else { return }
            let node = nodes[world.number(below: nodes.count)]
            let pause = world.duration(100...4_000)
            if world.number(below: 2) == 0 {
                recordFault()
                node.crash(for: pause)
            } else {
                restart(node, after: pause)
            }
            scheduleTurnover()
        }
    }

    private func injectFault() {
        let node = nodes[world.number(below: nodes.count)]
        let kind = world.number(below: 19)
        if kind < 17 { recordFault() }
        switch kind {
        case 0..<4:
            let pause = world.duration(100...8_000)
            node.host.beforeJob(after: world.number(below: 200)) { [self] in
                recordFault()
                node.crash(for: pause)
            }
        case 4..<6:
            let pause = world.duration(500...12_000)
            node.host.beforeJob(after: world.number(below: 200)) { [self] in freeze(node, for: pause) }
        case 6..<8:
            stopDatabase()
        case 8..<10:
            apns.conditions.isDown = true
            world.log("APNs goes down")
            world.after(world.duration(500...10_000)) { [self] in
                apns.conditions.isDown = false
                world.log("APNs comes up")
            }
        case 10..<12:
            setClock(of: node)
        case 12..<14:
            setServerClock(by: .zero - world.duration(0...6_000))
        case 14:
            lockLease()
        case 15:
            let duration = world.duration(5_000...30_000)
            apns.conditions.stalledUntil = world.elapsed + duration.wholeMicroseconds
            world.log("APNs stalls for \(duration)")
        case 16:
            lockShard()
        default:
            restart(node, after: world.duration(100...4_000))
        }
    }
}
