import Encodings
import GameCore
import GameStore
import ServiceRuntime
import Synchronization

/// Looks at the nodes while a run goes on: how fast they tick, and what memory they take.
final class ChaosObserver: Sendable {
    private static let pause = Duration.milliseconds(500)
    /// Engines look ten times in this: what waits for longer is behind.
    private static let lag = Duration.seconds(1)

    private struct State {
        /// By process: what it has ticked so far.
        var ticks: [Int32: Double] = [:]
        var series = TickSeries()
        var memory: [Int: Memory] = [:]
    }

    /// Resident bytes of a node, over all processes that it was.
    struct Memory: Sendable, Hashable {
        let first: Int
        var highest: Int
        var last: Int
    }

    private let nodes: [ChaosNode]
    private let state = Mutex(State())

    init(_ nodes: [ChaosNode]) {
        self.nodes = nodes
    }

    /// Looks until the task is cancelled.
    func watch() async {
        while !Task.isCancelled {
            await look()
            await Wait.betweenLooks(Self.pause)
        }
    }

    /// Looks until the task is cancelled whether the game is behind; a database that is away says nothing of it.
    /// - Parameters:
    ///   - store: past all nodes.
    ///   - interval: between two ticks of a journey.
    func watchDue(in store: GameStore, interval: Duration) async {
        while !Task.isCancelled {
            let now = ContinuousClock.now
            let moment = Runtime.system.now() - Self.lag
            // A database that is away says nothing; a window without a note reads "not measured".
            if let shards = try? await store.shardsDue(at: moment, every: interval) {
                state.withLock { $0.series.note(isBehind: !shards.isEmpty, at: now) }
            }
            await Wait.betweenLooks(Self.pause)
        }
    }

    /// Looks once.
    func look() async {
        for node in nodes {
            guard let reading = await node.read() else { continue }
            state.withLock { state in
                state.ticks[reading.process] = reading.ticks
                let bytes = reading.residentBytes
                var memory =
                    state.memory[node.number] ?? Memory(first: bytes, highest: bytes, last: bytes)
                memory.highest = max(memory.highest, bytes)
                memory.last = bytes
                state.memory[node.number] = memory
            }
        }
        state.withLock { state in
            state.series.note(ticks: state.ticks.values.reduce(0, +), at: .now)
        }
    }

    /// Forgets what memory was, so that what comes is held against now.
    func beginMemory() { state.withLock { $0.memory = [:] } }

    /// What memory each node took, by number.
    var memory: [Int: Memory] { state.withLock(\.memory) }

    /// What was seen of ticks so far.
    var series: TickSeries { state.withLock(\.series) }

    /// Ticks of all nodes in a second, from one moment to another; nil where too little was seen.
    func tickRate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double? {
        series.rate(from: start, to: end)
    }
}
