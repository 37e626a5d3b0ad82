import Foundation
import Hummingbird
import Testing

/// The real `rangersctl`: wrong usage, servers that refuse, fail or do not respond.
@Suite struct RangersctlFailureTests: RangersctlSuite {
    @Test func `a problem exits with 1 and is printed`() async throws {
        let problem =
            #"{"title":"Unknown code","detail":"No party has it.","errors":[{"field":"inviteCode","reason":"no"}]}"#
        let replies = [StubServer.Reply(Self.bosses), .init(problem, status: .unprocessableContent)]
        let result = try await StubServer.responding(each: replies) { port, _ in
            try await run("boss", "start", "dragon", "--invite-code", "ABCD2345", server: port)
        }
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.errors == "rangersctl: Unknown code: No party has it.\n  inviteCode: no\n")
    }

    @Test func `without the server's diagnosis the readiness and local checks are reported`() async throws {
        let problem = #"""
            {"type":"urn:emoji-rangers:problem:database-unavailable","title":"No database",
            "errors":[{"field":"database","reason":"The database cannot be reached."}]}
            """#
        let (result, requests) = try await StubServer.responding(problem, status: .serviceUnavailable) {
            port,
            requests in
            let result = try await run("doctor", "--localization", "/nowhere", server: port)
            return (result, requests())
        }
        #expect(result.status == 1)
        #expect(result.output.contains(/FAIL +server +It cannot reach its database/))
        #expect(result.output.contains(/– +APNs +Not checked/))
        #expect(result.output.contains(/FAIL +database +The database cannot be reached\./))
        #expect(result.output.contains(/ok +localisation +All [0-9]+ alert texts/))
        #expect(result.output.contains(/FAIL +localisation \(app\) +The String Catalog \/nowhere cannot be read\./))
        #expect(requests.map(\.line) == ["GET /admin/v1/doctor", "GET /readyz"])
        #expect(requests.map { $0.authorization == nil } == [false, true])
    }

    @Test func `a timeout of the server is explained by its readiness`() async throws {
        let problem = #"""
            {"type":"urn:emoji-rangers:problem:took-too-long","title":"Too long",
            "errors":[{"field":"database","reason":"The database does not answer in time."}]}
            """#
        let (result, requests) = try await StubServer.responding(problem, status: .serviceUnavailable) {
            port,
            requests in
            (try await run("stats", server: port), requests())
        }
        #expect(result.status == 3)
        let beginning = "rangersctl: the server gave up: Too long. It is not ready:\n  database: "
        #expect(result.errors.hasPrefix(beginning))
        #expect(requests.map(\.line) == ["GET /admin/v1/stats", "GET /readyz"])
    }

    @Test func `a curl command without a provider key names the options for it`() async throws {
        let result = try await run("push", "curl", "--environment", "sandbox", "--push-token-file", "/dev/null")
        #expect(result.status == 2)
        #expect(
            result.errors == """
                rangersctl: specify --key-file, or set RANGERS_APNS_KEY_FILE
                specify --key-id, or set RANGERS_APNS_KEY_ID
                specify --team-id, or set RANGERS_APNS_TEAM_ID
                specify --bundle-id, or set RANGERS_APNS_BUNDLE_ID
                --config can name a file with these settings

                """
        )
    }

    @Test func `a malformed response exits with 1`() async throws {
        let result = try await StubServer.responding("<html>") { port, _ in
            try await run("boss", "list", server: port)
        }
        #expect(result.status == 1)
        #expect(result.errors.contains("malformed response from"))
    }

    @Test func `a response of more than 8 MiB is not read, and exits with 1`() async throws {
        let body = #"{"bosses":[]\#(String(repeating: " ", count: 8 << 20))}"#
        let result = try await StubServer.responding(body) { port, _ in try await run("boss", "list", server: port) }
        #expect(result.status == 1)
        #expect(result.errors.contains("malformed response from http://127.0.0.1:"))
        #expect(result.errors.contains(": it is larger than 8 MiB; is it a rangersd of the same version?"))
    }

    @Test func `a redirect is not followed, so that the token stays with its server`() async throws {
        let (result, requests) = try await StubServer.responding(
            "",
            status: .temporaryRedirect,
            headers: [.location: "/elsewhere"]
        ) { port, requests in
            (try await run("boss", "list", server: port), requests())
        }
        #expect(result.status == 1)
        #expect(result.errors == "rangersctl: HTTP status 307 without an explanation\n")
        #expect(requests.count == 1)
    }

    @Test func `an unreachable server exits with 3`() async throws {
        // Port 1 has no listener, and unprivileged programs cannot bind it.
        let result = try await run("boss", "list", server: 1)
        #expect(result.status == 3)
        #expect(
            result.errors == "rangersctl: no response from http://127.0.0.1:1: the connection was refused. "
                + "Is rangersd running there? Use --server, RANGERS_SERVER or a context for another server\n"
        )
    }

    @Test func `waiting for a silent server uses no processor time and ends with an explanation`() async throws {
        let listener = try SilentListener()
        let seconds = 4
        // The second line of `times` is the processor time of the child processes.
        let script = #""$0" --server "$1" --timeout "$2" stats; status=$?; times; exit $status"#
        let program = try #require(Executable.url(of: "rangersctl"))
        let result = try await Executable.run(
            at: URL(filePath: "/bin/bash"),
            ["-c", script, program.path(percentEncoded: false), "http://127.0.0.1:\(listener.port)", "\(seconds)"],
            environment: ["RANGERS_OPERATOR_TOKEN": Self.token]
        )
        #expect(result.status == 3)
        #expect(result.errors.contains("rangersctl gave up after \(seconds) s"))
        let used = result.output.matches(of: /(\d+)m([\d.]+)s/).suffix(2).reduce(0.0) { sum, match in
            sum + (Double(match.output.1) ?? 0) * 60 + (Double(match.output.2) ?? 0)
        }
        // Starting the process uses a tenth of that; busy waiting would use the whole time.
        #expect(used > 0 && used < Double(seconds) / 2, "\(used) s")
    }

    @Test func `a proxy is used unless no_proxy lists the server`() async throws {
        let statuses = try await StubServer.responding(Self.bosses) { port, _ in
            var statuses: [Int32] = []
            for exempt in [nil, "127.0.0.1"] {
                var environment = ["RANGERS_OPERATOR_TOKEN": Self.token, "http_proxy": "http://127.0.0.1:1"]
                environment["no_proxy"] = exempt
                let arguments = ["--server", "http://127.0.0.1:\(port)", "boss", "list"]
                statuses.append(try await Executable.run("rangersctl", arguments, environment: environment).status)
            }
            return statuses
        }
        #expect(statuses == [3, 0])
    }

    @Test(
        arguments: [
            ["boss", "start", "dragon"],
            ["boss", "start", "dragon", "no-uuid"],
            ["boss", "start", "dragon", "--party", adventure],
            ["boss", "start", "dragon", adventure, "--invite-code", "ABCD2345"],
            ["boss", "start", "dragon", "--all-idle", "--invite-code", "ABCD2345"],
            ["boss", "start", "dragon", adventure, "--all-idle"],
            ["boss", "start", "dragon", "--all-idle", "--yes", "--rate", "0"],
            ["boss", "start", "dragon", adventure, "--rate", "7"],
            ["boss", "start", "dragon", "--all-idle", "--yes", "--campaign", "May Day"],
            ["stats", "--every", "5"],
            ["stats", "--timeout", "0"],
            ["audit", "list", "--limit", "1000000"],
            ["boss", "dance"],
            ["push", "test"],
            ["push", "test", "--push-token-file", "/nowhere"],
            ["push", "curl", "--push-token-file", "/dev/null"],
            // Without a terminal for the confirmation.
            ["push", "test", "--activity", adventure, "--event", "end"],
            ["push", "test", "--activity", adventure, "--event", "start"],
            ["push", "test", "--activity", adventure, "--priority", "5"],
            ["push", "curl", "--activity", adventure, "--event", "start", "--payload-only"],
            ["adventure", "show"],
            ["adventure", "show", "7"],
            ["activity", "explain"],
            ["activity", "explain", "7"],
            ["--server", "http://localhost"],
            ["boss", "--json"],
            ["boss", "list", "--server", "ftp://example.com"],
            ["boss", "list", "--token-file", "/nowhere"],
        ]
    )
    func `wrong usage exits with 2 and is explained on standard error`(arguments: [String]) async throws {
        let result = try await Executable.run(
            "rangersctl",
            arguments,
            environment: ["RANGERS_OPERATOR_TOKEN": Self.token]
        )
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(!result.errors.isEmpty)
    }

    @Test(arguments: [nil, "", "two words"])
    func `without a valid token no request is sent`(token: String?) async throws {
        let (result, requests) = try await StubServer.responding("{}") { port, requests in
            (try await run("boss", "list", server: port, token: token), requests())
        }
        #expect(result.status == 2)
        #expect(result.errors.contains("token"))
        #expect(requests.isEmpty)
    }
}
