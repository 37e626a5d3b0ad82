import CommandLineSupport
import Foundation
import GameCore
import GameStore
import SimulatedPlayers

/// Runs the service under load while a plan's faults are done to it, lets it settle, and holds what is left against what
/// must be true.
struct ChaosBench {
    /// How much of everything there is.
    struct Size: Sendable {
        let duration: Duration
        let parties: Int
        let pace: ChaosPlan.Pace
        /// Between two ticks of a journey, and two turns of a boss fight.
        let interval: Duration
        /// Without faults, before them and after.
        let calm: Duration
    }

    private static let pause = Duration.milliseconds(250)

    let seed: UInt64
    let size: Size
    /// What repeats it.
    let command: String
    /// Hears how far it has come.
    let say: @Sendable (String) -> Void

    var plan: ChaosPlan {
        ChaosPlan(seed: seed, duration: size.duration, nodes: ChaosWorld.roles.count, pace: size.pace)
    }

    /// Starts what is needed, does what is planned, and ends it.
    func report() async throws -> ChaosReport {
        let start = ContinuousClock.now
        say("seed \(seed): \(plan.steps.count) faults")
        for step in plan.steps { say("plan  \(step.words)") }
        let world = try await ChaosWorld.begin(interval: size.interval)
        do {
            let report = try await run(in: world, since: start)
            await world.end()
            return report
        } catch {
            await world.end()
            throw error
        }
    }

    private func run(in world: ChaosWorld, since start: ContinuousClock.Instant) async throws -> ChaosReport {
        let load = ChaosLoad(in: world, parties: size.parties)
        let chaos = ChaosRun(in: world, with: load, say: say)
        try await load.gather()
        say("\(size.parties) parties have gathered after \((.now - start).text)")
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.witness.watch() }
            group.addTask { await world.observer.watch() }
            group.addTask { await world.observer.watchDue(in: world.database.store(), interval: world.interval) }
            group.addTask { try await Self.lookAfter(world) }
            group.addTask { await load.play() }
            let (before, struck, after, end) = try await course(of: chaos, with: load, in: world)
            say("nobody sets out any more; waiting for the end of all adventures")
            let unsettled = await Settlement(store: world.database.store(), witness: world.witness).wait()
            group.cancelAll()
            while await group.nextResult() != nil {}
            if let unsettled { world.journal.complain(unsettled) }
            var acknowledged = try await load.acknowledged()
            acknowledged.disturbances = chaos.times()
            let verdict = try await Verdict.reached(
                store: world.database.store(),
                simulator: world.witness,
                acknowledged: acknowledged
            )
            let faults = chaos.faults()
            return ChaosReport(
                seed: seed,
                command: command,
                faults: faults,
                load: world.journal.tally,
                acceptedPushes: world.witness.accepted,
                cards: .init(
                    all: try await world.simulator.phones().reduce(0) { $0 + $1.activities.count },
                    abandoned: acknowledged.abandoned.count
                ),
                ticksPerSecond: .init(
                    before: world.observer.tickRate(from: before, to: struck),
                    during: world.observer.tickRate(from: struck, to: after),
                    after: world.observer.tickRate(from: after, to: end)
                ),
                takeoverSeconds: LongestTakeover(in: faults, \.dispatcherWait).seconds,
                takeover: LongestTakeover(in: faults, \.dispatcherWait),
                engineTakeover: LongestTakeover(in: faults, \.engineWait),
                nodes: await nodes(of: world),
                verdict: verdict,
                complaints: world.journal.complaints,
                violations: verdict.violations + world.journal.complaints,
                seconds: (.now - start) / .seconds(1)
            )
        }
    }

    private typealias Course = (
        before: ContinuousClock.Instant, faults: ContinuousClock.Instant, after: ContinuousClock.Instant,
        end: ContinuousClock.Instant
    )

    private func course(of chaos: ChaosRun, with load: ChaosLoad, in world: ChaosWorld) async throws -> Course {
        let before = ContinuousClock.now
        try await Wait.passing(size.calm)
        world.observer.beginMemory()
        let faults = ContinuousClock.now
        try await chaos.carryOut(plan)
        let after = ContinuousClock.now
        say("all is healed; \(size.calm.text) without faults")
        try await Wait.passing(size.calm)
        let end = ContinuousClock.now
        load.close()
        // What a node that stood still had not stored of an older token it stored when it went on: whatever a phone has by
        // now, it tells once more.
        _ = try await load.rotateTokens()
        return (before, faults, after, end)
    }

    /// Starts nodes again that end by themselves, which none must.
    private static func lookAfter(_ world: ChaosWorld) async throws {
        while !Task.isCancelled {
            for node in world.nodes { try await node.lookAfter() }
            await Wait.betweenLooks(pause)
        }
    }

    private func nodes(of world: ChaosWorld) async -> [ChaosReport.Node] {
        let memory = world.observer.memory
        var nodes: [ChaosReport.Node] = []
        for node in world.nodes {
            guard let memory = memory[node.number] else { continue }
            nodes.append(
                ChaosReport.Node(
                    number: node.number + 1,
                    roles: node.roles,
                    bytesBefore: memory.first,
                    bytesAtMost: memory.highest,
                    bytesAfter: memory.last,
                    vainStarts: await node.vainStarts,
                    deaths: await node.deaths
                )
            )
        }
        return nodes
    }
}
