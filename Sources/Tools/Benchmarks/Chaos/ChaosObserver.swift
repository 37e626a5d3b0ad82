import Encodings
import Foundation
import GameStore
import ServiceRuntime
import Synchronization

/// Observes the tick rate and the memory of the nodes during a run.
final class ChaosObserver: Sendable {
    private static let pause = Duration.milliseconds(500)
    /// The time after which a due tick counts as backlog: ten poll intervals of the engine.
    private static let maxLag = Duration.seconds(1)

    private struct State {
        /// The ticks of each process.
        var ticks: [Int32: Double] = [:]
        var series = TickSeries()
        var memory: [Int: Memory] = [:]
    }

    /// The resident bytes of a node, over all of its processes.
    struct Memory: Sendable, Hashable {
        let first: Int
        var highest: Int
        var last: Int
    }

    private let nodes: [ChaosNode]
    private let state = Mutex(State())

    init(_ nodes: [ChaosNode]) { self.nodes = nodes }

    /// Samples until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await sample()
            await Polling.pause(Self.pause)
        }
    }

    /// Records until the task is cancelled whether the game has a backlog.
    /// - Parameters:
    ///   - store: a store that bypasses the nodes.
    ///   - interval: the time between two ticks of a journey.
    func watchBacklog(in store: GameStore, interval: Duration) async {
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let moment = Runtime.system.now() - Self.maxLag
            // There are no samples while the database is down.
            if let shards = try? await store.shardsDue(at: moment, every: interval) {
                state.withLock { $0.series.add(hasBacklog: !shards.isEmpty, at: now) }
            }
            await Polling.pause(Self.pause)
        }
    }

    /// Samples all nodes once.
    func sample() async {
        for node in nodes {
            guard let sample = await node.sample() else { continue }
            state.withLock { state in
                state.ticks[sample.process] = sample.ticks
                let bytes = sample.residentBytes
                var memory = state.memory[node.number] ?? Memory(first: bytes, highest: bytes, last: bytes)
                memory.highest = max(memory.highest, bytes)
                memory.last = bytes
                state.memory[node.number] = memory
            }
        }
        state.withLock { state in state.series.add(ticks: state.ticks.values.reduce(0, +), at: .now) }
    }

    /// Forgets the memory so far.
    func resetMemory() { state.withLock { $0.memory = [:] } }

    /// The memory by node.
    var memory: [Int: Memory] { state.withLock(\.memory) }

    var series: TickSeries { state.withLock(\.series) }
}

/// The ticks over time, and whether the game had a backlog.
struct TickSeries: Sendable {
    /// The maximum time between two samples of one span; with the database down, there are no samples.
    private static let maxGap = Duration.seconds(2)

    private var ticks: [(at: ContinuousClock.Instant, ticks: Double)] = []
    private var backlogs: [(at: ContinuousClock.Instant, hasBacklog: Bool)] = []

    /// Adds the number of ticks so far.
    mutating func add(ticks count: Double, at moment: ContinuousClock.Instant) { ticks.append((moment, count)) }

    /// Adds whether ticks were overdue.
    mutating func add(hasBacklog: Bool, at moment: ContinuousClock.Instant) { backlogs.append((moment, hasBacklog)) }

    /// Returns the ticks per second in a span of time; nil with too few samples.
    func rate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double? {
        let samples = ticks.filter { $0.at >= start && $0.at <= end }
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        return (last.ticks - first.ticks) / ((last.at - first.at) / .seconds(1))
    }

    /// A rate without a backlog, and the length of its span.
    struct SteadyRate: Hashable, Sendable {
        let ticksPerSecond: Double
        let seconds: Double

        var description: String { "\(ticksPerSecond.grouped(digits: 1)) in \(seconds.grouped()) s" }
    }

    /// Computes the rate in the longest span without a backlog; a game with a backlog runs at the engine's capacity.
    /// - Returns: the rate; nil when no span is without a backlog.
    func steadyRate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> SteadyRate? {
        typealias Span = (first: ContinuousClock.Instant, last: ContinuousClock.Instant)
        var (longest, current): (Span?, Span?)
        for sample in backlogs where sample.at >= start && sample.at <= end {
            guard !sample.hasBacklog else {
                current = nil
                continue
            }
            if let span = current, sample.at - span.last < Self.maxGap {
                current = (span.first, sample.at)
            } else {
                current = (sample.at, sample.at)
            }
            if let span = current, span.last - span.first > longest.map({ $0.last - $0.first }) ?? .zero {
                longest = span
            }
        }
        guard let longest, let rate = rate(from: longest.first, to: longest.last) else { return nil }
        return SteadyRate(ticksPerSecond: rate, seconds: (longest.last - longest.first) / .seconds(1))
    }

    /// Returns a note about the rates before and during a fault.
    static func comparison(before: SteadyRate?, during: SteadyRate?) -> String {
        let (first, second) = (before?.description ?? "not measured", during?.description ?? "not measured")
        let note = "ticks/s: \(first) before, \(second) meanwhile"
        return before == nil || during == nil ? note + " (the game had a backlog, or was not observed)" : note
    }
}

/// The growth of the nodes' memory while PostgreSQL is down.
struct OutageMemory: Sendable, CustomStringConvertible {
    /// The maximum growth of a node.
    ///
    /// Without PostgreSQL, requests are refused and pushes stay in the database, so a node has nothing to store.
    /// Waiting requests, and an allocator that returns no memory to the system, account for some MiB; an unbounded
    /// queue exceeds this limit.
    static let maxBytes = 64 << 20

    /// The node with the largest growth, from 0; nil without two samples of any node.
    let node: Int?
    let bytes: Int

    init(before: [Int: ChaosObserver.Memory], after: [Int: ChaosObserver.Memory]) {
        let largest = before.compactMap { number, memory in after[number].map { (number, $0.last - memory.last) } }.max
        { ($0.1, $1.0) < ($1.1, $0.0) }
        node = largest?.0
        bytes = largest?.1 ?? 0
    }

    var description: String { "memory of a node grew by at most \(Self.megabytes(bytes)) MB" }

    /// A sentence about growth beyond the limit.
    var complaint: String? {
        guard let node, bytes > Self.maxBytes else { return nil }
        return "node \(node + 1) grew by \(Self.megabytes(bytes)) MB while PostgreSQL was down; the limit is "
            + "\(Self.megabytes(Self.maxBytes)) MB"
    }

    private static func megabytes(_ bytes: Int) -> String { (Double(bytes) / 1_000_000).grouped() }
}
