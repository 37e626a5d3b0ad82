import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import JSONCoding
import Testing

@Suite struct ActivityTests {
    private static let activityID = "0198a1b2-c3d4-7000-8000-00000000abcd"

    private func fields(
        of player: TestPlayer,
        token: String = "00ff10ab",
        frequent: Bool = true,
        locale: JSONValue = "ko"
    ) -> JSONValue {
        [
            "deviceID": .string(player.id), "pushToken": .string(token), "environment": "simulator",
            "frequentPushesEnabled": .boolean(frequent), "locale": locale,
        ]
    }

    /// Runs a test with a player on a journey, and the path of an activity on the player's phone.
    private func withJourney(
        _ body: @Sendable (APIWorld, TestPlayer, _ path: String) async throws -> Void
    ) async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let id = try await world.journey(try await world.party(of: ada), by: ada)
            try await body(world, ada, "/v1/adventures/\(id)/activities/\(Self.activityID)")
        }
    }

    @Test func `a phone registers its activity, repeats itself and rotates its token`() async throws {
        try await withJourney { world, ada, path in
            let first = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            #expect(first.status == 201)
            #expect(
                first.json.keys == [
                    "activityID", "adventureID", "deviceID", "state", "environment", "frequentPushesEnabled",
                    "locale", "generation", "registeredAt", "routable",
                ]
            )
            #expect(first.json["state"] == "live" && first.json["generation"] == 1)
            let again = try await world.client.send(
                "PUT",
                path,
                token: ada.token,
                body: fields(of: ada, token: "00FF10AB")
            )
            #expect(again.status == 200 && again.json == first.json)
            let rotated = try await world.client.send(
                "PUT",
                path,
                token: ada.token,
                body: fields(of: ada, token: "beef")
            )
            #expect(rotated.status == 200 && rotated.json["generation"] == 2)
        }
    }

    @Test func `a scheduled activity announces its start, and its dispatcher reads each change`() async throws {
        try await withJourney { world, ada, path in
            func put(_ startsAt: Timestamp) async throws -> Reply {
                guard case .object(var body) = fields(of: ada) else { throw CancellationError() }
                body["startsAt"] = .string(startsAt.rfc3339)
                return try await world.client.send("PUT", path, token: ada.token, body: .object(body))
            }
            let now = world.clock.now
            #expect(try await put(now + .seconds(600)).status == 201)
            let id = try #require(ActivityID(Self.activityID))
            func stored() async throws -> Activity { try #require(try await world.store.activities(named: id).first) }
            #expect(try await stored().startedAt.epochSeconds == (now + .seconds(600)).epochSeconds)
            // The person has started it earlier.
            let started = try await put(now + .seconds(60))
            #expect(started.status == 200 && started.json["generation"] == 1)
            #expect(try await put(now + .seconds(60)).json == started.json)
            let activity = try await stored()
            #expect(activity.startedAt.epochSeconds == (now + .seconds(60)).epochSeconds)
            let entries = try await world.store.log(of: activity.adventureID.shard, after: 0, limit: 1_000)
            #expect(entries.count { if case .activityRegistered(id) = $0.content { true } else { false } } == 2)
            for distant in [now - .seconds(13 * 3_600), now + .seconds(8 * 86_400)] {
                let reply = try await put(distant)
                #expect(reply.fieldErrors == ["startsAt": "must be within the last 12 hours or the next 7 days"])
            }
        }
    }

    @Test func `a changed locale takes effect`() async throws {
        try await withJourney { world, ada, path in
            func put(_ locale: JSONValue, token: String = "0a") async throws -> Reply {
                try await world.client.send(
                    "PUT",
                    path,
                    token: ada.token,
                    body: fields(of: ada, token: token, locale: locale)
                )
            }
            #expect(try await put("ko").json["locale"] == "ko")
            let changed = try await put("pt_BR")
            #expect(changed.status == 200 && changed.json["locale"] == "pt-BR" && changed.json["generation"] == 1)
            let rotated = try await put("de", token: "0b")
            #expect(rotated.json["locale"] == "de" && rotated.json["generation"] == 2)
            #expect(try await put(.null, token: "0b").json["locale"] == .null)
            let export = try await world.client.send("GET", "/v1/players/me/export", token: ada.token)
            #expect(export.json["activities"][0]["locale"] == .null)
        }
    }

    @Test func `a locale must begin with a language`() async throws {
        try await withJourney { world, ada, path in
            func reply(_ locale: String) async throws -> Reply {
                try await world.client.send(
                    "PUT",
                    path,
                    token: ada.token,
                    body: fields(of: ada, locale: .string(locale))
                )
            }
            for locale in [
                "ko", "EN-gb", "zh-Hant-TW", "yue-Hant-HK", "es-419", "sl-rozaj-biske", "de-CH-1901", "iw",
                "en-US-u-rg-gbzzzz", "ar-x-arena", "apc",
            ] {
                let status = try await reply(locale).status
                #expect(status < 300, "\(locale)")
            }
            let ofApple = try await reply("en_US@calendar=japanese;numbers=latn")
            #expect(ofApple.json["locale"] == "en-US")
            for (locale, reason) in [
                ("xx-klingon", "must begin with a language: ISO 639-1 has no xx"),
                ("klingon", "must be a language tag (BCP 47) such as ko or pt-BR"),
                ("e", "must be a language tag (BCP 47) such as ko or pt-BR"),
                ("en--US", "must be a language tag (BCP 47) such as ko or pt-BR"),
                ("en-US-US", "must be a language tag (BCP 47) such as ko or pt-BR"),
                ("@calendar=japanese", "must be a language tag (BCP 47) such as ko or pt-BR"),
                ("en-x", "must be a language tag (BCP 47) such as ko or pt-BR"),
            ] {
                let errors = try await reply(locale).fieldErrors
                #expect(errors == ["locale": reason], "\(locale)")
            }
        }
    }

    @Test func `an activity of an environment that no dispatcher sends to is not routable`() async throws {
        try await withJourney { world, ada, path in
            func isRoutable() async throws -> JSONValue {
                try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada)).json["routable"]
            }
            #expect(try await isRoutable() == false)
            try await world.store.register(
                dispatcher: UUID(),
                knowsAll: true,
                sendingTo: [.production],
                for: .seconds(600)
            )
            #expect(try await isRoutable() == false)
            let holder = UUID()
            try await world.store.register(
                dispatcher: holder,
                knowsAll: true,
                sendingTo: [.simulator],
                for: .seconds(600)
            )
            #expect(try await isRoutable() == true)
            try await world.store.end(dispatcher: holder)
            #expect(try await isRoutable() == false)
        }
    }

    @Test func `frequentPushesEnabled holds for the activity's life`() async throws {
        try await withJourney { world, ada, path in
            _ = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            let reply = try await world.client.send(
                "PUT",
                path,
                token: ada.token,
                body: fields(of: ada, frequent: false)
            )
            #expect(reply.status == 409 && reply.slug == "frequent-pushes-fixed")
        }
    }

    @Test func `a repeated registration does not say that a released activity gets pushes`() async throws {
        try await withJourney { world, ada, path in
            let headers = ["Idempotency-Key": "first"]
            func register() async throws -> Reply {
                try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada), headers: headers)
            }
            let first = try await register()
            let repeated = try await register()
            #expect(first.status == 201 && repeated.status == 201 && repeated.json == first.json)
            // The removal of its device releases it, also if the app registers the device again.
            let device = "/v1/players/me/devices/\(ada.id)"
            #expect(try await world.client.send("DELETE", device, token: ada.token).status == 204)
            #expect(try await register().slug == "unknown-device")
            let body: JSONValue = [
                "environment": "simulator", "liveActivitiesEnabled": true, "frequentPushesEnabled": true,
            ]
            #expect(try await world.client.send("PUT", device, token: ada.token, body: body).status == 201)
            let released = try await register()
            #expect(released.status == 409 && released.slug == "activity-released")
        }
    }

    @Test func `releasing an activity is idempotent`() async throws {
        try await withJourney { world, ada, path in
            #expect(try await world.client.send("DELETE", path, token: ada.token).slug == "unknown-activity")
            _ = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            #expect(try await world.client.send("DELETE", path, token: ada.token).status == 204)
            #expect(try await world.client.send("DELETE", path, token: ada.token).status == 204)
            for token in ["00ff10ab", "beef"] {
                let reply = try await world.client.send(
                    "PUT",
                    path,
                    token: ada.token,
                    body: fields(of: ada, token: token)
                )
                #expect(reply.status == 409 && reply.slug == "activity-released")
            }
        }
    }

    /// Writes the delivery state of an activity, as its dispatcher does.
    private func flush(_ activity: Activity, as state: Activity.State, lastTimestamp: Int64, in store: GameStore)
        async throws
    {
        let holder = UUID()
        try await store.register(dispatcher: holder, knowsAll: true, sendingTo: [.simulator], for: .seconds(600))
        let lease = try #require(
            try await store.acquireLease(of: activity.adventureID.shard, at: 0, holder: holder)
        )
        let mark = ActivityCheckpoint(
            adventureID: activity.adventureID,
            activityID: activity.id,
            generation: activity.generation,
            lastTimestamp: lastTimestamp,
            acknowledgedAt: activity.acknowledgedAt,
            acceptedAlerts: [],
            state: state
        )
        #expect(try await store.flush(lease, holder: holder, checkpoint: 0, activities: [mark]))
    }

    @Test func `a new token for an activity whose token is dead makes it live, and the response says so`() async throws
    {
        try await withJourney { world, ada, path in
            _ = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            let id = try #require(ActivityID(Self.activityID))
            let activity = try #require(try await world.store.activities(named: id).first)
            try await flush(activity, as: .dead, lastTimestamp: 0, in: world.store)
            let again = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            #expect(again.status == 200 && again.json["state"] == "dead")
            let renewed = try await world.client.send(
                "PUT",
                path,
                token: ada.token,
                body: fields(of: ada, token: "beef")
            )
            #expect(renewed.status == 200 && renewed.json["state"] == "live")
            #expect(try await world.store.activities(named: id).first?.state == .live)
        }
    }

    @Test func `a token belongs to the activity that registered it last, and its timestamps go on`() async throws {
        try await withJourney { world, ada, path in
            let fight = try await world.bossFight(try await world.party(of: ada))
            let newID = Self.activityID.replacing("abcd", with: "abce")
            let newPath = "/v1/adventures/\(fight)/activities/\(newID)"
            #expect(try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada)).status == 201)
            func activity(_ text: String) async throws -> Activity {
                let id = try #require(ActivityID(text))
                return try #require(try await world.store.activities(named: id).first)
            }
            let old = try await activity(Self.activityID)
            let ahead = old.registeredAt.epochSeconds + 100
            try await flush(old, as: .live, lastTimestamp: ahead, in: world.store)
            #expect(try await world.client.send("PUT", newPath, token: ada.token, body: fields(of: ada)).status == 201)
            #expect(try await activity(Self.activityID).state == .released)
            let new = try await activity(newID)
            #expect(new.state == .live && new.lastTimestamp >= ahead)
            let log = try await world.store.log(of: old.adventureID.shard, after: 0, limit: 1_000)
            #expect(log.contains { if case .activityReleased(old.id) = $0.content { true } else { false } })
            // The older activity does not take the token back, and a repeated registration changes nothing.
            let older = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            #expect(older.slug == "activity-released")
            #expect(try await world.client.send("PUT", newPath, token: ada.token, body: fields(of: ada)).status == 200)
            #expect(try await activity(newID).state == .live)
            // The same holds for a token that replaces another one.
            let third = newPath.replacing("abce", with: "abcf")
            #expect(
                try await world.client.send("PUT", third, token: ada.token, body: fields(of: ada, token: "cafe")).status
                    == 201
            )
            #expect(
                try await world.client.send("PUT", newPath, token: ada.token, body: fields(of: ada, token: "cafe"))
                    .status == 200
            )
            #expect(try await activity(newID.replacing("abce", with: "abcf")).state == .released)
            #expect(try await activity(newID).state == .live)
        }
    }

    @Test func `a phone that is passed on shows the activities of its new player only`() async throws {
        try await withJourney { world, ada, path in
            #expect(try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada)).status == 201)
            func activity(_ text: String) async throws -> Activity {
                let id = try #require(ActivityID(text))
                return try #require(try await world.store.activities(named: id).first)
            }
            let old = try await activity(Self.activityID)
            let ahead = old.registeredAt.epochSeconds + 100
            try await flush(old, as: .live, lastTimestamp: ahead, in: world.store)
            let ben = try await world.player("Ben")
            let journey = try await world.journey(try await world.party(of: ben), by: ben)
            let newID = Self.activityID.replacing("abcd", with: "abce")
            let newPath = "/v1/adventures/\(journey)/activities/\(newID)"
            let passedOn = try await world.client.send("PUT", newPath, token: ben.token, body: fields(of: ben))
            #expect(passedOn.status == 201 && passedOn.json["activityID"] == .string(newID))
            #expect(try await activity(Self.activityID).state == .released)
            let new = try await activity(newID)
            #expect(new.state == .live && new.lastTimestamp >= ahead)
        }
    }

    @Test func `only its player can change an activity`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let id = try await world.journey(try await world.party(of: ada, ben), by: ada)
            let path = "/v1/adventures/\(id)/activities/\(Self.activityID)"
            _ = try await world.client.send("PUT", path, token: ada.token, body: fields(of: ada))
            let eve = try await world.player("Eve")
            for method in ["PUT", "DELETE"] {
                func body(of player: TestPlayer) -> JSONValue? {
                    method == "PUT" ? fields(of: player, token: "beef") : nil
                }
                let bodyOfBen = body(of: ben)
                let companion = try await world.client.send(method, path, token: ben.token, body: bodyOfBen)
                // Registering under the same identifier is a conflict; otherwise the activity appears not to exist.
                #expect(companion.slug == (method == "PUT" ? "activity-taken" : "unknown-activity"))
                if method == "DELETE" {
                    let nowhere = path.replacing(Self.activityID, with: "0198a1b2-c3d4-7000-8000-00000000abce")
                    let unknown = try await world.client.send(method, nowhere, token: ben.token)
                    #expect(unknown.text == companion.text)
                }
                let stranger = try await world.client.send(method, path, token: eve.token, body: body(of: eve))
                #expect(stranger.status == 404 && stranger.slug == "unknown-adventure")
            }
        }
    }

    @Test func `all invalid fields are reported at once`() async throws {
        try await withJourney { world, ada, path in
            let body: JSONValue = [
                "deviceID": "phone", "pushToken": "xyz", "environment": "moon", "frequentPushesEnabled": "yes",
                "locale": "kor ean", "startsAt": "tomorrow",
            ]
            let reply = try await world.client.send("PUT", path, token: ada.token, body: body)
            #expect(reply.status == 422)
            #expect(
                reply.fieldErrors == [
                    "deviceID": "must be a UUID",
                    "startsAt": "must be a time like 2026-01-31T12:00:00Z",
                    "pushToken": "must be 1 to 256 bytes in hexadecimal",
                    "environment": "must be one of production, sandbox, simulator",
                    "frequentPushesEnabled": "must be true or false",
                    "locale": "must be a language tag (BCP 47) such as ko or pt-BR",
                ]
            )
            #expect(!reply.text.contains("xyz"))
            let noID = path.replacing(Self.activityID, with: "seven")
            for (method, body) in [("PUT", fields(of: ada)), ("DELETE", nil)] {
                let misnamed = try await world.client.send(method, noID, token: ada.token, body: body)
                #expect(misnamed.fieldErrors == ["activityID": "must be a UUID"])
            }
            let withoutLocale = try await world.client.send(
                "PUT",
                path,
                token: ada.token,
                body: fields(of: ada, locale: .null)
            )
            #expect(withoutLocale.status == 201 && withoutLocale.json["locale"] == .null)
        }
    }
}
