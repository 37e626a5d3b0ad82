import Synchronization

/// Observes the moved clocks and the memory of the nodes during a run.
final class ChaosObserver: Sendable {
    private static let pause = Duration.milliseconds(500)

    private struct State {
        /// The clocks moved by each process.
        var clockMoves: [Int32: Double] = [:]
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

    /// Samples all nodes once.
    func sample() async {
        for node in nodes {
            guard let sample = await node.sample() else { continue }
            state.withLock { state in
                state.clockMoves[sample.process] = sample.clockMoves
                let bytes = sample.residentBytes
                var memory = state.memory[node.number] ?? Memory(first: bytes, highest: bytes, last: bytes)
                memory.highest = max(memory.highest, bytes)
                memory.last = bytes
                state.memory[node.number] = memory
            }
        }
    }

    /// Forgets the memory so far.
    func resetMemory() { state.withLock { $0.memory = [:] } }

    /// The memory by node.
    var memory: [Int: Memory] { state.withLock(\.memory) }

    /// The clocks moved by all processes so far.
    var clockMoves: Double { state.withLock(\.clockMoves).values.reduce(0, +) }
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
    var problem: String? {
        guard let node, bytes > Self.maxBytes else { return nil }
        return "node \(node + 1) grew by \(Self.megabytes(bytes)) MB while PostgreSQL was down; the limit is "
            + "\(Self.megabytes(Self.maxBytes)) MB"
    }

    private static func megabytes(_ bytes: Int) -> String { (Double(bytes) / 1_000_000).grouped() }
}
