import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What a node says of its own work.
struct NodeWork {
    var ticks = 0
    var pushes = 0
    var shards = 0

    static func read(from server: World.Server) async throws -> NodeWork {
        let port = try #require(server.metricsPort)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/metrics"))
        let (data, _) = try await URLSession.shared.data(from: url)
        let text = String(decoding: data, as: UTF8.self)
        func sum(_ metric: String, where condition: (Substring) -> Bool = { _ in true }) -> Int {
            text.split(separator: "\n").filter { $0.hasPrefix("\(metric){") || $0.hasPrefix("\(metric) ") }
                .filter(condition).compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                .reduce(0) { $0 + Int($1) }
        }
        return NodeWork(
            ticks: sum("rangers_ticks_total"),
            pushes: sum("rangers_pushes_total") { $0.contains(#"status="200""#) },
            shards: sum("rangers_dispatcher_shards_leased")
        )
    }

    /// Waits until each node has ticked and pushed more than before.
    static func eachGrows(_ nodes: [World.Server], since: [NodeWork]) async throws {
        try await grows(\.ticks, of: nodes, since: since)
        try await grows(\.pushes, of: nodes, since: since)
    }

    /// Waits until each node has more of something than before.
    static func grows(_ figure: KeyPath<NodeWork, Int>, of nodes: [World.Server], since: [NodeWork]) async throws {
        for (node, before) in zip(nodes, since) {
            _ = try await eventually("work of a node") {
                try await read(from: node)[keyPath: figure] > before[keyPath: figure] ? true : nil
            }
        }
    }

    /// Waits until the nodes have these numbers of shards to send for, the least first.
    static func shares(_ expected: [Int], of nodes: [World.Server]) async throws {
        _ = try await eventually("shares of \(expected)") {
            var shares: [Int] = []
            for node in nodes { shares.append(try await read(from: node).shards) }
            return shares.sorted() == expected ? true : nil
        }
    }
}
