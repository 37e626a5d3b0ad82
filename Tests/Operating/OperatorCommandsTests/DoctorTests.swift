import Foundation
import Testing

@testable import OperatorCommands

/// What `rangersctl doctor` finds by itself, and how it tells everything.
@Suite struct DoctorTests {
    private static let url = URL(filePath: #filePath)

    private func catalog(_ strings: String) -> Data { Data(#"{"sourceLanguage":"en","strings":\#(strings)}"#.utf8) }

    private func entry(_ key: String, _ texts: [String: String]) -> String {
        let localizations = texts.sorted { $0.key < $1.key }.map { language, text in
            #""\#(language)":{"stringUnit":{"state":"translated","value":"\#(text)"}}"#
        }
        return #""\#(key)":{"localizations":{\#(localizations.joined(separator: ","))}}"#
    }

    @Test func `the catalog of this release has every sentence, and an app may have the same`() {
        let own = CatalogCheck.ownCatalog()
        #expect(own.status == .ok, "\(own.finding)")
        #expect(own.finding.hasSuffix("10 languages."))

        let file = Self.url.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Localization/Localizable.xcstrings")
        let app = CatalogCheck.appsCatalog(in: file.path(percentEncoded: false))
        #expect(app == DoctorLine("localisation (app)", .ok, own.finding))
    }

    @Test func `a catalog that cannot be read is one line that says so`() {
        let line = CatalogCheck.appsCatalog(in: "/nowhere/Localizable.xcstrings")
        #expect(line.status == .failed && line.finding.contains("/nowhere/Localizable.xcstrings"))
        #expect(line.remedy?.contains("--localization") == true)
    }

    @Test func `a sentence that is missing, or takes other arguments, is named`() {
        let keys = ["%1$@ found %2$@.", "%@ waits."]
        let whole = entry(keys[0], ["en": keys[0], "de": "%2$@ von %1$@."])
        func line(_ second: String) -> DoctorLine { CatalogCheck.check(catalog("{\(whole),\(second)}"), needing: keys) }
        #expect(line(entry(keys[1], ["en": keys[1], "de": "%@ wartet."])).status == .ok)
        let missing = line(entry(keys[1], ["en": keys[1]]))
        #expect(missing.status == .failed && missing.finding.contains(#""%@ waits." is missing in de"#))
        let other = line(entry(keys[1], ["en": keys[1], "de": "Man wartet."]))
        #expect(other.finding.contains(#""%@ waits." takes other arguments in de"#))
        #expect(CatalogCheck.check(catalog("{}"), needing: keys).status == .failed)
        #expect(CatalogCheck.check(Data("[]".utf8), needing: keys).status == .failed)
    }

    @Test func `a token in the clear is wrong, but for this machine's own server`() throws {
        func statuses(_ server: String) throws -> [DoctorLine.Status] {
            DoctorLine.way(to: try #require(URL(string: server)), took: 0.01).map(\.status)
        }
        #expect(try statuses("http://127.0.0.1:8081") == [.ok, .ok])
        #expect(try statuses("https://rangers.example.com") == [.ok, .ok])
        #expect(try statuses("http://rangers.example.com") == [.ok, .failed])
    }

    @Test func `what the way took is not held against the clock`() {
        let server = Date(timeIntervalSince1970: 1_000)
        func status(_ before: TimeInterval, _ after: TimeInterval) -> DoctorLine.Status {
            DoctorLine.clock(
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

    @Test func `a line says what it is about, how it is, and what to do`() {
        let report = DoctorReport([
            DoctorLine("database", .ok, "It answers."),
            DoctorLine("TLS", .failed, "In the clear.", remedy: "Serve by HTTPS."),
            DoctorLine("APNs", .skipped, "Not here."),
        ])
        #expect(!report.healthy)
        #expect(
            report.lines(fitting: nil) == [
                "ok    database  It answers.", "FAIL  TLS       In the clear.",
                "                To do: Serve by HTTPS.",
                "–     APNs      Not here.",
            ]
        )
        #expect(DoctorReport([DoctorLine("APNs", .skipped, "Not here.")]).healthy)
    }

    @Test func `of a server whose database does not answer it is said what is not looked at, and what to do`() throws {
        let url = try #require(URL(string: "https://rangers.example.com"))
        let type = "urn:emoji-rangers:problem:database-unavailable"
        let body = #"{"type":"\#(type)","title":"No database","detail":"Come again."}"#
        let error = OperatorClientError.refused(Problem(status: 503, body: Data(body.utf8)))
        #expect(error.mayKnowWhatIsMissing)
        let lines = DoctorLine.failure(to: url, error) + DoctorLine.unseen(after: error)
        #expect(lines.map(\.name) == ["server", "TLS", "database", "dispatchers", "unsent changes", "APNs"])
        #expect(lines.map(\.status) == [.failed, .ok, .skipped, .skipped, .skipped, .skipped])
        #expect(lines[0].finding.hasSuffix("It says: No database."))
        #expect(lines.filter { $0.status != .ok }.allSatisfy { $0.remedy != nil })

        let silent = OperatorClientError.silent(url, waited: .seconds(45))
        #expect(silent.mayKnowWhatIsMissing && silent.mayPass && silent.leavesOpen)
        #expect(DoctorLine.failure(to: url, silent)[0].finding.contains("rangersctl gave up after 45 s"))
    }

    @Test(arguments: [(401, "rangersd operator create"), (404, "--server"), (500, "log")])
    func `a server that refuses says what to do about it`(status: Int, remedy: String) throws {
        let url = try #require(URL(string: "https://rangers.example.com"))
        let error = OperatorClientError.refused(Problem(status: status, body: Data(#"{"title":"No"}"#.utf8)))
        #expect(DoctorLine.failure(to: url, error)[0].remedy?.contains(remedy) == true)
    }

    @Test func `scripts get the same`() throws {
        let report = DoctorReport([DoctorLine("TLS", .failed, "In the clear.", remedy: "Serve by HTTPS.")])
        #expect(
            try report.json
                == #"{"checks":[{"finding":"In the clear.","name":"TLS","remedy":"Serve by HTTPS.","status":"failed"}],"#
                + #""healthy":false}"#
        )
    }
}
