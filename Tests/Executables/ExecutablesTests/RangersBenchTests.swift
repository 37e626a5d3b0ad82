import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct RangersBenchTests {
    private struct Report: Decodable {
        struct Row: Decodable {
            let request: String
            let perSecond: Double
            let p50Milliseconds: Double
            let p99Milliseconds: Double
            let ratioToLimit: Double
        }

        let rows: [Row]
    }

    @Test func `the API is measured and compared with HTTP and SQL alone`() async throws {
        let report: Report = try await report("api", "--requests", "10")
        #expect(report.rows.map(\.request) == ["register", "join", "state", "command"])
        for row in report.rows {
            #expect(row.perSecond > 0 && row.ratioToLimit > 0)
            #expect(row.p50Milliseconds > 0 && row.p99Milliseconds >= row.p50Milliseconds)
        }
    }

    private struct Ticks: Decodable {
        struct Row: Decodable {
            let ticksPerSecond: Double
            let endsPerSecond: Double
            let walBytesPerTick: Double
            let plainInsertRowsPerSecond: Double
        }

        struct Statement: Decodable {
            let statement: String
        }

        let parties: Int
        let ticksPerSecond: Double
        let takeoverMilliseconds: Double
        let rows: [Row]
        let statements: [Statement]
    }

    @Test func `ticks are counted as a follower derives them, beside plain inserts`() async throws {
        let report: Ticks = try await report("ticks", "--parties", "1000")
        #expect(report.parties == 1_000 && report.rows.count == 5 && report.takeoverMilliseconds > 0)
        for row in report.rows {
            #expect(row.ticksPerSecond > 0 && row.walBytesPerTick > 0 && row.plainInsertRowsPerSecond > 0)
        }
        #expect(report.rows.map(\.ticksPerSecond).sorted()[2] == report.ticksPerSecond)
        #expect(report.rows.contains { $0.endsPerSecond > 0 })
        #expect(report.statements.contains { $0.statement.hasPrefix("UPDATE adventures") })
    }

    private struct Pipeline: Decodable {
        struct Row: Decodable {
            let ticksPerSecond: Double
            let pushesPerSecond: Double
            let rejectedPushes: Int
            let p99Milliseconds: Double
        }

        let parties: Int
        let p50Milliseconds: Double
        let p99Milliseconds: Double
        let pushesPerSecond: Double
        let rows: [Row]
    }

    @Test func `pushes are timed from their tick to the simulator's response`() async throws {
        // The last run is ten times as fast: its adventures must not end before a busy machine measures them.
        let report: Pipeline = try await report("pipeline", "--parties", "20", "--interval", "10", "--seconds", "5")
        #expect(report.rows.count == 2)
        #expect(report.parties == 20 && report.pushesPerSecond == report.rows[0].pushesPerSecond)
        #expect(report.p50Milliseconds > 0 && report.p99Milliseconds == report.rows[0].p99Milliseconds)
        for row in report.rows {
            #expect(row.ticksPerSecond > 0 && row.pushesPerSecond > 0 && row.p99Milliseconds > 0)
            // On a busy machine, a push may be too late for its lease, and is sent again.
            #expect(row.rejectedPushes == 0)
        }
    }

    private struct Memory: Decodable {
        struct Sample: Decodable {
            let pushes: Int
            let manyBytes: Int
            let bytesPerActivity: Double
        }

        let bytesPerActivity: Double
        let many: Int
        let samples: [Sample]
    }

    @Test func `a dispatcher's memory is measured while it pushes`() async throws {
        let report: Memory = try await report("memory", "--activities", "4000", "--seconds", "5")
        #expect(report.many == 4_000 && report.samples.count == 7)
        #expect(report.samples.allSatisfy { $0.manyBytes > 1_000_000 })
        #expect(report.bytesPerActivity == report.samples[6].bytesPerActivity)
        #expect(report.samples[0].pushes == 0 && report.samples[6].pushes > 0)
    }

    @Test func `its child processes end when it is killed`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bench tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let bench = try RunningExecutable(
            "rangers-bench",
            ["soak", "--parties", "1", "--minutes", "2", "--every", "15"],
            environment: ["PATH": path, "TMPDIR": folder.path(percentEncoded: false)]
        )
        // All child processes run at the first sample.
        try #require(await bench.prints("rangersd 1 memory"))
        let children = try Self.processes { $0.parent == bench.pid }
        let clusters = Set(children.flatMap { $0.command.matches(of: #/\/tmp\/rangers-pg-\w+/#).map(\.output) })
        let cluster = String(try #require(clusters.first))
        let servers = try Self.processes { $0.command.contains(cluster + "/data") }
        for name in ["rangersd", "apns-simulator"] { #expect(children.contains { $0.command.contains(name) }) }
        try #require(clusters.count == 1 && !servers.isEmpty)

        kill(bench.pid, SIGKILL)
        for process in children + servers {
            // `tail --pid` waits for the end of a process that is not a child of this one.
            let result = try await Executable.run(
                at: URL(filePath: "/usr/bin/tail"),
                ["--pid=\(process.identifier)", "--follow", "/dev/null"],
                environment: [:]
            )
            #expect(result.status == 0)
        }
        #expect(!FileManager.default.fileExists(atPath: cluster))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        #expect(!left.contains { $0.hasPrefix("rangers-bench") })
    }

    private struct RunningProcess {
        let identifier: Int32
        let parent: Int32
        let command: String
    }

    /// Returns the matching processes of this machine.
    private static func processes(where isMeant: (RunningProcess) -> Bool) throws -> [RunningProcess] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.compactMap { identifier in
            // The process may have ended in the meantime.
            guard let status = try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8),
                let command = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline"),
                let parent = status.firstMatch(of: #/PPid:\s+(\d+)/#).flatMap({ Int32($0.output.1) })
            else { return nil }
            return RunningProcess(
                identifier: identifier,
                parent: parent,
                command: String(decoding: command, as: UTF8.self)
            )
        }
        .filter(isMeant)
    }

    private var path: String { ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin" }

    /// Returns the JSON output of a command.
    private func report<Report: Decodable>(_ arguments: String...) async throws -> Report {
        let result = try await Executable.run("rangers-bench", arguments + ["--json"], environment: ["PATH": path])
        try #require(result.status == 0, "\(result.errors)")
        return try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    }
}
