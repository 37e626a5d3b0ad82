import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import HTTPServing
import JSONCoding
import PostgresClient
import PushCadence
import PushDispatch
import RangersMetrics
import Testing

@testable import PartyAPI

/// The route by which devices report what they show.
@Suite struct ReceiptTests {
    private static let phone = "0198a1b2-c3d4-7000-8000-0000000000d1"
    private static let tablet = "0198a1b2-c3d4-7000-8000-0000000000d2"
    private static let activity = "0198a1b2-c3d4-7000-8000-00000000abcd"

    private struct Showing: Sendable {
        let world: APIWorld
        let ada: TestPlayer
        let adventure: String

        func report(
            _ activities: JSONValue...,
            device: String = ReceiptTests.phone,
            sentAt: String? = nil,
            by player: TestPlayer? = nil,
            headers: [String: String] = [:]
        ) async throws -> Reply {
            try await report(all: activities, device: device, sentAt: sentAt, by: player, headers: headers)
        }

        func report(
            all activities: [JSONValue],
            device: String = ReceiptTests.phone,
            sentAt: String? = nil,
            by player: TestPlayer? = nil,
            headers: [String: String] = [:]
        ) async throws -> Reply {
            let body: JSONValue = [
                "sentAt": .string(sentAt ?? world.clock.now.rfc3339), "device": ["liveActivitiesEnabled": true],
                "activities": .array(activities),
            ]
            let path = "/v1/players/me/devices/\(device)/receipts"
            return try await world.client.send("POST", path, token: (player ?? ada).token, body: body, headers: headers)
        }

        func entry(_ shown: JSONValue..., activity: String = ReceiptTests.activity) -> JSONValue {
            ["adventureID": .string(adventure), "activityID": .string(activity), "shown": .array(shown)]
        }

        func shown(_ sequence: Int, at moment: Timestamp? = nil) -> JSONValue {
            let moment = (moment ?? world.clock.now).rfc3339
            return ["sequence": .number(Double(sequence)), "at": .string(moment)]
        }

        var receipts: ActivityReceipts? {
            get async throws {
                let adventureID = try #require(AdventureID(adventure))
                let activityID = try #require(ActivityID(ReceiptTests.activity))
                return try await world.store.receipts(for: activityID, of: adventureID)
            }
        }

        /// The number of rows, and the number of their changes.
        var rows: [Int64] {
            get async throws {
                let statement = Statement(
                    "test.receipts",
                    "SELECT count(*), coalesce(sum(version), 0)::bigint FROM activity_receipts"
                )
                let (count, changes) = try await world.pool.query(PostgresQuery(statement))[0]
                    .decode(Int64.self, Int64.self)
                return [count, changes]
            }
        }
    }

    static func device(_ id: String, of player: TestPlayer, in world: APIWorld) async throws {
        let reply = try await world.client.send(
            "PUT",
            "/v1/players/me/devices/\(id)",
            token: player.token,
            body: ["environment": "simulator", "liveActivitiesEnabled": true, "frequentPushesEnabled": true]
        )
        try #require(reply.status == 201, "\(reply.text)")
    }

    static func register(
        _ activity: String = Self.activity,
        on device: String = Self.phone,
        of player: TestPlayer,
        for adventure: String,
        in world: APIWorld
    ) async throws {
        let reply = try await world.client.send(
            "PUT",
            "/v1/adventures/\(adventure)/activities/\(activity)",
            token: player.token,
            body: [
                "deviceID": .string(device), "pushToken": .string(activity.replacing("-", with: "")),
                "environment": "simulator", "frequentPushesEnabled": true,
            ]
        )
        try #require(reply.status == 201, "\(reply.text)")
    }

    /// Runs a test with an activity on a phone that shows a journey, some minutes after its start.
    private func withActivity(
        limits: RequestLimits = RequestLimits(),
        _ body: @Sendable (Showing) async throws -> Void
    ) async throws {
        try await APIWorld.with(limits: limits) { world in
            let ada = try await world.player("Ada")
            for device in [Self.phone, Self.tablet] { try await Self.device(device, of: ada, in: world) }
            let adventure = try await world.journey(try await world.party(of: ada), by: ada)
            try await Self.register(of: ada, for: adventure, in: world)
            try await world.pass(.seconds(100))
            try await body(Showing(world: world, ada: ada, adventure: adventure))
        }
    }

