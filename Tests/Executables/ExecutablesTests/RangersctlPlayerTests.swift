import Testing

/// `rangersctl player` against a real server.
@Suite struct RangersctlPlayerTests: RangersctlSuite {
    private static let ada = """
        {"playerID":"\(adventure)","displayName":"Ada","hero":{"id":"spouty","name":"Spouty","avatar":"🐳","level":3},\
        "namedInLeaderboards":true,"version":1,"experience":90,"bossesDefeated":1,\
        "registeredAt":"2026-01-02T03:04:05.678Z","tokens":2,"parties":[],"devices":[],"activities":[]}
        """

    @Test func `an erasure names the player and what belongs to the player, and needs a confirmation`() async throws {
        let (result, requests) = try await StubServer.responding(Self.ada) { port, requests in
            (try await run("player", "erase", Self.adventure, "--reason", "ticket 7", server: port), requests())
        }
        #expect(result.status == 2 && result.output.isEmpty)
        let question = """
            no terminal for a confirmation: Erase the player "Ada" of level 3, registered 2026-01-02 03:04:05, with \
            0 parties (0 on an adventure), 0 devices, 0 live activities and 2 tokens? Use --yes or --dry-run
            """
        #expect(result.errors.contains(question), "\(result.errors)")
        #expect(requests.map(\.line) == ["GET /admin/v1/players/\(Self.adventure)"])
    }

    @Test func `a change sends its reason under a key, and prints what it did`() async throws {
        let change = """
            {"dryRun":false,"events":[],"changes":[{"action":"player.rename","target":"player/7",\
            "before":{"version":"1"},"after":{"reason":"ticket 7","version":"2"}}]}
            """
        let (result, requests) = try await StubServer.responding(change) { port, requests in
            let arguments = ["player", "rename", Self.adventure, "Ranger", "--reason", "ticket 7"]
            let result = try await Executable.run(
                "rangersctl",
                arguments,
                environment: ["RANGERS_OPERATOR_TOKEN": Self.token, "RANGERS_SERVER": "http://127.0.0.1:\(port)"]
            )
            return (result, requests())
        }
        #expect(result.status == 0)
        #expect(
            result.output
                == "Done:\n  player.rename player/7 (was version 1; now reason ticket 7, version 2)\n"
        )
        #expect(requests.map(\.body) == [#"{"displayName":"Ranger","reason":"ticket 7"}"#] && requests[0].key != nil)
    }

    @Test func `an export joins the lists of its pages`() async throws {
        let pages = [
            #"{"player":{"displayName":"Ada"},"tokens":[{"n":1}],"parties":[{"n":1}],"activities":[],"next":"p7"}"#,
            #"{"player":{"displayName":"Ada"},"tokens":[{"n":1}],"parties":[{"n":2}],"activities":[{"n":3}]}"#,
        ]
        let (result, requests) = try await StubServer.responding(each: pages.map { StubServer.Reply($0) }) {
            port,
            requests in
            (try await run("player", "export", Self.adventure, server: port), requests())
        }
        #expect(result.status == 0 && requests.count == 2)
        #expect(
            result.output
                == #"{"activities":[{"n":3}],"parties":[{"n":1},{"n":2}],"player":{"displayName":"Ada"},"tokens":[{"n":1}]}"#
                + "\n"
        )
    }
}
