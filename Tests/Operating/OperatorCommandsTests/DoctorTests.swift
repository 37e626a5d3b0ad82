import Foundation
import RangersClient
import TestSupport
import Testing

@testable import OperatorCommands

/// The local checks of `rangersctl doctor`, and its report.
@Suite struct DoctorTests {
    private func catalog(_ strings: String) -> Data { Data(#"{"sourceLanguage":"en","strings":\#(strings)}"#.utf8) }

    private func entry(_ key: String, _ texts: [String: String]) -> String {
        let localizations = texts.sorted { $0.key < $1.key }.map { language, text in
            #""\#(language)":{"stringUnit":{"state":"translated","value":"\#(text)"}}"#
        }
        return #""\#(key)":{"localizations":{\#(localizations.joined(separator: ","))}}"#
    }

    @Test func `the catalog of this release has all alert texts, and so does a copy in an app`() {
        let own = CatalogCheck.ownCatalog()
        #expect(own.status == .ok, "\(own.finding)")
        #expect(own.finding.hasSuffix("10 languages."))

        let file = ProjectFiles.root.appending(path: "Localization/Localizable.xcstrings")
        let app = CatalogCheck.appCatalog(at: file.path(percentEncoded: false))
        #expect(app == CheckResult("localisation (app)", .ok, own.finding))
    }

    @Test func `an unreadable catalog fails its check`() {
        let line = CatalogCheck.appCatalog(at: "/nowhere/Localizable.xcstrings")
        #expect(line.status == .failed && line.finding.contains("/nowhere/Localizable.xcstrings"))
        #expect(line.remedy?.contains("--localization") == true)
    }

    @Test func `a missing text and one with other arguments are reported`() {
        let keys = ["%1$@ found %2$@.", "%@ waits."]
        let whole = entry(keys[0], ["en": keys[0], "de": "%2$@ von %1$@."])
        func line(_ second: String) -> CheckResult { CatalogCheck.check(catalog("{\(whole),\(second)}"), for: keys) }
        #expect(line(entry(keys[1], ["en": keys[1], "de": "%@ wartet."])).status == .ok)
        let missing = line(entry(keys[1], ["en": keys[1]]))
        #expect(missing.status == .failed && missing.finding.contains(#""%@ waits." is missing in de"#))
        let other = line(entry(keys[1], ["en": keys[1], "de": "Man wartet."]))
        #expect(other.finding.contains(#""%@ waits." has other arguments in de"#))
        #expect(CatalogCheck.check(catalog("{}"), for: keys).status == .failed)
        #expect(CatalogCheck.check(Data("[]".utf8), for: keys).status == .failed)
    }

    @Test func `an unencrypted connection fails the check, except to this machine`() throws {
        func statuses(_ server: String) throws -> [CheckResult.Status] {
            CheckResult.connection(to: try #require(URL(string: server)), seconds: 0.01).map(\.status)
        }
        #expect(try statuses("http://127.0.0.1:8081") == [.ok, .ok])
        #expect(try statuses("https://rangers.example.com") == [.ok, .ok])
        #expect(try statuses("http://rangers.example.com") == [.ok, .failed])
    }

    @Test func `the duration of the request does not count as a clock difference`() {
        let server = Date(timeIntervalSince1970: 1_000)
        func status(_ before: TimeInterval, _ after: TimeInterval) -> CheckResult.Status {
            CheckResult.clock(
                server: server,
                before: server.addingTimeInterval(before),
                after: server.addingTimeInterval(after)
            ).status
        }
        #expect(status(0, 1) == .ok)
        #expect(status(-10, 20) == .ok)
        #expect(status(30, 31) == .failed)
        #expect(status(-31, -30) == .failed)
    }

    @Test func `a check has its name, status, finding and remedy`() {
        let report = DoctorReport([
            CheckResult("database", .ok, "It answers."),
            CheckResult("TLS", .failed, "In the clear.", remedy: "Serve by HTTPS."),
            CheckResult("APNs", .skipped, "Not here."),
        ])
        #expect(!report.healthy)
        #expect(
            report.lines(fitting: nil) == [
                "ok    database  It answers.", "FAIL  TLS       In the clear.",
                "                To do: Serve by HTTPS.",
                "–     APNs      Not here.",
            ]
        )
        #expect(DoctorReport([CheckResult("APNs", .skipped, "Not here.")]).healthy)
    }

    @Test func `an unavailable database is reported with the skipped checks and remedies`() throws {
        let url = try #require(URL(string: "https://rangers.example.com"))
        let type = "urn:emoji-rangers:problem:database-unavailable"
        let body = #"{"type":"\#(type)","title":"No database","detail":"Come again."}"#
        let error = OperatorClientError.problem(ServerProblem(status: 503, body: Data(body.utf8), request: ""))
        #expect(error.isServerReachable)
        let lines = CheckResult.failure(to: url, error) + CheckResult.skippedServerChecks(after: error)
        #expect(lines.map(\.name) == ["server", "TLS", "database", "dispatchers", "unsent changes", "APNs"])
        #expect(lines.map(\.status) == [.failed, .ok, .skipped, .skipped, .skipped, .skipped])
        #expect(lines[0].finding.hasSuffix("It reports: No database."))
        #expect(lines.filter { $0.status != .ok }.allSatisfy { $0.remedy != nil })

        let timeout = OperatorClientError.timedOut(url, after: .seconds(45))
        #expect(timeout.isServerReachable && timeout.isTransient && timeout.isOutcomeUnknown)
        #expect(CheckResult.failure(to: url, timeout)[0].finding.contains("rangersctl gave up after 45 s"))
    }

    @Test(arguments: [(401, "rangersd operator create"), (404, "--server"), (500, "log")])
    func `a rejected diagnosis has a remedy`(status: Int, remedy: String) throws {
        let url = try #require(URL(string: "https://rangers.example.com"))
        let error = OperatorClientError.problem(
            ServerProblem(status: status, body: Data(#"{"title":"No"}"#.utf8), request: "")
        )
        #expect(CheckResult.failure(to: url, error)[0].remedy?.contains(remedy) == true)
    }

    @Test func `the JSON has the same content`() throws {
        let report = DoctorReport([CheckResult("TLS", .failed, "In the clear.", remedy: "Serve by HTTPS.")])
        #expect(
            try report.sortedJSON
                == #"{"checks":[{"finding":"In the clear.","name":"TLS","remedy":"Serve by HTTPS.","status":"failed"}],"#
                + #""healthy":false}"#
        )
    }
}
