import Foundation
import Testing

@Suite(.timeLimit(.minutes(3)))
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

    @Test func `the API is measured beside HTTP and SQL`() async throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let ending = try await Executable.run(
            "rangers-bench",
            ["api", "--requests", "10", "--json"],
            environment: ["PATH": path]
        )
        try #require(ending.status == 0, "\(ending.errors)")
        let report = try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8))
        #expect(report.rows.map(\.request) == ["register", "join", "state", "command"])
        for row in report.rows {
            #expect(row.perSecond > 0 && row.ratioToLimit > 0)
            #expect(row.p50Milliseconds > 0 && row.p99Milliseconds >= row.p50Milliseconds)
        }
    }
}
