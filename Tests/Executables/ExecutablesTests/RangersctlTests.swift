import Cryptography
import Foundation
import Hummingbird
import Testing

/// The real `rangersctl` against a real server.
@Suite struct RangersctlTests: RangersctlSuite {
    @Test func `bosses are listed as a table`() async throws {
        let result = try await StubServer.responding(Self.bosses) { port, _ in
            try await run("boss", "list", server: port)
        }
        #expect(result.status == 0)
        #expect(
            result.output
                == "BOSS    NAME      HEALTH A HERO  ATTACK  SPEED\ndragon  🐲 Drake             50       9      4\n"
        )
        #expect(result.errors.isEmpty)
    }

    @Test func `a script gets the server's own JSON`() async throws {
        let result = try await StubServer.responding(Self.bosses) { port, _ in
            try await run("boss", "list", "--json", server: port)
        }
        #expect(result.status == 0)
        #expect(result.output == Self.bosses + "\n")
    }

    @Test func `a boss fight is started with the operator's token`() async throws {
        let replies = [StubServer.Reply(Self.bosses), .init("{}", status: .created)]
        let (result, requests) = try await StubServer.responding(each: replies) { port, requests in
            let result = try await run("boss", "start", "dragon", "--invite-code", "ABCD2345", "--json", server: port)
            return (result, requests())
        }
        #expect(result.status == 0)
        #expect(result.output == "{}\n")
        let key = try #require(requests.last?.key)
        #expect(key.wholeMatch(of: /[0-9a-f]{32}/) != nil)
        #expect(
            requests == [
                StubServer.ReceivedRequest(
                    line: "GET /admin/v1/bosses",
                    authorization: "Bearer \(Self.token)",
                    body: ""
                ),
                StubServer.ReceivedRequest(
                    line: "POST /admin/v1/boss-fights",
                    authorization: "Bearer \(Self.token)",
                    body: #"{"boss":"dragon","inviteCode":"ABCD2345"}"#,
                    key: key
                ),
            ]
        )
    }

    @Test func `a raid is started with its plan`() async throws {
        let replies = [StubServer.Reply(Self.bosses), .init("{}", status: .created)]
        let (result, requests) = try await StubServer.responding(each: replies) { port, requests in
            let options = ["--health", "90000", "--for", "45m", "--regions", "meadow,coast", "--json"]
            let result = try await Executable.run(
                "rangersctl",
                ["raid", "start", "dragon", "--server", "http://127.0.0.1:\(port)"] + options,
                environment: ["RANGERS_OPERATOR_TOKEN": Self.token]
            )
            return (result, requests())
        }
        #expect(result.status == 0 && result.output == "{}\n")
        #expect(requests.map(\.line) == ["GET /admin/v1/bosses", "POST /admin/v1/raids"])
        let body = #"{"boss":"dragon","durationSeconds":2700,"health":90000,"regions":["meadow","coast"]}"#
        #expect(requests.last?.body == body && requests.last?.key != nil)
    }

    @Test func `a boss is checked before the confirmation of a campaign`() async throws {
        for (boss, words) in [
            ("dragn", "unknown boss dragn; did you mean dragon?"), ("wolf", "unknown boss wolf; the bosses are dragon"),
            ("dragon", "no terminal for a confirmation: Start a boss fight for every idle party?"),
        ] {
            let (result, requests) = try await StubServer.responding(Self.bosses) { port, requests in
                (try await run("boss", "start", boss, "--all-idle", server: port), requests())
            }
            #expect(result.status == 2 && result.errors.contains(words))
            #expect(requests.map(\.line) == ["GET /admin/v1/bosses"])
        }
    }

    @Test(
        arguments: [
            [adventure], [adventure, "--dry-run"], [adventure, "--yes"], ["--all-idle", "--dry-run"],
            ["--all-idle", "--yes"],
        ]
    )
    func `a boss is checked before a fight or a campaign`(options: [String]) async throws {
        let (result, requests) = try await StubServer.responding(Self.bosses) { port, requests in
            let result = try await Executable.run(
                "rangersctl",
                ["boss", "start", "dragn", "--server", "http://127.0.0.1:\(port)"] + options,
                environment: ["RANGERS_OPERATOR_TOKEN": Self.token]
            )
            return (result, requests())
        }
        #expect(result.status == 2 && result.output.isEmpty)
        #expect(result.errors == "rangersctl: unknown boss dragn; did you mean dragon?\n")
        #expect(requests.map(\.line) == ["GET /admin/v1/bosses"])
    }

    @Test func `events have the names of heroes, and JSON their seats`() async throws {
        let hero =
            #"{"seat":3,"playerID":"\#(Self.adventure)","hero":{"id":"spouty","name":"Spouty","avatar":"🐳","level":1},"#
            + #""health":9,"maximumHealth":9,"healthLevel":1,"potions":1,"experience":0,"policy":"automatic","isGuarding":false,"#
            + #""isChallenging":false,"isDown":false,"hasLeft":false}"#
        let replies = [
            StubServer.Reply(#"{"events":[{"sequence":1,"kind":"heroDown","hero":3}]}"#),
            .init(Self.adventure(ended: true).replacing(#""heroes":[]"#, with: #""heroes":[\#(hero)]"#)),
        ]
        let (text, requests) = try await StubServer.responding(each: replies) { port, requests in
            (try await run("adventure", "events", Self.adventure, server: port), requests())
        }
        #expect(text.status == 0 && text.output.hasSuffix("heroDown  hero=🐳 Spouty\n") && requests.count == 2)
        let (json, asked) = try await StubServer.responding(each: replies) { port, requests in
            (try await run("adventure", "events", Self.adventure, "--json", server: port), requests())
        }
        #expect(json.output == #"{"hero":3,"kind":"heroDown","sequence":1}"# + "\n" && asked.count == 1)
    }

    private static let commands: [(arguments: [String], line: String)] =
        [
            (["adventure", "show", adventure.uppercased()], "GET /admin/v1/adventures/\(adventure)"),
            (["adventure", "replay", adventure], "GET /admin/v1/adventures/\(adventure)/replay"),
            (["adventure", "end", adventure, "--yes"], "POST /admin/v1/adventures/\(adventure)/end"),
            (["raid", "list"], "GET /admin/v1/raids"),
            (["raid", "show", adventure], "GET /admin/v1/raids/\(adventure)"),
            (["raid", "stop", adventure, "--dry-run"], "POST /admin/v1/raids/\(adventure)/stop"),
            (["raid", "stop", adventure, "--yes"], "POST /admin/v1/raids/\(adventure)/stop"),
            (["activity", "list", adventure], "GET /admin/v1/adventures/\(adventure)/activities"),
            (["activity", "list", "--party", adventure], "GET /admin/v1/parties/\(adventure)/activities"),
            (["activity", "list", "--player", adventure], "GET /admin/v1/players/\(adventure)/activities"),
            (["device", "list", adventure], "GET /admin/v1/players/\(adventure)/devices"),
            (["player", "find", "Ada"], "GET /admin/v1/players"),
            (["player", "show", adventure], "GET /admin/v1/players/\(adventure)"),
            (["player", "export", adventure], "GET /admin/v1/players/\(adventure)/export"),
            (
                ["player", "rename", adventure, "Ada", "--reason", "r"],
                "POST /admin/v1/players/\(adventure)/rename"
            ),
            (["player", "sign-out", adventure, "--reason", "r"], "POST /admin/v1/players/\(adventure)/sign-out"),
            (["player", "erase", adventure, "--reason", "r", "--yes"], "POST /admin/v1/players/\(adventure)/erase"),
            (
                ["player", "erase", adventure, "--reason", "r", "--dry-run"],
                "POST /admin/v1/players/\(adventure)/erase"
            ),
            (["activity", "show", adventure], "GET /admin/v1/activities/\(adventure)"),
            (["adventure", "events", adventure], "GET /admin/v1/adventures/\(adventure)/events"),
            (["party", "list", "--state", "idle"], "GET /admin/v1/parties"),
            (["party", "list", "--name", "fox"], "GET /admin/v1/parties"),
            (["operator", "list"], "GET /admin/v1/operators"),
            (["operator", "create", "ada", "--role", "admin"], "POST /admin/v1/operators"),
            (["operator", "rotate", "ada@b.c"], "POST /admin/v1/operators/ada@b.c/rotate"),
            (["operator", "revoke", "ada"], "POST /admin/v1/operators/ada/revoke"),
            (["party", "show", adventure], "GET /admin/v1/parties/\(adventure)"),
            (["party", "disband", adventure, "--yes"], "POST /admin/v1/parties/\(adventure)/disband"),
            (["party", "disband", adventure, "--dry-run"], "POST /admin/v1/parties/\(adventure)/disband"),
            (["channel", "list"], "GET /admin/v1/channels"),
            (["channel", "reconcile"], "POST /admin/v1/channels/reconcile"),
            (["stats"], "GET /admin/v1/stats"), (["audit", "list"], "GET /admin/v1/audit"),
            (["audit", "verify"], "GET /admin/v1/audit/verification"),
            (["activity", "explain", adventure], "GET /admin/v1/activities/\(adventure)/decisions"),
        ]

    @Test(arguments: commands)
    func `each command sends its request`(arguments: [String], line: String) async throws {
        let requests = try await StubServer.responding("{}") { port, requests in
            _ = try await Executable.run(
                "rangersctl",
                arguments + ["--server", "http://127.0.0.1:\(port)", "--json"],
                environment: ["RANGERS_OPERATOR_TOKEN": Self.token]
            )
            return requests()
        }
        #expect(requests.map(\.line) == [line])
    }

    @Test func `a party is not disbanded without a terminal for the confirmation`() async throws {
        let party =
            #"{"partyID":"\#(Self.adventure)","name":"Foxes","inviteCode":"A","leaderID":"\#(Self.adventure)","#
            + #""capacity":4,"version":1,"members":[]}"#
        let (result, requests) = try await StubServer.responding(party) { port, requests in
            (try await run("party", "disband", Self.adventure, server: port), requests())
        }
        #expect(result.status == 2)
        #expect(
            result.errors.contains(#"no terminal for a confirmation: Disband the party "Foxes" with 0 members, idle?"#)
        )
        #expect(requests.map(\.line) == ["GET /admin/v1/parties/\(Self.adventure)"])
    }

    @Test func `an adventure is not ended without a terminal for the confirmation`() async throws {
        let (result, requests) = try await StubServer.responding(Self.adventure(ended: false)) { port, requests in
            (try await run("adventure", "end", Self.adventure, server: port), requests())
        }
        #expect(result.status == 2)
        #expect(result.errors.contains("no terminal for a confirmation: End the journey of 0 players, tick 3?"))
        #expect(requests.map(\.line) == ["GET /admin/v1/adventures/\(Self.adventure)"])
    }

    private static func adventure(ended: Bool) -> String {
        let fields = [
            #""adventureID":"\#(adventure)","partyID":"\#(adventure)","kind":"journey","tick":3,"sequence":9,"heroes":[]"#,
            #""status":"\#(ended ? "ended" : "running")","startedAt":"2026-01-02T03:00:00.000Z""#,
            ended ? #""endedAt":"2026-01-02T03:04:05.678Z""# : nil,
        ]
        return "{\(fields.compactMap(\.self).joined(separator: ","))}"
    }

    @Test func `a change without a response is retried under the same key`() async throws {
        let away = StubServer.Reply(#"{"title":"Away"}"#, status: .serviceUnavailable)
        let (result, requests) = try await StubServer.responding(each: [away, .init("{}")]) { port, requests in
            let arguments = ["party", "disband", Self.adventure, "--yes", "--json", "--idempotency-key", "k7"]
            let result = try await Executable.run(
                "rangersctl",
                arguments,
                environment: [
                    "RANGERS_OPERATOR_TOKEN": Self.token, "RANGERS_SERVER": "http://127.0.0.1:\(port)",
                ]
            )
            return (result, requests())
        }
        #expect(result.status == 0 && result.output == "{}\n")
        #expect(result.errors == "Away; retrying for at most a minute\nthe server responds again\n")
        #expect(requests.map(\.key) == ["k7", "k7"])
    }

    @Test func `--follow survives an outage and ends with the adventure`() async throws {
        func events(_ list: String) -> StubServer.Reply { .init(#"{"events":[\#(list)]}"#) }
        let replies = [
            events(#"{"sequence":1,"kind":"adventureStarted"}"#),
            .init("<html>", status: .badGateway),
            events(#"{"sequence":2,"kind":"adventureEnded"}"#),
        ]
        let (result, requests) = try await StubServer.responding(each: replies) { port, requests in
            let result = try await run("adventure", "events", Self.adventure, "--follow", "--json", server: port)
            return (result, requests())
        }
        #expect(result.status == 0)
        #expect(
            result.output
                == #"{"kind":"adventureStarted","sequence":1}"# + "\n" + #"{"kind":"adventureEnded","sequence":2}"#
                + "\n"
        )
        #expect(result.errors.contains("retrying for at most a minute\nthe server responds again\n"))
        #expect(requests.count == 3)
    }

    @Test func `--follow after the last event of an ended adventure exits at once`() async throws {
        let replies = [StubServer.Reply(#"{"events":[]}"#), .init(Self.adventure(ended: true))]
        let result = try await StubServer.responding(each: replies) { port, _ in
            try await run("adventure", "events", Self.adventure, "--follow", "--after", "9", server: port)
        }
        #expect(result.status == 0 && result.output.isEmpty && result.errors.isEmpty)
    }

    @Test(arguments: [("y", 0, 2), ("n", 1, 1)])
    func `a confirmation is read from the terminal`(answer: String, expected: Int32, requests: Int) async throws {
        let (status, received) = try await StubServer.responding(Self.adventure(ended: false)) { port, requests in
            let terminal = try PseudoTerminal()
            let program = try terminal.start(
                "rangersctl",
                ["adventure", "end", Self.adventure],
                environment: [
                    "RANGERS_OPERATOR_TOKEN": Self.token, "RANGERS_SERVER": "http://127.0.0.1:\(port)",
                ]
            )
            #expect(await terminal.shows("End the journey of 0 players, tick 3? [y/N] "))
            try terminal.type("\(answer)\n")
            return (await program.waitUntilExit(), requests().count)
        }
        #expect(status == expected && received == requests)
    }

    @Test func `a broken audit log exits with 1`() async throws {
        let fault = #""fault":{"explanation":"Entry 3 is gone.","kind":"missing","position":3,"shard":7}"#
        let response = #"{"ends":[],"entries":2,\#(fault),"isIntact":false}"#
        let (result, json) = try await StubServer.responding(response) { port, _ in
            (
                try await run("audit", "verify", server: port),
                try await run("audit", "verify", "--json", server: port)
            )
        }
        #expect(result.status == 1 && json.status == 1)
        #expect(result.output.hasPrefix("Broken\nEntry 3 is gone."))
        #expect(json.output == response + "\n")
    }

    @Test func `an audit log that differs from the baseline exits with 1, and the file stays`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangersctl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "audit kept").path(percentEncoded: false)
        func response(_ end: String, _ hash: String) -> String {
            #"{"ends":[\#(end)],"entries":2,"hashes":[\#(hash)],"isIntact":true}"#
        }
        let end = #"{"hash":"\#(String(repeating: "0a", count: 32))","position":2,"shard":7}"#
        let kept = try await StubServer.responding(response(end, "")) { port, _ in
            try await run("audit", "verify", "--save", file, server: port)
        }
        #expect(kept.status == 0 && kept.output.hasPrefix("Intact: 2 entries are unchanged.\nDigest: "))
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text == "7 2 \(String(repeating: "0a", count: 32))\n1 chain, 2 entries\n")

        let (again, received) = try await StubServer.responding(response("", end)) { port, requests in
            (try await run("audit", "verify", "--expect", file, server: port), requests())
        }
        #expect(again.errors == "Compared with the baseline: 1 chain, 2 entries.\n")
        #expect(again.status == 0 && received.map(\.line).last == "GET /admin/v1/audit/hashes")
        let wiped = try await StubServer.responding(response("", "")) { port, _ in
            try await run("audit", "verify", "--expect", file, "--save", file, server: port)
        }
        #expect(wiped.status == 1 && wiped.output.hasPrefix("Broken\nEntry 2 of shard 7 is missing"))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        let missing = try await run("audit", "verify", "--expect", file + "2", server: 9)
        #expect(missing.status == 2 && missing.errors.contains("does not exist"))
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func `a replay that differs exits with 1`(identical: Bool, status: Int) async throws {
        let difference = #""difference":"the digest differs""#
        let response = #"{"events":9,"identical":\#(identical)\#(identical ? "" : ",\(difference)")}"#
        for options in [[], ["--json"]] {
            let result = try await StubServer.responding(response) { port, _ in
                try await Executable.run(
                    "rangersctl",
                    ["adventure", "replay", Self.adventure, "--server", "http://127.0.0.1:\(port)"] + options,
                    environment: ["RANGERS_OPERATOR_TOKEN": Self.token]
                )
            }
            #expect(result.status == status)
            #expect(result.errors.isEmpty)
            let text =
                identical
                ? "The replay gives the same 9 events and the same state.\n"
                : "The replay differs: the digest differs.\n"
            #expect(result.output == (options.isEmpty ? text : response + "\n"))
        }
    }

    @Test func `the rules need neither a server nor a token`() async throws {
        let result = try await run("rules", token: nil)
        #expect(result.status == 0)
        #expect(result.output.contains("You are down!"))
        #expect(result.errors.isEmpty)
    }

    @Test(arguments: [["adventure", "events", adventure, "--follow"], ["adventure", "show", adventure, "--watch"]])
    func `a closed standard output ends the command silently`(arguments: [String]) async throws {
        let events = StubServer.Reply(#"{"events":[{"sequence":1,"kind":"adventureStarted"}]}"#)
        let reply = arguments.contains("--follow") ? events : .init(Self.adventure(ended: false))
        let program = try #require(Executable.url(of: "rangersctl"))
        let result = try await StubServer.responding(each: [reply]) { port, _ in
            // The reader exits before the first line is written.
            try await Executable.run(
                at: URL(filePath: "/bin/bash"),
                ["-c", #"exec 5> >(:); wait $!; exec "$0" "$@" >&5"#, program.path(percentEncoded: false)]
                    + arguments,
                environment: [
                    "RANGERS_OPERATOR_TOKEN": Self.token, "RANGERS_SERVER": "http://127.0.0.1:\(port)",
                ]
            )
        }
        #expect(result.status == 0 && result.errors.isEmpty, "\(result.status) \(result.errors)")
    }

    @Test func `a token file takes precedence over the environment`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "token tëst-\(UUID().uuidString)")
        try Data("ero_from_file\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let requests = try await StubServer.responding("{}") { port, requests in
            _ = try await run("boss", "list", "--json", "--token-file", file.path(percentEncoded: false), server: port)
            return requests()
        }
        #expect(requests.map(\.authorization) == ["Bearer ero_from_file"])
    }

    @Test func `a curl command goes to another environment than the configured one at that environment's own host`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (key, token) = (folder.appending(path: "key.p8"), folder.appending(path: "token.hex"))
        try Data(try P256PrivateKey.generate().pem.utf8).write(to: key)
        try Data("80f1c2d3e4a5b697".utf8).write(to: token)
        let settings = [
            "RANGERS_APNS_ENVIRONMENT": "simulator", "RANGERS_APNS_HOST": "127.0.0.2", "RANGERS_APNS_PORT": "2198",
            "RANGERS_APNS_CA_FILE": "/ca.pem", "RANGERS_APNS_KEY_FILE": key.path(percentEncoded: false),
            "RANGERS_APNS_KEY_ID": "TESTKEY001", "RANGERS_APNS_TEAM_ID": "TESTTEAM01",
            "RANGERS_APNS_BUNDLE_ID": "com.example.rangers",
        ]
        for (environment, url) in [
            ("simulator", "https://127.0.0.2:2198/"), ("sandbox", "https://api.sandbox.push.apple.com:443/"),
        ] {
            let result = try await Executable.run(
                "rangersctl",
                [
                    "push", "curl", "--environment", environment, "--push-token-file",
                    token.path(percentEncoded: false),
                ],
                environment: settings
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("url = \"\(url)3/device/"), "\(environment)")
            #expect(result.output.contains("cacert = ") == (environment == "simulator"))
        }
    }

    @Test func `help goes to standard output`() async throws {
        let result = try await run("--help")
        #expect(result.status == 0)
        #expect(result.output.contains("Exit status: 0 success, 1 rejected by the server or a check failed,"))
        #expect(result.output.contains("--generate-completion-script bash"))
        #expect(result.errors.isEmpty)
    }
}
