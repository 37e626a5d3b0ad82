import Encodings
import Foundation
import GameCore
import GameStore
import Logging
import PostgresClient
import PushCadence
import PushDispatcher

/// One run of the whole service in one process, determined by a seed.
///
/// Nodes with the real engine, dispatcher and commands run against an in-memory database and a simulated APNs, in
/// virtual time, while players play and faults happen. At the end the run checks the invariants of docs/simulation.md.
/// Besides, one follower of a shard runs alone (``FollowerRun``), and in some runs the keepers of broadcast channels
/// (``ChannelRun``).
package struct Simulation: Sendable {
    /// The result of a run.
    package struct Result: Sendable {
        package let seed: UInt64
        /// The invariants that did not hold; empty for a correct service.
        package let violations: [InvariantViolation]
        /// How often faults excused what would be violations without them, by kind.
        package let excused: [Excuse: Int]
        /// The record of the run.
        package let trace: Trace
        /// What the follower that ran alone did, a line for each effect; empty unless the trace keeps its lines.
        package let followerLines: [String]
        /// The number of events of all adventures.
        package let events: Int
        /// The number of pushes that were written.
        package let pushes: Int
        /// The number of faults.
        package let faults: Int
        /// The length of the run in virtual time.
        package let virtualTime: Duration
        /// The run of the keepers of channels alone.
        package var channels = ChannelRun.Result()
    }

    /// Every how many seeds a run has 64 nodes, of which half come and go each minute.
    private static let crowdedSeeds: UInt64 = 500
    /// Every how many seeds a run has a raid.
    private static let raidSeeds: UInt64 = 3
    /// Every how many seeds the keepers of channels run alone.
    private static let channelSeeds: UInt64 = 20
    /// The time that the game continues after the last fault.
    private static let faultlessPlay = Duration.seconds(8)
    /// The time that the phones have to reach the newest state: more than the longest backoff.
    private static let convergenceTime = Duration.seconds(75)
    /// The time that a raid has to end after the game.
    private static let raidTime = Duration.seconds(60)
    /// The number of seconds without players and pending state after which a run is over: what waits for a budget is in the
    /// database after five seconds, with the next flush of those that come every ten.
    private static let quietSeconds = 16
    /// The virtual time for reading the database, or for ending every task.
    private static let cleanupTime = Duration.seconds(600)

    /// The seed, which determines every random choice of the run.
    package let seed: UInt64
    /// The defect to inject into the service.
    package let defect: Defect?
    /// Whether the trace keeps its lines.
    package let keepsTrace: Bool

    package init(seed: UInt64, defect: Defect? = nil, keepsTrace: Bool = false) {
        self.seed = seed
        self.defect = defect
        self.keepsTrace = keepsTrace
    }

    /// Runs the simulation on a separate thread.
    package func run() async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: runOnThisThread()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func runOnThisThread() -> Result {
        let world = SimulatedWorld(seed: seed, keepsTrace: keepsTrace)
        let isCrowded = seed.isMultiple(of: Self.crowdedSeeds)
        let (shardCount, step) = isCrowded ? (64, 4) : (1 + world.number(below: 3), 85)
        let shards = (0..<shardCount).map { Int16($0 * step) }
        let database = MemoryDatabase(in: world, shards: shards, defect: defect)
        let apns = SimulatedAPNs(in: world, defect: defect)
        let settings = SimulationSettings(drawnBy: world, shardCount: shards.count)
        let plan = FaultPlan(drawnBy: world)
        let version = plan.hasUpgrade ? RulesVersion.v2 : .newest
        let hasRaid = !isCrowded && seed.isMultiple(of: Self.raidSeeds)
        let nodes = (1...(isCrowded ? 64 : 1 + world.number(below: 3))).map { number in
            SimulatedNode(
                number: number,
                in: world,
                database: database,
                apns: apns,
                settings: settings,
                versions: SimulatedNode.Versions(dispatcher: version, game: version),
                hasRaids: hasRaid
            )
        }
        let faults = FaultDriver(plan, in: world, nodes: nodes, database: database, apns: apns)
        faults.start()

        let end = plan.end + Self.faultlessPlay
        let outside = SimulatedHost(in: world, named: "outside")
        let client = CommandClient(world: world, nodes: nodes, faults: plan)
        let raid = hasRaid ? ScriptedRaid(in: world, client: client, shards: shards) : nil
        let parties = (1...1 + world.number(below: 3)).map { number in
            ScriptedParty(number: number, in: world, client: client, apns: apns, shards: shards, raid: raid, until: end)
        }
        faults.onFailover = { moment in
            for party in parties { party.noteLostCommits(since: moment) }
        }
        let operating = WorldBound(raid != nil)
        if let raid = raid.map(WorldBound.init) {
            // Ends before the game, unless a node that stops slowly does not answer.
            Task(executorPreference: outside) {
                await raid.value.run()
                operating.value = false
            }
        }
        let playing = WorldBound(parties.count)
        for party in parties.map(WorldBound.init) {
            // The task ends some seconds after `end`, and the run waits for it.
            Task(executorPreference: outside) {
                await party.value.play()
                playing.value -= 1
            }
        }
        world.run(until: end)
        world.run(until: end + Self.raidTime) { !operating.value && database.tables.raids.areSettled }
        for node in nodes { node.stopEngine() }
        // With small budgets, all the alerts that may wait.
        let policy = settings.dispatcher.policy
        let budgetTime = max(policy.frequent.highRefill, policy.standard.highRefill) * policy.maxQueuedAlerts
        runUntilQuiet(world, until: end + Self.convergenceTime + budgetTime) {
            playing.value == 0 && database.tables.hasNothingPending && !database.awaitsStarts
                && !database.tables.hasDueWidgets(where: apns.isValid)
        }

        var history = collectHistory(world, database, apns, parties, faults, on: outside)
        history.policy = policy
        var followerRun = FollowerRun(seed: seed, defect: defect, keepsLines: keepsTrace)
        let follower = followerRun.run()
        let channels =
            seed.isMultiple(of: Self.channelSeeds)
            ? ChannelRun.run(seed: seed, defect: defect, keepsLines: keepsTrace) : ChannelRun.Result()
        let checks = history.checks()
        let result = Result(
            seed: seed,
            violations: checks.flatMap(\.violations) + follower.violations + channels.violations,
            excused: checks.map(\.excused).reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) },
            trace: world.trace,
            followerLines: follower.lines,
            events: history.adventures.values.reduce(0) { $0 + $1.events.count },
            pushes: history.pushes.count + history.devicePushes.count,
            faults: history.faultTimes.count,
            virtualTime: .microseconds(world.elapsed),
            channels: channels
        )

        // Ends every task, so that the memory of the run is freed.
        database.close()
        apns.close()
        for node in nodes { node.shutDown() }
        world.run(until: .microseconds(world.elapsed) + Self.cleanupTime)
        world.close()
        return result
    }

    /// Runs until the world has been quiet for ``quietSeconds``, at most until `end`.
    private func runUntilQuiet(_ world: SimulatedWorld, until end: Duration, _ isQuiet: () -> Bool) {
        var seconds = 0
        while seconds < Self.quietSeconds, world.elapsed < end.wholeMicroseconds {
            world.run(until: min(end, .microseconds(world.elapsed) + .seconds(1)))
            seconds = isQuiet() ? seconds + 1 : 0
        }
    }

    private func collectHistory(
        _ world: SimulatedWorld,
        _ database: MemoryDatabase,
        _ apns: SimulatedAPNs,
        _ parties: [ScriptedParty],
        _ faults: FaultDriver,
        on outside: SimulatedHost
    ) -> RunHistory {
        let logger = Logger(label: "checks") { _ in SwiftLogNoOpLogHandler() }
        let store = GameStore(pool: PostgresPool(standIn: database.connector(from: outside), logger: logger))
        let sources = WorldBound((database: database, apns: apns, parties: parties))
        let result = WorldBound(RunHistory?.none)
        // The loop below waits for it.
        Task(executorPreference: outside) {
            let (database, apns, parties) = sources.value
            result.value = await RunHistory(of: store, database: database, apns: apns, parties: parties)
        }
        world.run(until: .microseconds(world.elapsed) + Self.cleanupTime) { result.value != nil }
        guard var history = result.value else { preconditionFailure("the stored data could not be read") }
        history.faultTimes = faults.faultTimes
        history.lockSpans = faults.lockSpans
        history.failoverTimes = faults.failoverTimes
        history.serverClockSteps = faults.serverClockSteps
        return history
    }
}
