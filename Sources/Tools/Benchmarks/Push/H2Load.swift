import Foundation
import HTTP2Transport

/// `h2load` of the nghttp2 project, the reference for our client.
struct H2Load {
    private static let program = "h2load"

    let server: PushServer
    let streams: Int
    private let folder: TemporaryFolder

    /// Writes the input files of h2load.
    init(server: PushServer, streams: Int, folder: TemporaryFolder) throws {
        self.server = server
        self.streams = streams
        self.folder = folder
        let urls = PushLoad.paths.map { server.url + $0 }.joined(separator: "\n")
        try urls.write(toFile: folder.path("urls"), atomically: true, encoding: .utf8)
        try Data(PushLoad.body).write(to: folder.url.appending(path: "body"))
    }

    /// Checks that h2load is installed.
    /// - Throws: ``BenchmarkFailure`` when it is not.
    static func require() throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }) else {
            throw BenchmarkFailure("\(program) is not installed; on Debian: sudo apt-get install --yes nghttp2-client")
        }
    }

    /// Measures one run, without the CPU time of a run with one push, which is the cost of starting.
    func measure(pushes: Int, core: Int) async throws -> PushMeasurement {
        let start = try await run(pushes: 1, core: core)
        let whole = try await run(pushes: pushes, core: core)
        let cpuSeconds = max(whole.cpuSeconds - start.cpuSeconds, 0)
        return PushMeasurement(pushes: pushes, seconds: whole.seconds, cpuSeconds: cpuSeconds)
    }

    private func run(pushes: Int, core: Int) async throws -> (seconds: Double, cpuSeconds: Double) {
        let cpu = ProcessUsage.exitedChildrenCPUSeconds
        let headers = (PushLoad.sharedHeaders + PushLoad.ownHeaders).flatMap {
            ["--header", "\($0.name): \($0.value)"]
        }
        let arguments = [
            "--requests", String(pushes), "--clients", "1", "--threads", "1", "--max-concurrent-streams",
            String(streams), "--input-file", folder.path("urls"), "--data", folder.path("body"),
        ]
        let process = try ChildProgram(Self.program, arguments + headers, core: core, in: folder)
        let text = try await process.finish(within: PushBenchmark.maxRun)
        guard let seconds = Self.seconds(from: text, pushes: pushes) else {
            throw BenchmarkFailure("\(Self.program) did not get 200 for each push:\n\(text)")
        }
        return (seconds, ProcessUsage.exitedChildrenCPUSeconds - cpu)
    }

    /// Returns the time in a report of h2load; nil unless every push was answered with 200.
    ///
    /// The report has lines such as `finished in 1.31s, 228912.55 req/s, 12.66MB/s` (or `ms`, or `us`) and
    /// `status codes: 300000 2xx, 0 3xx, 0 4xx, 0 5xx`.
    static func seconds(from report: String, pushes: Int) -> Double? {
        guard report.contains("status codes: \(pushes) 2xx,"),
            let match = report.firstMatch(of: /finished in ([0-9.]+)(us|ms|s),/), let number = Double(match.1)
        else { return nil }
        switch match.2 {
        case "us": return number / 1_000_000
        case "ms": return number / 1_000
        default: return number
        }
    }
}
