import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A node's own metrics about its work.
struct NodeStatistics {
    /// Clocks of shards that the node moved.
    var clockMoves = 0
    var pushes = 0
    var shards = 0

    static func read(from server: TestDeployment.Server) async throws -> NodeStatistics {
        let port = try #require(server.metricsPort)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
        let (data, _) = try await URLSession.shared.data(from: url)
        let text = String(decoding: data, as: UTF8.self)
        func sum(_ metric: String, where condition: (Substring) -> Bool = { _ in true }) -> Int {
            text.split(separator: "\n").filter { $0.hasPrefix("\(metric){") || $0.hasPrefix("\(metric) ") }
                .filter(condition).compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                .reduce(0) { $0 + Int($1) }
        }
        return NodeStatistics(
            clockMoves: sum("rangers_clock_move_duration_seconds_count"),
            pushes: sum("rangers_pushes_total") { $0.contains(#"status="200""#) },
            shards: sum("rangers_dispatcher_shards_leased")
        )
    }

    /// Waits until the clock moves and pushes of each node have grown.
    static func eachGrows(_ nodes: [TestDeployment.Server], since: [NodeStatistics]) async throws {
        try await grows(\.clockMoves, of: nodes, since: since)
        try await grows(\.pushes, of: nodes, since: since)
    }

    /// Waits until a figure of each node has grown.
    static func grows(
        _ figure: KeyPath<NodeStatistics, Int>,
        of nodes: [TestDeployment.Server],
        since: [NodeStatistics]
    ) async throws {
        for (node, before) in zip(nodes, since) {
            _ = try await eventually("growing metrics of a node") {
                try await read(from: node)[keyPath: figure] > before[keyPath: figure] ? true : nil
            }
        }
    }

    /// Waits until the nodes' dispatchers lease these numbers of shards, in ascending order.
    static func shares(_ expected: [Int], of nodes: [TestDeployment.Server]) async throws {
        _ = try await eventually("shares of \(expected)") {
            var shares: [Int] = []
            for node in nodes { shares.append(try await read(from: node).shards) }
            return shares.sorted() == expected ? true : nil
        }
    }
}
