import Foundation
import Synchronization

/// Where the nodes with an API are, handed out in turn as a load balancer without health checks would: who is sent to a node
/// that is away tries again, and meets another.
final class NodeAddresses: Sendable {
    private struct State {
        var ports: [Int: Int] = [:]
        var turn = 0
    }

    private let state = Mutex(State())

    /// Sets where a node is; it stays there until it is somewhere else.
    func set(_ port: Int, of node: Int) {
        state.withLock { $0.ports[node] = port }
    }

    /// The port of the node whose turn it is; nil before there is one.
    func next() -> Int? {
        state.withLock { state in
            let ports = state.ports.sorted { $0.key < $1.key }
            guard !ports.isEmpty else { return nil }
            state.turn += 1
            return ports[state.turn % ports.count].value
        }
    }
}
