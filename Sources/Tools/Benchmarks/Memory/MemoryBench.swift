import Encodings
import Foundation
import GameCore
import GameStore
import ServiceRuntime

/// Watches the memory of two dispatchers that differ in how many activities they follow.
struct MemoryBench {
    /// So long that a hundred thousand phones are served by two cores, and each gets some pushes.
    static let interval = Duration.seconds(60)
    private static let samples = 6

    /// How many activities the two follow.
    let few: Int
    let many: Int
    let length: Duration

    /// Starts what is needed, measures, and stops it.
    func report() async throws -> MemoryReport {
        let server = try await DurableServer()
        let system = try await LiveSystem()
        let acceptance = try system.startAcceptance()
        defer { acceptance.stop() }
        let apnsPort = try acceptance.port()
        let small = try await Side(few, named: "few", on: server, system, apnsPort: apnsPort)
        defer { small.stop() }
        let large = try await Side(many, named: "many", on: server, system, apnsPort: apnsPort)
        defer { large.stop() }
        var samples = [try sample(small, large, after: .zero)]
        // From now on they push.
        let engines = try [small, large].map { side in
            try system.startNode("engine", on: side.uri, apnsPort: apnsPort, interval: Self.interval)
        }
        defer { for engine in engines { engine.kill() } }
        for engine in engines { _ = try await engine.ports() }
        let start = ContinuousClock.now
        var progress = Progress(of: Self.samples)
        for number in 1...Self.samples {
            try await Task.sleep(until: start + length * number / Self.samples, clock: .continuous)
            samples.append(try sample(small, large, after: ContinuousClock.now - start))
            progress.advance()
        }
        return MemoryReport(few: few, many: many, samples: samples)
    }

    private func sample(_ few: Side, _ many: Side, after time: Duration) throws -> MemoryReport.Sample {
        let readings = (few: try few.metrics.read(), many: try many.metrics.read())
        return MemoryReport.Sample(
            seconds: time / .seconds(1),
            pushes: Int(readings.many.sum("rangers_pushes_total")),
            fewBytes: Int(readings.few.sum("process_resident_memory_bytes")),
            manyBytes: Int(readings.many.sum("process_resident_memory_bytes")),
            activities: self.many - self.few
        )
    }

    /// A dispatcher on a database of its own.
    private struct Side {
        let uri: String
        let metrics: NodeMetricsReader
        private let dispatcher: ServiceProgram

        init(
            _ activities: Int,
            named name: String,
            on server: DurableServer,
            _ system: LiveSystem,
            apnsPort: Int
        ) async throws {
            let parties = activities / WorldPlan.heroes
            let slot = (MemoryBench.interval / WorldPlan.slots).wholeMicroseconds
            let plan = WorldPlan(
                parties: parties,
                shards: min(256, parties),
                interval: MemoryBench.interval,
                start: Timestamp(microseconds: Runtime.system.now().microseconds / slot * slot),
                ticksPlayed: 8,
                differentAdventures: parties
            )
            uri = try await server.create(name)
            try await StockedWorld.make(
                plan,
                on: uri,
                tokens: { number in
                    // Any bytes are a token to a server that takes every push; real ones have 32 and more.
                    (0..<WorldPlan.heroes).map { seat in
                        let uuid = plan.uuid(5, number, part: seat)
                        return withUnsafeBytes(of: uuid.uuid) { Array($0) + Array($0) }
                    }
                },
                decisions: BusyLog.encoded(until: plan.start)
            )
            dispatcher = try system.startNode("dispatcher", on: uri, apnsPort: apnsPort, interval: MemoryBench.interval)
            metrics = NodeMetricsReader(port: try await dispatcher.ports().metricsPort ?? 0)
            try await metrics.awaitActivities(of: GameStore(pool: BenchDatabases.pool(uri)))
        }

        func stop() { dispatcher.kill() }
    }
}
