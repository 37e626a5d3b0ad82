import Encodings
import Foundation
import GameCore
import GameStore
import ServiceRuntime

/// Lets the service work for a long time, looks at it now and then, lets it settle, and holds what is left against what must
/// be true.
struct SoakBench {
    /// A run of less than that is one to try things: with quick ticks, and nothing kept for long.
    private static let shortRun = Duration.seconds(120)
    private static let tick = Duration.seconds(2)
    private static let quickTick = Duration.milliseconds(250)
    /// How long things are kept that are over.
    private static let longestAge = Duration.seconds(180)
    private static let longestBeat = Duration.seconds(20)

    let length: Duration
    /// Between two looks.
    let interval: Duration
    let parties: Int
    /// Hears how far it has come.
    let say: @Sendable (String) -> Void

    /// Starts what is needed, runs it, and ends it.
    func report() async throws -> SoakReport {
        let world = try await ChaosWorld.begin(interval: length < Self.shortRun ? Self.quickTick : Self.tick)
        do {
            let report = try await run(in: world)
            await world.end()
            return report
        } catch {
            await world.end()
            throw error
        }
    }

    private func run(in world: ChaosWorld) async throws -> SoakReport {
        let start = ContinuousClock.now
        let load = ChaosLoad(in: world, parties: parties)
        let observer = SoakObserver(world, guests: load.guests)
        let retention = SoakRetention(of: world.database.store(), keeping: min(Self.longestAge, length / 4))
        try await load.gather()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await world.witness.watch() }
            group.addTask { await load.play() }
            let answersKeptSince = try await work(load, retention, observer, in: world)
            load.close()
            // Whoever was not heard with a new token says it again.
            _ = try await load.rotateTokens()
            say("nobody sets out any more; waiting for the end of all adventures")
            let store = world.database.store()
            let unsettled = await Settlement(store: store, witness: world.witness).wait()
            group.cancelAll()
            while await group.nextResult() != nil {}
            let verdict = try await Verdict.reached(
                store: store,
                simulator: world.witness,
                acknowledged: try await load.acknowledged(),
                answersKeptSince: answersKeptSince
            )
            return SoakReport(
                seconds: (.now - start) / .seconds(1),
                parties: parties,
                pushes: world.witness.accepted,
                acknowledged: world.journal.tally.acknowledged,
                removed: await retention.removed(),
                rows: await observer.series.rows,
                verdict: verdict,
                complaints: world.journal.complaints + [unsettled].compactMap(\.self) + (await deaths(in: world))
            )
        }
    }

    /// Looks at everything at intervals while guests come and go, fights start, tokens change, and what is old is removed.
    /// - Returns: since when the answers to commands are there.
    private func work(
        _ load: ChaosLoad,
        _ retention: SoakRetention,
        _ observer: SoakObserver,
        in world: ChaosWorld
    ) async throws -> Timestamp {
        let end = ContinuousClock.now + length
        return try await withThrowingTaskGroup(of: Timestamp?.self) { group in
            group.addTask {
                var next = ContinuousClock.now
                while ContinuousClock.now < end {
                    say(try await observer.look())
                    next += interval
                    try await Wait.passing(until: min(next, end))
                }
                // Rates are of the time between two looks: there is one more of these.
                say(try await observer.look())
                return nil
            }
            group.addTask {
                var since = Runtime.system.now()
                var beat = 0
                while ContinuousClock.now < end {
                    try await load.visit(for: min(Self.longestBeat, length / 10))
                    _ = try await load.rotateTokens()
                    if let complaint = try await Self.complaint(
                        about: "campaign soak-\(beat)",
                        { [beat] in
                            try await startFights(beat, in: world)
                        }
                    ) {
                        world.journal.complain(complaint)
                    }
                    since = try await retention.sweep()
                    beat += 1
                }
                return since
            }
            var since = Runtime.system.now()
            while let result = try await group.next() { since = result ?? since }
            return since
        }
    }

    /// Does something without which the run goes on all the same.
    /// - Returns: what is to be said of its failure; nil when it did not fail.
    /// - Throws: nothing but that the run ends.
    static func complaint(about what: String, _ body: () async throws -> Void) async throws(CancellationError)
        -> String?
    {
        do {
            try await body()
            return nil
        } catch let error as CancellationError {
            throw error
        } catch {
            return "\(what): \(error)"
        }
    }

    /// An operator sets a boss on every party that is on no adventure.
    private func startFights(_ number: Int, in world: ChaosWorld) async throws {
        let boss = BossCatalogue.all[number % BossCatalogue.all.count].id
        let console = try world.system.runConsole([
            "boss", "start", boss.rawValue, "--all-idle", "--campaign", "soak-\(number)", "--yes", "--json",
            "--server", "http://127.0.0.1:\(world.addresses.next() ?? 0)", "--token-file", world.tokenFile.path,
        ])
        try await console.finish()
    }

    /// Nodes that have ended by themselves, as sentences.
    private func deaths(in world: ChaosWorld) async -> [String] {
        var sentences: [String] = []
        for node in world.nodes where await node.patientReading() == nil {
            sentences.append("node \(node.number + 1) does not answer any more")
        }
        return sentences
    }
}
