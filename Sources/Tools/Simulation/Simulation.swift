import Encodings
import Foundation
import GameCore
import GameStore
import Logging
import PostgresClient

/// The whole service in one process, from one seed: nodes with engine, dispatcher and commands, a database, APNs with
/// phones, and players, in virtual time, while things go wrong; and what must be true is checked at the end.
package struct Simulation: Sendable {
    /// How a run went.
    package struct Result: Sendable {
        package let seed: UInt64
        /// What did not hold; empty when all is well.
        package let breaches: [Breach]
        /// What happened.
        package let trace: Trace
        /// How many ticks, commands and other events there were.
        package let events: Int
        /// How many pushes were written.
        package let pushes: Int
        /// How often something went wrong.
        package let disturbances: Int
        /// The run's length in virtual time.
        package let virtualTime: Duration
    }

    /// How long the game goes on after the last fault.
    private static let calm = Duration.seconds(8)
    /// How long the phones may take to show what is newest: longer than the longest backoff.
    private static let settling = Duration.seconds(75)
    /// How long it is watched that nothing more comes once nothing is owed.
    private static let silence = 8

    /// Decides everything.
    package let seed: UInt64
    /// What is wrong with the service on purpose.
    package let defect: Defect?
    /// Whether the lines of the trace are kept.
    package let keepsTrace: Bool

    package init(seed: UInt64, defect: Defect? = nil, keepsTrace: Bool = false) {
        self.seed = seed
        self.defect = defect
        self.keepsTrace = keepsTrace
    }

    /// Runs on a thread of its own, since everything in a run happens on one.
    package func run() async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: runHere()) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    private func runHere() -> Result {
        let world = World(seed: seed, keepingTrace: keepsTrace)
        let shards = (0...world.number(below: 3)).map { Int16($0 * 85) }
        let database = MemoryDatabase(in: world, shards: shards, defect: defect)
        let apns = SimulatedAPNs(in: world, defect: defect)
        let settings = SimulationSettings(drawnBy: world, shardCount: shards.count)
        let nodes = (1...1 + world.number(below: 3)).map { number in
            SimulatedNode(number: number, in: world, on: database, pushingTo: apns, settings: settings)
        }
        let plan = FaultPlan(drawnBy: world)
        let faults = Faults(plan, in: world, nodes: nodes, database: database, apns: apns)
        faults.begin()

        let end = plan.end + Self.calm
        let outside = Place(in: world, named: "outside")
        let clients = Clients(world: world, nodes: nodes, faults: plan)
        let stories = (1...1 + world.number(below: 3)).map { number in
            PartyStory(number: number, in: world, clients: clients, apns: apns, shards: shards, until: end)
        }
        for story in stories {
            // Ends by itself soon after the end; the run goes on for longer than that.
            Task(executorPreference: outside) { await story.live() }
        }
        world.run(until: end)
        for node in nodes { node.stopPlaying() }
        settle(world, database, until: end + Self.settling)

        let evidence = gather(world, database, apns, stories, faults, at: outside)
        let breaches = evidence.breaches()
        let events = evidence.logs.values.reduce(0) { $0 + $1.entries.count }
        let result = Result(
            seed: seed,
            breaches: breaches,
            trace: world.trace,
            events: events,
            pushes: evidence.pushes.count,
            disturbances: evidence.disturbances.count,
            virtualTime: .microseconds(world.elapsed)
        )

        // Lets every task come to its end, so that nothing of the run stays in memory.
        database.close()
        apns.close()
        for node in nodes { node.bury() }
        world.run(until: .microseconds(world.elapsed) + .seconds(600))
        return result
    }

    /// Lets the phones be told what they are owed, and a little time pass after that.
    private func settle(_ world: World, _ database: MemoryDatabase, until end: Duration) {
        var seconds = 0
        while seconds < Self.silence, world.elapsed < end.wholeMicroseconds {
            world.run(until: min(end, .microseconds(world.elapsed) + .seconds(1)))
            seconds = database.tables.owesNothing ? seconds + 1 : 0
        }
    }

    private func gather(
        _ world: World,
        _ database: MemoryDatabase,
        _ apns: SimulatedAPNs,
        _ stories: [PartyStory],
        _ faults: Faults,
        at outside: Place
    ) -> Evidence {
        let logger = Logger(label: "checks") { _ in SwiftLogNoOpLogHandler() }
        let store = GameStore(pool: PostgresPool(standIn: database.door(from: outside), logger: logger))
        let gathered = Gathered()
        // Awaited by the loop below.
        Task(executorPreference: outside) {
            gathered.evidence = await Evidence(of: store, database: database, apns: apns, stories: stories)
        }
        world.run(until: .microseconds(world.elapsed) + .seconds(600)) { gathered.evidence != nil }
        guard var evidence = gathered.evidence else { preconditionFailure("what is stored cannot be read") }
        evidence.disturbances = faults.disturbances
        return evidence
    }

    /// Where the evidence is put; unchecked but true: touched on the world's one thread only.
    private final class Gathered: @unchecked Sendable {
        var evidence: Evidence?
    }
}