    @Test func `reports in any order and repeated ones have the same effect, in one row`() async throws {
        try await withActivity { showing in
            let start = showing.world.clock.now
            let first = showing.entry(
                showing.shown(2, at: start - .seconds(9)),
                showing.shown(1, at: start - .seconds(60))
            )
            let second = showing.entry(showing.shown(3, at: start - .seconds(1)))
            let (early, late) = ((start - .seconds(5)).rfc3339, start.rfc3339)
            for (entry, sentAt) in [(second, late), (first, early), (first, early), (second, late)] {
                let reply = try await showing.report(entry, sentAt: sentAt, headers: ["Idempotency-Key": "a"])
                #expect(reply.status == 202 && reply.json == ["accepted": 1, "ignored": [:]])
            }
            let receipts = try #require(try await showing.receipts)
            #expect(receipts.shown.map(\.sequence) == [1, 2, 3])
            #expect(receipts.reportedAt == Timestamp(microseconds: start.microseconds / 1_000 * 1_000))
            // The clock moves a little between requests, so that the offset of repetitions is never smaller.
            #expect(try await showing.rows == [1, 2])
        }
    }

    @Test func `values that cannot be true are counted by reason, and the others are used`() async throws {
        try await withActivity { showing in
            let now = showing.world.clock.now
            let wrong = [
                showing.shown(2), showing.shown(1_000_000), showing.shown(1, at: now + .seconds(60)),
                showing.shown(1, at: now - .seconds(2 * 86_400)),
            ]
            let reply = try await showing.report([
                "adventureID": .string(showing.adventure), "activityID": .string(Self.activity),
                "shown": .array(wrong), "dismissedAt": .string((now + .seconds(3_600)).rfc3339),
            ])
            #expect(reply.status == 202)
            #expect(reply.json == ["accepted": 1, "ignored": ["neverSent": 1, "fromFuture": 2, "tooOld": 1]])
            #expect(try await showing.receipts?.shown.map(\.sequence) == [2])
            // As many as fit into a body.
            let many = showing.shown(3)
            let reports: JSONValue = [
                "adventureID": .string(showing.adventure), "activityID": .string(Self.activity),
                "shown": .array(Array(repeating: many, count: 1_000)),
            ]
            #expect(try await showing.report(reports).json == ["accepted": 1, "ignored": ["tooMany": 936]])
            #expect(try await showing.receipts?.shown.map(\.sequence) == [2, 3])
            #expect(try await showing.rows[0] == 1)
        }
    }

    @Test func `an activity of another player, of another device and an unknown one look the same`() async throws {
        try await withActivity { showing in
            let world = showing.world
            let eve = try await world.player("Eve")
            try await Self.device(Self.phone, of: eve, in: world)
            let entry = showing.entry(showing.shown(1))
            let ignored: JSONValue = ["accepted": 0, "ignored": ["unknownActivity": 1]]
            #expect(try await showing.report(entry, by: eve).json == ignored)
            #expect(try await showing.report(entry, device: Self.tablet).json == ignored)
            let unknown = showing.entry(showing.shown(1), activity: Self.tablet)
            #expect(try await showing.report(unknown).json == ignored)
            #expect(try await showing.rows == [0, 0])
            // A device of another player is unknown, too.
            let other = try await showing.report(entry, device: Self.tablet, by: eve)
            #expect(other.status == 404 && other.slug == "unknown-device")
        }
    }

