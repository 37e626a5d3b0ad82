import ArgumentParser
import Floods
import Foundation

/// `rangers-bench flood`: hostile HTTP/2 clients beside an honest one.
struct FloodBenchmark: Benchmark {
    static let configuration = CommandConfiguration(
        commandName: "flood",
        abstract: "Floods servers on this machine over HTTP/2, and measures an honest client beside each flood.",
        discussion: """
            Each flood runs over four connections at a time, which are made anew when the server cuts them, for \
            \(Int(length / .seconds(1))) second; those that only wait run beside all others. A flood is held if the \
            server cuts it, or, where the table says so, if what it can hold is bounded. The limits of count and time \
            are fixed. `deploy/flood` starts the servers.

            JSON: {rows: [{server, flood, connections, end, frames, milliseconds, p50Milliseconds, p99Milliseconds}]}; \
            frames and milliseconds are medians until the end, and the latencies are those of the honest client.

            Exit status: 0 all floods were held, 1 one was not or the honest client failed, 2 wrong usage.
            """
    )
    /// The time for each flood.
    private static let length = Duration.seconds(1)
    /// The number of frames of one connection.
    private static let maxFrames = 100_000
    /// The time for a connection that should be cut at once, and for one that waits for a timeout of the server.
    private static let (limit, silentLimit) = (Duration.seconds(10), Duration.seconds(40))

    @Option(help: ArgumentHelp("The port of rangersd's API with TLS.", valueName: "port")) var apiPort: Int
    @Option(help: ArgumentHelp("The port of the simulator's APNs endpoint.", valueName: "port")) var simulatorPort: Int

    @OptionGroup var options: ReportOptions

    func validate() throws {
        try Self.check("--api-port", apiPort, in: 1...65_535)
        try Self.check("--simulator-port", simulatorPort, in: 1...65_535)
    }

    func measure() async throws -> Report {
        let servers = [
            FloodedServer(
                name: "API",
                probe: HonestProbe(port: apiPort, path: "/healthz"),
                port: apiPort,
                isPublic: true
            ),
            FloodedServer(
                name: "simulator",
                probe: HonestProbe(port: simulatorPort, path: "/"),
                port: simulatorPort,
                isPublic: false
            ),
        ]
        let results = try await withThrowingTaskGroup(of: [FloodResult].self) { tasks in
            for server in servers {
                tasks.addTask {
                    try await server.probe.run()
                    return []
                }
                for flood in Flood.allCases where flood.isSilent {
                    tasks.addTask { [try await server.silent(flood, limit: Self.silentLimit)] }
                }
            }
            tasks.addTask { try await Self.loud(servers) }
            var results: [FloodResult] = []
            var remaining = 1 + servers.count * Flood.allCases.count { $0.isSilent }
            while remaining > 0, let result = try await tasks.next() {
                results += result
                remaining -= 1
            }
            tasks.cancelAll()
            return results
        }
        return Self.report(results)
    }

    private static func loud(_ servers: [FloodedServer]) async throws -> [FloodResult] {
        var results: [FloodResult] = []
        for server in servers {
            // The latencies without a flood; the silent ones have begun.
            try await Task.sleep(for: length)
            _ = server.probe.take()
            try await Task.sleep(for: length * 2)
            results.append(FloodResult(server: server, flood: nil, runs: [], latencies: server.probe.take()))
            for flood in Flood.allCases where !flood.isSilent {
                _ = server.probe.take()
                let runs = try await server.runs(flood, for: length, maxFrames: maxFrames, limit: limit)
                results.append(FloodResult(server: server, flood: flood, runs: runs, latencies: server.probe.take()))
            }
        }
        return results
    }

    private static func report(_ results: [FloodResult]) -> Report {
        var report = Report()
        report.add(results.map(\.row), as: "rows")
        for result in results where !result.isHeld {
            report.fail("\(result.server.name): the flood \"\(result.flood?.rawValue ?? "")\" was not held.")
        }
        for result in results where result.latencies?.isEmpty ?? false {
            report.fail("\(result.server.name): the honest client had no response during \(result.name).")
        }
        return report
    }
}
