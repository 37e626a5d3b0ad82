import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import JSONCoding
import PushCadence
import PushDispatch
import Testing

/// The operators' routes of an activity.
@Suite struct ActivityDetailTests {
    private static let activityID = "0198a1b2-c3d4-7000-8000-00000000abcd"
    private static let path = "/admin/v1/activities/\(activityID)"

    /// Runs a test with an activity that shows a journey, and a viewer's token.
    private func withActivity(
        cadence: CadencePolicy = CadencePolicy(),
        _ body: @Sendable (_ world: APIWorld, _ adventure: String, _ viewer: String) async throws -> Void
    ) async throws {
        try await APIWorld.with(cadence: cadence) { world in
            let ada = try await world.player("Ada")
            let adventure = try await world.journey(try await world.party(of: ada), by: ada)
            let fields: JSONValue = [
                "deviceID": .string(ada.id), "pushToken": "00ff10ab", "environment": "simulator",
                "frequentPushesEnabled": true, "locale": "ko",
            ]
            let path = "/v1/adventures/\(adventure)/activities/\(Self.activityID)"
            _ = try await world.client.send("PUT", path, token: ada.token, body: fields)
            try await body(world, adventure, try await world.operatorToken(.viewer))
        }
    }

    @Test func `an activity's identifier suffices for all its details, except for its token`()
        async throws
    {
        try await withActivity { world, adventure, viewer in
            let reply = try await world.client.send("GET", Self.path, token: viewer)
            #expect(reply.status == 200)
            #expect(reply.json["activityID"] == .string(Self.activityID))
            #expect(reply.json["adventureID"] == .string(adventure))
            #expect(reply.json["partyName"] == "Test party" && reply.json["playerName"] == "Ada")
            #expect(reply.json["heroName"] == "Spouty" && reply.json["adventureKind"] == "journey")
            #expect(reply.json["adventureStatus"] == "running" && reply.json["state"] == "live")
            #expect(reply.json["waitReason"] == "No decision has been made for it yet")
            #expect(!reply.json.keys.contains("lastPushAt") && !reply.json.keys.contains("pushToken"))
            #expect(reply.json["tokenFingerprint"].text.count == 8)
        }
    }