    @Test func `a report costs three statements for each adventure, and a repetition two`() async throws {
        try await APIWorld.with(connections: 1) { world in
            let ada = try await world.player("Ada")
            try await Self.device(Self.phone, of: ada, in: world)
            var parties: [TestParty] = []
            while Set(parties.map { $0.id.suffix(2) }).count < 3 { parties.append(try await world.party(of: ada)) }
            // Three adventures in three shards, the first of which the phone shows twice.
            var showings: [(showing: Showing, activity: String)] = []
            for (shard, party) in Dictionary(grouping: parties, by: { $0.id.suffix(2) }).mapValues({ $0[0] }) {
                let adventure = try await world.journey(party, by: ada)
                for number in showings.isEmpty ? [0, 1] : [0] {
                    let activity = "0198a1b2-c3d4-7000-8000-0000000\(number)ab\(shard)"
                    try await Self.register(activity, on: Self.phone, of: ada, for: adventure, in: world)
                    showings.append((Showing(world: world, ada: ada, adventure: adventure), activity))
                }
            }
            try await world.pass(.seconds(100))

            func statements(_ indices: [Int], _ sequence: Int) async throws -> [Int64] {
                try await world.pass(.seconds(1))
                let (now, showing) = (world.clock.now, showings[0].showing)
                let entries = indices.map { index in
                    showings[index].showing.entry(showing.shown(sequence, at: now), activity: showings[index].activity)
                }
                var counts: [Int64] = []
                for _ in 0..<2 {
                    counts.append(
                        try await world.statements {
                            try await showing.report(all: entries, sentAt: now.rfc3339)
                        }
                    )
                }
                return counts
            }
            // The first request notes the use of the token, and reads the adventures from their beginnings.
            _ = try await statements([0, 1, 2, 3], 1)
            let one = try await statements([0], 2)
            #expect(one[1] == one[0] - 1)
            #expect(try await statements([0, 1], 3) == one)
            #expect(try await statements([0, 1, 2, 3], 4) == [one[0] + 6, one[1] + 4])
        }
    }

