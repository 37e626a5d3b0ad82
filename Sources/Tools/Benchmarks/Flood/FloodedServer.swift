import Floods

/// A server that is flooded, with its honest client.
struct FloodedServer: Sendable {
    let name: String
    let probe: HonestProbe
    let port: Int
    /// Whether the server is for clients that it does not know.
    let isPublic: Bool

    /// Runs a flood over and over on four connections, for a time.
    func runs(_ flood: Flood, for length: Duration, maxFrames: Int, limit: Duration) async throws -> [FloodRun] {
        let end = ContinuousClock.now + length
        return try await withThrowingTaskGroup(of: [FloodRun].self) { tasks in
            for _ in 0..<4 {
                tasks.addTask {
                    var runs: [FloodRun] = []
                    repeat {
                        runs.append(try await FloodRun.run(flood, port: port, maxFrames: maxFrames, limit: limit))
                    } while ContinuousClock.now < end
                    return runs
                }
            }
            return try await tasks.reduce(into: []) { $0 += $1 }
        }
    }

    /// Runs a flood that only waits, on one connection.
    func silent(_ flood: Flood, limit: Duration) async throws -> FloodResult {
        let run = try await FloodRun.run(flood, port: port, maxFrames: 0, limit: limit)
        return FloodResult(server: self, flood: flood, runs: [run], latencies: nil)
    }
}

/// What a flood did to a server and to the honest client beside it.
struct FloodResult: Sendable {
    let server: FloodedServer
    /// The flood; nil for the time before the first one.
    let flood: Flood?
    let runs: [FloodRun]
    /// The latencies of the honest client; nil where it was not measured.
    let latencies: [Duration]?

    var name: String { flood?.rawValue ?? "(none)" }

    /// Whether the server ended the flood, or needs not: its own clients are trusted to that extent.
    var isHeld: Bool {
        runs.allSatisfy { run in
            switch run.end {
            case .cut, .streamsReset: true
            case .open: isBounded
            }
        }
    }

    /// Whether what the flood holds is bounded by the limits of connections and streams, and no timeout is promised.
    private var isBounded: Bool { !server.isPublic && flood?.isSilent == true }

    private var end: String {
        guard let run = runs.first else { return "-" }
        return switch run.end {
        case .cut(nil): "cut"
        case .cut(let code?): "cut, error code \(code)"
        case .streamsReset: "streams reset"
        case .open: isBounded ? "bounded: open" : "NOT HELD"
        }
    }

    var row: Report.Row {
        let sorted = runs.sorted { $0.duration < $1.duration }
        let middle = sorted.isEmpty ? nil : sorted[sorted.count / 2]
        func milliseconds(_ percent: Int) -> Double? {
            guard let latencies, !latencies.isEmpty else { return nil }
            return latencies.percentile(percent) / .milliseconds(1)
        }
        return [
            .text("server", "SERVER", server.name),
            .text("flood", "FLOOD", name),
            .count("connections", "CONNECTIONS", runs.isEmpty ? nil : runs.count),
            .text("end", "END", end),
            .count("frames", "FRAMES", middle?.frames),
            .number("milliseconds", "AFTER MS", middle.map { $0.duration / .milliseconds(1) }),
            .number("p50Milliseconds", "P50 MS", milliseconds(50), digits: 2),
            .number("p99Milliseconds", "P99 MS", milliseconds(99), digits: 2),
        ]
    }
}