    @Test func `the outcome of a requested push is in the decisions`() async throws {
        try await withActivity { world, adventure, viewer in
            let admin = try await world.operatorToken(.admin, name: "Ada")
            let path = "\(Self.path)/pushes"
            #expect(try await world.client.send("POST", path, token: viewer).status == 403)
            let wrong = try await world.client.send("POST", "\(path)?event=start", token: admin)
            #expect(wrong.fieldErrors["event"] == "must be update or end")
            let requested = try await world.client.send("POST", "\(path)?event=end", token: admin)
            #expect(requested.status == 202)
            let position = Int64(requested.json["position"].number)
            let id = try #require(AdventureID(adventure))
            let content = try await world.store.log(of: id.shard, after: position - 1, limit: 1).first?.content
            guard case .activityPushRequested(_, .end)? = content else {
                Issue.record("the log has \(String(describing: content))")
                return
            }
            #expect(try await world.store.auditEntries(limit: 1).first?.after?.contains(#""event":"end""#) == true)

            let before = try await world.client.send("GET", "\(Self.path)/decisions", token: viewer)
            #expect(before.status == 200 && !before.json.keys.contains("requestedPush"))
            #expect(before.json["hasDispatcher"] == false)
            #expect(Int64(before.json["pendingPush"]["position"].number) == position)
            #expect(before.json["pendingPush"]["event"] == "end")
            #expect(before.json["pendingPush"]["requestedAt"].text.hasPrefix("2026-09-21T14:13:20."))
            let report = #"""
                {"outcome":"accepted","environment":"simulator","headers":[{"name":"apns-priority","value":"10"}],
                "host":"127.0.0.1","meaning":"APNs has taken the push.","payload":"{\"aps\":{}}","payloadBytes":10,"port":2197,
                "remedy":"Look at the phone.","request":"POST /3/device/00ff10…(4 bytes)","status":200}
                """#
            let holder = UUID()
            try await world.store.register(dispatcher: holder, knowsAll: true, sendingTo: [], for: .seconds(600))
            let lease = try #require(try await world.store.acquireLease(of: id.shard, at: 0, holder: holder))
            let activityID = try #require(ActivityID(Self.activityID))
            // The late report of an earlier push does not affect that of the newest one.
            for (position, text) in [(position - 1, "{}"), (position, report)] {
                let push = RequestedPush(adventureID: id, activityID: activityID, position: position, report: text)
                _ = try await world.store.flush(
                    lease,
                    holder: holder,
                    checkpoint: 0,
                    activities: [],
                    requestedPushes: [push]
                )
            }
            let after = try await world.client.send("GET", "\(Self.path)/decisions", token: viewer)
            #expect(after.json["hasDispatcher"] == true && !after.json.keys.contains("pendingPush"))
            #expect(Int64(after.json["requestedPush"]["position"].number) == position)
            #expect(after.json["requestedPush"]["push"]["outcome"] == "accepted")
            #expect(after.json["requestedPush"]["push"]["headers"] == [["name": "apns-priority", "value": "10"]])
        }
    }

    @Test func `the preview's timestamp is later than that of every earlier push`() async throws {
        try await withActivity { world, adventure, viewer in
            func payload(_ query: String) async throws -> (reply: Reply, aps: JSONValue) {
                let reply = try await world.client.send("GET", "\(Self.path)/payload\(query)", token: viewer)
                let text = reply.json["payload"].text
                #expect(Int(reply.json["payloadBytes"].number) == text.utf8.count)
                return (reply, try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))["aps"])
            }
            let update = try await payload("")
            #expect(update.reply.status == 200 && update.reply.json["environment"] == "simulator")
            #expect(update.aps["event"] == "update" && update.aps["content-state"]["heroes"].array.count == 1)
            #expect(!update.reply.text.contains("00ff10ab"))

            let id = try #require(AdventureID(adventure))
            let ahead = Int64(update.aps["timestamp"].number) + 100
            let holder = UUID()
            let lease = try #require(try await world.store.acquireLease(of: id.shard, at: 0, holder: holder))
            let mark = ActivityCheckpoint(
                adventureID: id,
                activityID: try #require(ActivityID(Self.activityID)),
                generation: 1,
                lastTimestamp: ahead,
                acknowledgedAt: Timestamp(epochSeconds: 1_790_000_000),
                acceptedAlerts: [],
                state: .live
            )
            _ = try await world.store.flush(lease, holder: holder, checkpoint: 0, activities: [mark])
            let end = try await payload("?event=end")
            #expect(end.aps["event"] == "end" && Int64(end.aps["timestamp"].number) == ahead + 1)
            #expect(Int64(end.aps["dismissal-date"].number) > ahead + 1)
            #expect(end.aps["content-state"] == update.aps["content-state"])
        }
    }

    @Test func `the preview's dates follow the dispatcher's policy`() async throws {
        var cadence = CadencePolicy()
        cadence.frequent.journeyStaleAfter = .seconds(77)
        cadence.dismissalAfter = .seconds(88)
        try await withActivity(cadence: cadence) { world, _, viewer in
            for (event, date, seconds) in [("update", "stale-date", 77.0), ("end", "dismissal-date", 88.0)] {
                let reply = try await world.client.send("GET", "\(Self.path)/payload?event=\(event)", token: viewer)
                let payload = try JSONDecoder().decode(JSONValue.self, from: Data(reply.json["payload"].text.utf8))
                let aps = payload["aps"]
                #expect(aps[date].number - aps["timestamp"].number == seconds)
            }
        }
    }

    @Test func `decision records are in order, with the current wait`() async throws {
        try await withActivity { world, adventure, viewer in
            let id = try #require(AdventureID(adventure))
            let moment = Timestamp(epochSeconds: 1_790_000_000)
            var log = DecisionLog()
            log.observed(.registered, at: moment)
            log.decided(.wait(until: moment + .seconds(1), .minimumSpacing), at: moment)
            log.observed(.event(kind: "travelled"), at: moment + .seconds(1))
            log.decided(.wait(until: moment + .seconds(30), .lowSpacing), at: moment + .milliseconds(1_500))
            let holder = UUID()
            let lease = try #require(try await world.store.acquireLease(of: id.shard, at: 0, holder: holder))
            let activityID = try #require(ActivityID(Self.activityID))
            let written = try await world.store.flush(
                lease,
                holder: holder,
                checkpoint: 0,
                activities: [],
                decisions: [ActivityDecisions(adventureID: id, activityID: activityID, entries: log.encoded)]
            )
            #expect(written)

            let reply = try await world.client.send("GET", "\(Self.path)/decisions", token: viewer)
            #expect(reply.status == 200)
            #expect(
                reply.json["decisions"] == [
                    [
                        "at": "2026-09-21T14:13:20.000Z", "changeAt": "2026-09-21T14:13:20.000Z", "events": 0,
                        "decision": "delayed",
                        "trigger": "The app registered the activity", "action": "Delayed",
                        "reason": "at most one push a second", "until": "2026-09-21T14:13:21.000Z",
                    ],
                    [
                        "at": "2026-09-21T14:13:21.500Z", "changeAt": "2026-09-21T14:13:21.000Z", "events": 0,
                        "decision": "delayed",
                        "trigger": "Travelled", "action": "Delayed",
                        "reason": "small changes are coalesced", "until": "2026-09-21T14:13:50.000Z",
                    ],
                ]
            )
            let activity = reply.json["activity"]
            #expect(activity["activityID"] == .string(Self.activityID))
            #expect(activity["waitReason"] == "Waiting: small changes are coalesced")
            #expect(activity["waitsUntil"] == "2026-09-21T14:13:50.000Z")
        }
    }

    @Test func `an activity without decisions has an empty list`() async throws {
        try await withActivity { world, _, viewer in
            let reply = try await world.client.send("GET", "\(Self.path)/decisions", token: viewer)
            #expect(reply.status == 200 && reply.json["decisions"] == [])
        }
    }

    @Test(arguments: ["", "/decisions"])
    func `an unknown activity is not found`(suffix: String) async throws {
        try await APIWorld.with { world in
            let viewer = try await world.operatorToken(.viewer)
            let path = "/admin/v1/activities/0198a1b2-c3d4-7000-8000-00000000ffff\(suffix)"
            let reply = try await world.client.send("GET", path, token: viewer)
            #expect(reply.status == 404 && reply.slug == "unknown-activity")
        }
    }

    @Test func `players cannot read operators' routes`() async throws {
        try await withActivity { world, _, _ in
            let ada = try await world.player("Eve")
            for path in [Self.path, "\(Self.path)/decisions"] {
                #expect(try await world.client.send("GET", path, token: ada.token).status == 401)
                #expect(try await world.client.send("GET", path).status == 401)
            }
        }
    }
}