    @Test func `malformed reports are refused by field`() async throws {
        try await withActivity { showing in
            let late = try await showing.report(sentAt: (showing.world.clock.now + .seconds(100_000)).rfc3339)
            #expect(late.status == 422)
            #expect(late.fieldErrors["sentAt"]?.hasPrefix("must be within a day of the server's time") == true)
            let entry = showing.entry(["sequence": -1, "at": "soon", "colour": "red"])
            #expect(
                try await showing.report(entry).fieldErrors == [
                    "activities[0].shown[0].sequence": "must be a whole number from 0 to 2147483647",
                    "activities[0].shown[0].at": "must be a timestamp such as 2026-01-02T03:04:05Z",
                    "activities[0].shown[0].colour": "is not a field of this request",
                ]
            )
            let body: JSONValue = ["sentAt": "2026-09-21T14:13:20Z", "device": true, "activities": .array([])]
            let path = "/v1/players/me/devices/\(Self.phone)/receipts"
            let reply = try await showing.world.client.send("POST", path, token: showing.ada.token, body: body)
            #expect(reply.fieldErrors == ["device": "must be an object"])
            let nine = try await showing.world.client.send(
                "POST",
                path,
                token: showing.ada.token,
                body: [
                    "sentAt": "2026-09-21T14:13:20Z", "device": ["liveActivitiesEnabled": true],
                    "activities": .array(Array(repeating: showing.entry(), count: 9)),
                ]
            )
            #expect(nine.fieldErrors == ["activities": "must be a list of at most 8 objects"])
        }
    }

    @Test func `concurrent reports about an activity lose nothing`() async throws {
        try await withActivity { showing in
            let start = showing.world.clock.now
            try await withThrowingTaskGroup { group in
                for sequence in 0..<5 {
                    group.addTask {
                        let shown = showing.shown(sequence, at: start - .seconds(50 - sequence))
                        // A report that is overtaken again and again asks to be sent again.
                        var status = 503
                        while status == 503 { status = try await showing.report(showing.entry(shown)).status }
                        #expect(status == 202)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await showing.receipts?.shown.map(\.sequence) == [0, 1, 2, 3, 4])
            #expect(try await showing.rows[0] == 1)
        }
    }

    @Test func `reports have a rate limit of their own`() async throws {
        let limits = RequestLimits(receipts: RateLimit(perSecond: 1, burst: 2))
        try await withActivity(limits: limits) { showing in
            for _ in 0..<2 { #expect(try await showing.report().status == 202) }
            let refused = try await showing.report()
            #expect(refused.status == 429 && refused.slug == "too-many-requests")
            #expect(refused.header("Retry-After") == "1")
            let path = "/v1/players/me"
            #expect(try await showing.world.client.send("GET", path, token: showing.ada.token).status == 200)
        }
    }

    /// Stores the records of pushes that APNs accepted, each with the sequence of its state, and of one that it rejected.
    private func accept(
        _ pushes: (sequence: Int, at: Timestamp)...,
        rejecting rejected: (sequence: Int, at: Timestamp)? = nil,
        in showing: Showing
    ) async throws {
        let adventureID = try #require(AdventureID(showing.adventure))
        let activityID = try #require(ActivityID(Self.activity))
        var log = DecisionLog()
        for (index, push) in (pushes + [rejected].compactMap(\.self)).enumerated() {
            let policy = CadencePolicy()
            var budget = DeviceBudget(policy.pace(frequentPushesEnabled: true))
            var cadence = ActivityCadence(
                policy: policy,
                frequentPushesEnabled: true,
                startedAt: push.at,
                resuming: nil,
                acknowledgedAt: Timestamp(epochSeconds: 0)
            )
            log.observed(.tokenReplaced, at: push.at)
            cadence.currentStateRequired(moment: push.at, at: push.at)
            let decision = cadence.next(at: push.at, showing: push.at, spending: &budget)
            log.decided(decision, with: PushContent(sequence: push.sequence, generation: 1), at: push.at)
            let acceptedAt = push.at + .milliseconds(100)
            log.completed(
                index < pushes.count ? .accepted : .rejected,
                because: .apns(reason: "PayloadTooLarge"),
                changeAt: push.at,
                at: acceptedAt
            )
        }
        let holder = UUID()
        let lease = try #require(
            try await showing.world.store.acquireLease(of: adventureID.shard, at: 0, holder: holder)
        )
        let isStored = try await showing.world.store.flush(
            lease,
            holder: holder,
            checkpoint: 0,
            activities: [],
            decisions: [ActivityDecisions(adventureID: adventureID, activityID: activityID, entries: log.encoded)]
        )
        #expect(isStored)
    }

    @Test func `operators see which accepted pushes were shown, and what Apple asks for`() async throws {
        try await withActivity { showing in
            let world = showing.world
            let now = world.clock.now
            try await accept(
                (2, now - .seconds(80)),
                (3, now - .seconds(60)),
                (4, now - .seconds(40)),
                rejecting: (3, now - .seconds(30)),
                in: showing
            )
            let viewer = try await world.operatorToken(.viewer)
            let path = "/admin/v1/activities/\(Self.activity)"
            let before = try await world.client.send("GET", path, token: viewer).json["shown"]
            #expect(before == ["accepted": 3, "shown": 0, "superseded": 0, "notShown": [:], "undecided": 3])

            // The person removed the activity before the last push.
            let dismissedAt = (now - .seconds(50)).rfc3339
            let entry: JSONValue = [
                "adventureID": .string(showing.adventure), "activityID": .string(Self.activity),
                "shown": .array([showing.shown(2, at: now - .seconds(79)), showing.shown(3, at: now - .seconds(59))]),
                "dismissedAt": .string(dismissedAt),
            ]
            #expect(try await showing.report(entry).status == 202)
            let reply = try await world.client.send("GET", "\(path)/decisions", token: viewer)
            let decisions = reply.json["decisions"].array.filter { $0["decision"] == "sent" }
            #expect(decisions.map(\.["sequence"].number) == [2, 3, 4, 3])
            #expect(decisions.map(\.["verdict"]["verdict"].text) == ["shown", "shown", "dismissed", ""])
            #expect(decisions.dropLast().map(\.["verdict"]["isShown"]) == [true, true, false])
            #expect(decisions.dropLast().allSatisfy { $0["verdict"]["text"].text.first?.isUppercase == true })
            let shown = reply.json["activity"]["shown"]
            #expect(shown["shown"] == 2 && shown["notShown"] == ["dismissed": 1] && shown["undecided"] == 0)
            #expect(reply.json["receipts"]["shown"].array.count == 2)

            let report = try await world.client.send("GET", "\(path)/report", token: viewer)
            #expect(report.status == 200 && report.json["pushType"] == "liveactivity")
            #expect(report.json["token"] == "0198a1b2… (16 bytes)" && !report.text.contains("Ada"))
            let pushes = report.json["pushes"].array
            try #require(pushes.count == 4)
            #expect(Set(pushes.map(\.["apnsID"].text)).count == 4)
            #expect(pushes[0]["verdict"] == "shown" && pushes[0]["outcome"] == "accepted")
            #expect(pushes[0]["shownAt"].text.hasPrefix((now - .seconds(79)).rfc3339.prefix(19)))
            #expect(UUID(uuidString: pushes[0]["apnsID"].text) != nil)
            #expect(pushes.map(\.["status"].number) == [200, 200, 200, 413])
            // The device has shown its state, but through another push.
            #expect(pushes[3]["reason"] == "PayloadTooLarge" && pushes[3]["shownAt"] == .null)
        }
    }

    @Test func `doctor knows devices whose Live Activities were switched off after their last report`() async throws {
        try await withActivity { showing in
            let world = showing.world
            #expect(try await showing.report(showing.entry(showing.shown(2))).status == 202)
            try await world.pass(.seconds(60))
            let off: JSONValue = [
                "environment": "simulator", "liveActivitiesEnabled": false, "frequentPushesEnabled": true,
            ]
            let path = "/v1/players/me/devices/\(Self.phone)"
            #expect(try await world.client.send("PUT", path, token: showing.ada.token, body: off).status == 200)
            try await world.pass(.seconds(10))
            try await accept((3, world.clock.now), in: showing)
            let viewer = try await world.operatorToken(.viewer)
            let checks = try await world.client.send("GET", "/admin/v1/doctor", token: viewer).json["checks"].array
            let finding = checks.first { $0["name"] == "shown pushes" }?["finding"].text
            #expect(
                finding?.hasPrefix("The verdict on 1 of 1 accepted pushes to 1 activity") == true,
                "\(finding ?? "")"
            )
        }
    }

    @Test func `each accepted push is counted once, with the time until it was shown`() async throws {
        try await withActivity { showing in
            let now = showing.world.clock.now
            try await accept((2, now - .seconds(80)), (3, now - .seconds(60)), in: showing)
            let registry = MetricRegistry()
            let recorder = ReceiptRecorder(store: showing.world.store, metrics: ReceiptMetrics(in: registry))
            let playerID = try #require(PlayerID(showing.ada.id))
            let deviceID = try #require(DeviceID(Self.phone))
            for (sequence, sentAt) in [(2, now - .seconds(70)), (3, now), (3, now)] {
                let entry = ActivityReport(
                    adventureID: try #require(AdventureID(showing.adventure)),
                    activityID: try #require(ActivityID(Self.activity)),
                    shown: [ShownState(sequence: sequence, at: now - .seconds(sequence == 2 ? 79 : 59))],
                    showing: sequence
                )
                let report = ReceiptReport(
                    sentAt: sentAt,
                    device: DeviceConditions(liveActivitiesEnabled: true),
                    activities: [entry]
                )
                _ = try await recorder.record(report, from: deviceID, of: playerID, at: sentAt)
            }
            let text = await registry.text()
            for line in [
                #"rangers_push_verdicts_total{verdict="shown"} 2"#, #"rangers_push_verdicts_total{verdict="budget"} 0"#,
                "rangers_receipts_states_total 2", #"rangers_receipts_ignored_total{reason="unknownActivity"} 0"#,
                #"rangers_push_accepted_to_shown_seconds_count{priority="5"} 2"#,
            ] {
                #expect(text.contains("\n\(line)\n"), "\(line) is not in \(text)")
            }
        }
    }

    @Test func `an export has the receipts of its player, and an erasure removes them`() async throws {
        try await withActivity { showing in
            _ = try await showing.report(showing.entry(showing.shown(2)))
            let world = showing.world
            let export = try await world.client.send("GET", "/v1/players/me/export", token: showing.ada.token)
            #expect(export.json["activities"][0]["receipts"]["shown"][0]["sequence"] == 2)
            #expect(try await world.client.send("DELETE", "/v1/players/me", token: showing.ada.token).status == 204)
            #expect(try await showing.rows == [0, 0])
        }
    }
}
