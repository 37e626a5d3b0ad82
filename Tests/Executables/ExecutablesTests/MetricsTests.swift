import Cryptography
import Foundation
import HTTP2Transport
import PrivatePostgres
import TestSupport
import Testing

/// The metrics of a real `rangersd`, and the alerts and dashboard that use them.
@Suite struct MetricsTests {
    private static let root = ProjectFiles.root

    private func withTemporaryFolder<Result>(_ test: (URL) async throws -> Result) async throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangersd tëst-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await test(folder)
    }

    private func curl(_ arguments: String...) async throws -> String {
        try await Executable.run(
            at: URL(filePath: "/usr/bin/curl"),
            ["--noproxy", "*", "--silent", "--show-error", "--max-time", "60"] + arguments,
            environment: [:]
        ).output
    }

    /// Runs a test with a node of all roles whose APNs is unreachable.
    private func serving(_ body: (_ folder: URL, _ http: Int, _ metrics: Int) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let (key, authority) = (folder.appending(path: "key.p8"), folder.appending(path: "ca.pem"))
            try P256PrivateKey.generate().pem.write(to: key, atomically: true, encoding: .utf8)
            try CertificateAuthority(name: "Test authority").certificatePEM
                .write(to: authority, atomically: true, encoding: .utf8)
            let ready = folder.appending(path: "ready.json")
            let server = try RunningExecutable(
                "rangersd",
                ["serve", "--log-format", "json", "--ready-file", ready.path(percentEncoded: false)],
                environment: [
                    "RANGERS_DATABASE_URL": try await TestDatabases.make(),
                    "RANGERS_HTTP_PORT": "0", "RANGERS_METRICS_PORT": "0",
                    "RANGERS_APNS_ENVIRONMENT": "simulator", "RANGERS_APNS_PORT": "1",
                    "RANGERS_APNS_CA_FILE": authority.path(percentEncoded: false),
                    "RANGERS_APNS_KEY_FILE": key.path(percentEncoded: false), "RANGERS_APNS_KEY_ID": "ABC123DEFG",
                    "RANGERS_APNS_TEAM_ID": "DEF123GHIJ", "RANGERS_APNS_BUNDLE_ID": "com.example.rangers",
                ]
            )
            try #require(await server.prints(#""message":"rangersd is serving""#))
            let ports = try JSONDecoder().decode([String: Int].self, from: Data(contentsOf: ready))
            try await body(folder, try #require(ports["httpPort"]), try #require(ports["metricsPort"]))
            #expect(await server.stop() == 0)
        }
    }

    private func promtool(_ arguments: String..., reading file: URL? = nil) async throws -> ProcessResult {
        try await Executable.run(
            at: URL(filePath: "/bin/sh"),
            [
                "-c", #"input=$1 && shift && exec promtool "$@" <"$input""#, "sh",
                file?.path(percentEncoded: false) ?? "/dev/null",
            ] + arguments,
            environment: ["PATH": "/usr/bin:/bin"]
        )
    }

    /// Returns the names of metrics in a text, without the suffixes of histograms.
    private func metricNames(in text: String) -> Set<String> {
        Set(
            text.matches(of: /\b(?:rangers|process)_[a-z0-9_]+/).map { match in
                String(match.output.replacing(/_(?:bucket|sum|count)$/, with: ""))
            }
        )
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    }

    @Test func `metrics have Prometheus' format and are those of documentation, alerts and dashboard`() async throws {
        try await serving { folder, http, metrics in
            #expect(try await curl("http://127.0.0.1:\(http)/metrics").contains("unknown-route"))
            _ = try await curl("http://127.0.0.1:\(http)/v1/heroes")
            _ = try await curl("http://127.0.0.1:\(http)/v1/players/me")
            var scrape = try await curl("http://127.0.0.1:\(metrics)/metrics")
            // Metrics of the database appear after a delay, because a scrape does not wait for the database.
            while !scrape.contains("\nrangers_live_activities 0\n") {
                scrape = try await curl("http://127.0.0.1:\(metrics)/metrics")
            }
            let file = folder.appending(path: "metrics.txt")
            try scrape.write(to: file, atomically: true, encoding: .utf8)
            let check = try await promtool("check", "metrics", reading: file)
            #expect(check.status == 0, "\(check.output)\(check.errors)")

            for line in [
                #"rangers_http_requests_total{method="GET",route="/v1/heroes",status="401"} 1"#,
                #"rangers_http_requests_total{method="GET",route="/v1/players/me",status="401"} 1"#,
                #"rangers_http_requests_total{method="GET",route="NotFound",status="404"} 1"#,
                #"rangers_http_request_duration_seconds_count{method="GET",route="/v1/heroes"} 1"#,
                #"rangers_database_up 1"#,
                #"rangers_postgres_connections_max{pool="requests"} 10"#,
                #"rangers_apns_connections{environment="simulator",state="open"} 0"#,
                #"rangers_apns_route_stopped{environment="simulator",topic="liveActivities"} 0"#,
            ] {
                #expect(scrape.contains("\n\(line)\n"), "\(line)")
            }
            let kind = try await curl("--head", "http://127.0.0.1:\(metrics)/metrics").lowercased()
            #expect(kind.contains("content-type: text/plain; version=0.0.4"))
            #expect(try await curl("http://127.0.0.1:\(metrics)/healthz") == "ok\n")

            let exported = Set(scrape.matches(of: #/(?m)^# TYPE ([a-z0-9_]+) /#).map { String($0.output.1) })
            let documented = Set(
                try text(of: "docs/metrics.md").matches(of: #/(?m)^\| `([a-z0-9_]+)` \|/#).map { String($0.output.1) }
            )
            #expect(exported.subtracting(documented).isEmpty)
            #expect(documented.subtracting(exported).isEmpty)
            for path in ["deploy/prometheus/alerts.yaml", "deploy/grafana/emoji-rangers-parties.json"] {
                let used = metricNames(in: try text(of: path))
                #expect(used.count > 10 && used.subtracting(exported).isEmpty, "\(path)")
            }
        }
    }

    @Test func `the alerts are valid, tested, and have runbooks`() async throws {
        let folder = Self.root.appending(path: "deploy/prometheus")
        for (arguments, file) in [(["check", "rules"], "alerts.yaml"), (["test", "rules"], "alerts_test.yaml")] {
            let path = folder.appending(path: file).path(percentEncoded: false)
            let result = try await promtool(arguments[0], arguments[1], path)
            #expect(result.status == 0, "\(result.output)\(result.errors)")
        }
        let rules = try text(of: "deploy/prometheus/alerts.yaml")
        let tested = try text(of: "deploy/prometheus/alerts_test.yaml")
        let alerts = rules.split(separator: "- alert: ").dropFirst()
        #expect(alerts.count > 15)
        for alert in alerts {
            let name = alert.prefix { !$0.isNewline }
            #expect(alert.contains("summary: ") && alert.contains("runbook: "), "\(name)")
            #expect(alert.contains(/severity: (page|ticket)/), "\(name)")
            #expect(tested.contains("alertname=\"\(name)\""), "\(name) has no test")
        }
        let explained = try text(of: "docs/running.md").matches(of: #/(?m)^\| `(Rangers[A-Za-z]+)` \|/#)
        #expect(explained.map { String($0.output.1) } == alerts.map { String($0.prefix { !$0.isNewline }) })
    }

    @Test func `the dashboard's queries are valid, and its panels have descriptions and units`() async throws {
        struct Dashboard: Decodable {
            struct Panel: Decodable {
                struct Target: Decodable {
                    let expr: String
                }
                struct Thresholds: Decodable {}
                struct Defaults: Decodable {
                    let unit: String?
                    let thresholds: Thresholds?
                }
                struct FieldConfig: Decodable {
                    let defaults: Defaults
                }
                let type: String
                let title: String
                let description: String?
                let fieldConfig: FieldConfig?
                let targets: [Target]?
            }
            let title: String
            let uid: String
            let panels: [Panel]
        }
        let json = Data(try text(of: "deploy/grafana/emoji-rangers-parties.json").utf8)
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: json)
        for panel in dashboard.panels where panel.type != "row" {
            #expect(panel.description?.hasSuffix(".") == true, "\(panel.title) has no description")
            #expect(panel.fieldConfig?.defaults.unit != nil, "\(panel.title) has no unit")
            // Grafana colours a number without thresholds red from 80 on.
            #expect(panel.type != "stat" || panel.fieldConfig?.defaults.thresholds != nil, "\(panel.title) has none")
        }
        let questions = dashboard.panels.flatMap { $0.targets ?? [] }.map {
            $0.expr.replacing("$__rate_interval", with: "5m")
        }
        #expect(questions.count > 30)
        // The expressions become recording rules, which promtool can check.
        var rules = "groups:\n  - name: dashboard\n    rules:\n"
        for (index, question) in questions.enumerated() {
            let quoted = question.replacing("'", with: "''")
            rules += "      - {record: 'panel:number_\(index)', expr: '\(quoted)'}\n"
        }
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "panels.yaml")
            try rules.write(to: file, atomically: true, encoding: .utf8)
            let result = try await promtool("check", "rules", file.path(percentEncoded: false))
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test func `a port in use prevents the start and is reported with its setting`() async throws {
        try await serving { _, _, metrics in
            let result = try await Executable.run(
                "rangersd",
                ["serve", "--role", "engine"],
                environment: [
                    "RANGERS_DATABASE_URL": try await TestDatabases.make(), "RANGERS_METRICS_PORT": "\(metrics)",
                ]
            )
            #expect(result.status == 1)
            let reason = "cannot listen on 127.0.0.1:\(metrics): the port is in use"
            #expect(result.errors.contains(reason) && result.errors.contains("RANGERS_METRICS_PORT"))
        }
    }
}
