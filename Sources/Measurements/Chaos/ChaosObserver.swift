import GameCore
import Synchronization

/// Looks at the nodes while a run goes on: how fast they tick, and what memory they take.
final class ChaosObserver: Sendable {
    private static let pause = Duration.milliseconds(500)

    private struct State {
        /// By process: what it has ticked so far.
        var ticks: [Int32: Double] = [:]
        var samples: [(at: ContinuousClock.Instant, ticks: Double)] = []
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
            state.samples.append((.now, state.ticks.values.reduce(0, +)))
        }
    }

    /// Forgets what memory was, so that what comes is held against now.
    func beginMemory() { state.withLock { $0.memory = [:] } }

    /// What memory each node took, by number.
    var memory: [Int: Memory] { state.withLock(\.memory) }

    /// Ticks of all nodes in a second, from one moment to another; nil where too little was seen.
    func tickRate(from start: ContinuousClock.Instant, to end: ContinuousClock.Instant) -> Double? {
        let samples = state.withLock { $0.samples.filter { $0.at >= start && $0.at <= end } }
        guard let first = samples.first, let last = samples.last, last.at > first.at else { return nil }
        return (last.ticks - first.ticks) / ((last.at - first.at) / .seconds(1))
    }
}
