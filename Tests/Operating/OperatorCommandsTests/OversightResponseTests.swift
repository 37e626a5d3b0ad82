import ArgumentParser
import CommandLineSupport
import Foundation
import RangersClient
import Testing

@testable import OperatorCommands

/// The output for parties, statistics, events and the audit log.
@Suite struct OversightResponseTests {
    private func decode<Response: Decodable>(_ type: Response.Type, _ json: String) throws -> Response {
        try JSONDecoder.rangersAPI.decode(type, from: Data(json.utf8))
    }

    private func lines<Response: Decodable & HumanReadable>(
        _ type: Response.Type,
        _ json: String,
        width: Int? = nil
    ) throws -> [String] {
        try decode(type, json).lines(fitting: width)
    }

    @Test func `channels are listed with the newest comparison with APNs`() throws {
        let environment = """
            {"environment": "production", "comparedAt": "2026-01-02T03:00:00.123Z", "listed": 2, "unknown": 1, "lost": 0}
            """
        let json = """
            {"environments": [\(environment)], "count": 3, "channels": [
                {"owner": {"kind": "raid", "id": "r1"}, "environment": "production", "state": "live", "channelID": "YWJj",
                 "storagePolicy": 0, "wantedAt": "2026-01-02T03:04:05.678Z", "usedAt": "2026-01-02T03:04:05.678Z",
                 "failures": 2}
            ]}
            """
        #expect(
            try lines(ChannelListResponse.self, json) == [
                "production: APNs listed 2 at 2026-01-02 03:00:00 UTC, of which 1 unknown; 0 lost",
                "",
                "OWNER    ENVIRONMENT  STATE  LAST USED (UTC)      FAILURES  CHANNEL",
                "raid/r1  production   live   2026-01-02 03:04:05         2  YWJj",
                "",
                "2 more: --limit 3",
            ]
        )
        #expect(
            try lines(ChannelReconciliationResponse.self, #"{"environments": []}"#)
                == ["No dispatcher has kept channels yet: none runs with a provider key."]
        )
    }

    private static let audit = """
        {"entries": [
            {"shard": 17, "position": 2, "at": "2026-01-02T03:04:05.678Z", "author": "ada", "action": "adventure.end",
             "target": "adventure/a1", "before": {"status": "running", "tick": "12"}, "after": {"status": "ended"},
             "requestID": "r-7", "hash": "00"},
            {"shard": 0, "position": 1, "at": "2026-01-02T03:00:00.000Z", "author": "rangersd:root",
             "action": "operator.create", "target": "operator/ada", "after": {"role": "admin"}, "hash": "00"}
        ], "next": "1790000000123000-7-12"}
        """

    @Test func `the audit log shows author, action, target and changes`() throws {
        #expect(
            try lines(AuditPageResponse.self, Self.audit) == [
                "WHEN (UTC)           WHO            DID              TO            WHAT CHANGED"
                    + "                                   REQUEST",
                "2026-01-02 03:04:05  ada            adventure.end    adventure/a1  "
                    + "was status running, tick 12; now status ended  r-7",
                "2026-01-02 03:00:00  rangersd:root  operator.create  operator/ada  now role admin",
                "",
                "For the next page: --before 1790000000123000-7-12",
            ]
        )
        #expect(try lines(AuditPageResponse.self, #"{"entries": []}"#) == ["No matching entries in the audit log."])
    }

    @Test func `in a narrow terminal entries are paragraphs with whole identifiers`() throws {
        #expect(
            try lines(AuditPageResponse.self, Self.audit, width: 40) == [
                "2026-01-02 03:04:05  ada  adventure.end",
                "  adventure/a1",
                "  was status running, tick 12; now",
                "  status ended",
                "  request r-7",
                "2026-01-02 03:00:00  rangersd:root  ope…",
                "  operator/ada",
                "  now role admin",
                "",
                "For the next page: --before 1790000000123000-7-12",
            ]
        )
    }

    @Test func `a verification adds up its parts and has the first fault`() throws {
        var whole = AuditVerificationResponse(entries: 0, isIntact: true, ends: [], fault: nil, next: nil)
        let part = #"{"entries": 10000, "isIntact": true, "ends": [], "next": "7-12"}"#
        whole.append(try decode(AuditVerificationResponse.self, part))
        #expect(whole.next == "7-12")
        let end = #"{"shard": 7, "position": 10005, "hash": "\#(String(repeating: "ab", count: 32))"}"#
        whole.append(
            try decode(AuditVerificationResponse.self, #"{"entries": 5, "isIntact": true, "ends": [\#(end)]}"#)
        )
        #expect(whole.next == nil)
        // The output of sha256sum for the lines `7 10005 abab…` and `1 chain, 10005 entries`.
        let digest = "6899cfeedea53d9306f3451d63f654fc1e67cbf924a6ac5f64ab72965aacb054"
        #expect(
            whole.lines(fitting: nil) == ["Intact: 10005 entries are unchanged.", "Digest: \(digest)"]
        )
        let fault = #"{"shard": 7, "position": 3, "kind": "changed", "explanation": "Entry 3 of shard 7 is not."}"#
        let broken = #"{"entries": 1, "isIntact": false, "ends": [], "fault": \#(fault)}"#
        whole.append(try decode(AuditVerificationResponse.self, broken))
        #expect(!whole.isIntact)
        #expect(
            whole.lines(fitting: nil) == [
                "Broken", "Entry 3 of shard 7 is not. Valid entries before it: 10006.",
            ]
        )
    }

    @Test func `parties are listed, and a party has its members`() throws {
        let party = #"{"partyID": "p1", "name": "Foxes\u001b[2J", "leaderID": "a", "members": 3, "capacity": 8, "#
        let list =
            #"{"parties": [\#(party)"adventureID": "a1", "createdAt": "2026-01-02T03:04:05.678Z"}, "#
            + #"\#(party)"createdAt": "2026-01-02T03:04:05.678Z"}], "next": "p9"}"#
        #expect(
            try lines(PartyPageResponse.self, list) == [
                "PARTY  NAME       MEMBERS  ADVENTURE  FOUNDED",
                "p1     Foxes�[2J      3/8  a1         2026-01-02",
                "p1     Foxes�[2J      3/8  idle       2026-01-02",
                "",
                "For the next page: --after p9",
            ]
        )
        let shown = """
            {"partyID": "01981f6e-0000-7000-8000-000000000011", "name": "Foxes", "inviteCode": "ABCD2345",
             "leaderID": "01981f6e-1111-7000-8000-000000000002", "capacity": 4, "version": 7,
             "members": [
                {"playerID": "01981f6e-1111-7000-8000-000000000001", "displayName": "Ada",
                 "hero": {"id": "spouty", "name": "Spouty", "avatar": "🐳", "level": 2}},
                {"playerID": "01981f6e-1111-7000-8000-000000000002", "displayName": "Bo",
                 "hero": {"id": "ember", "name": "Ember", "avatar": "🦊", "level": 1}}
             ]}
            """
        #expect(
            try lines(PartyResponse.self, shown) == [
                "Party     01981f6e-0000-7000-8000-000000000011",
                "Name      Foxes",
                "Code      ABCD2345",
                "Members   2 of 4 at most",
                "Adventure none",
                "Version   7",
                "",
                "PLAYER                                NAME  HERO       LEVEL  ROLE",
                "01981f6e-1111-7000-8000-000000000001  Ada   🐳 Spouty      2",
                "01981f6e-1111-7000-8000-000000000002  Bo    🦊 Ember       1  leads",
            ]
        )
        #expect(try decode(PartyResponse.self, shown).summary == #"the party "Foxes" with 2 members, idle"#)
    }

    private static func statistics(at second: Int, entries: Int, leased: Int = 256) -> String {
        """
        {"at": "2026-01-02T03:04:0\(second).678Z", "parties": {"count": 12000, "isExact": false},
         "players": {"count": 70, "isExact": true}, "adventures": {"journeys": 5, "bossFights": 2},
         "activities": {"live": 9, "pushedToInLastMinute": 8}, "log": {"entries": \(entries), "oldestPendingSeconds": 3},
         "shards": {"leased": \(leased), "all": 256}, "dispatchers": 2, "auditEntries": 4}
        """
    }

    @Test func `statistics have the rate since the previous response`() throws {
        let first = try decode(StatsResponse.self, Self.statistics(at: 1, entries: 1_000))
        #expect(first.lines(fitting: nil).contains("Log         1000 entries"))
        var second = try decode(StatsResponse.self, Self.statistics(at: 5, entries: 1_400, leased: 200))
        second.compare(with: first)
        let lines = second.lines(fitting: nil)
        #expect(lines.contains("Log         1400 entries, 100 per second"))
        #expect(lines.contains("Parties     about 12000") && lines.contains("Players     70"))
        #expect(lines.contains("Pending     for up to 3 s"))
        #expect(lines.contains("Shards      200 of 256 have a dispatcher"))
    }

    @Test func `a change has the old and new values and the number of phones`() throws {
        let json = """
            {"dryRun": true,
             "changes": [{"action": "adventure.end", "target": "adventure/a1", "before": {"tick": "3"}, "after": {"status": "ended"}},
                         {"action": "party.disband", "target": "party/p1", "before": {"members": "a b"}}],
             "events": [{"sequence": 9, "kind": "adventureEnded"}], "activities": 2, "startableActivities": 0}
            """
        #expect(
            try lines(ChangeResponse.self, json) == [
                "Nothing was changed. The changes would be:",
                "  adventure.end adventure/a1 (was tick 3; now status ended)",
                "  party.disband party/p1 (was members a b)",
                "  events adventureEnded",
                "  phones Live Activities that receive a push: 2",
            ]
        )
    }

    @Test func `an event is a line of text, or the server's JSON`() throws {
        let json = """
            {"sequence": 7, "tick": 3, "at": "2026-01-02T03:04:05.678Z", "kind": "heroHurt", "hero": 0, "amount": 14,
             "cause": "hazard", "level": 0.5, "path": "a/b", "isLast": false, "tags": ["x", null]}
            """
        let event = try decode(EventRecord.self, json)
        #expect(
            event.lines(fitting: nil) == [
                "03:04:05      7  tick 3  heroHurt  amount=14  cause=hazard  hero=0"
                    + "  isLast=no  level=0.5  path=a/b  tags=[x none]"
            ]
        )
        #expect(
            event.lines(fitting: 50) == [
                "03:04:05      7  tick 3  heroHurt amount=14",
                "                         cause=hazard hero=0",
                "                         isLast=no level=0.5",
                "                         path=a/b tags=[x none]",
            ]
        )
        let names = HeroNames(of: try decode(AdventureResponse.self, Fixtures.bossFight))
        #expect(event.lines(fitting: nil, names)[0].contains("cause=hazard  hero=🐳 Spouty  isLast=no"))
        #expect(event.seats == [0] && !names.lacks([0, 1]) && names.lacks([2]))
        let turn = try decode(EventRecord.self, #"{"sequence": 8, "tick": 3, "kind": "turnStarted", "turn": 19}"#)
        #expect(turn.lines(fitting: nil, names)[0].hasSuffix("tick 3  turnStarted  boss=🐲 Drake  turn=19"))
        #expect(turn.isTurnOfBoss && !event.isTurnOfBoss)
        #expect(
            event.json
                == #"{"amount":14,"at":"2026-01-02T03:04:05.678Z","cause":"hazard","hero":0,"isLast":false,"#
                + #""kind":"heroHurt","level":0.5,"path":"a/b","sequence":7,"tags":["x",null],"tick":3}"#
        )
    }

    @Test func `a start time is a time or a duration before now`() throws {
        let now = Date(timeIntervalSince1970: 1_790_000_000)
        for (text, time) in [
            ("2026-01-02", "2026-01-02T00:00:00"), ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05"),
            ("2026-01-02 03:04:05", "2026-01-02T03:04:05"), ("2026-01-02T03:04:05", "2026-01-02T03:04:05"),
        ] {
            #expect(try SinceArgument(text: text).text(before: now) == "\(time).000000Z")
        }
        #expect(try SinceArgument(text: "90m").text(before: now) == "2026-09-21T12:43:20Z")
        #expect(try SinceArgument(text: "7d").text(before: now) == "2026-09-14T14:13:20Z")
        for nonsense in [
            "", "d", "7", "-7d", "7w", "yesterday", "99999999999d", "2026-02-30", "2026-01-02T03:04:05+01:00",
        ] {
            #expect(throws: ValidationError.self, "\(nonsense)") { try SinceArgument(text: nonsense) }
        }
    }

    @Test func `a confirmation without a terminal is wrong usage`() throws {
        // The standard input of tests is not a terminal.
        let options = try ConfirmationOptions.parse([])
        let error = #expect(throws: OperatorClientError.self) { try options.confirm("Disband it?") }
        #expect(error?.exitStatus == .wrongUsage)
        try ConfirmationOptions.parse(["--yes"]).confirm("Disband it?")
        #expect(throws: (any Error).self) { try ConfirmationOptions.parse(["--yes", "--dry-run"]) }
        #expect(throws: (any Error).self) { try WatchOptions.parse(["--every", "0"]) }
        #expect(throws: (any Error).self) { try PartyCommand.Show.parse([]) }
        #expect(throws: (any Error).self) { try ActivityCommand.List.parse([]) }
    }
}
