import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import GameTestSupport
import JSONCoding
import TestSupport
import Testing

@Suite struct DeviceRouteTests {
    private static let phone = "0198a1b2-0000-7000-8000-0000000000aa"
    private static let tablet = "0198a1b2-0000-7000-8000-0000000000bb"

    private func path(_ device: String) -> String { "/v1/players/me/devices/\(device)" }

    private func fields(
        token: String? = nil,
        alertToken: String? = nil,
        widgetToken: String? = nil,
        environment: JSONValue = "simulator",
        activities: Bool = true
    ) -> JSONValue {
        var fields: [String: JSONValue] = [
            "environment": environment, "liveActivitiesEnabled": .boolean(activities), "frequentPushesEnabled": true,
        ]
        fields["pushToStartToken"] = token.map { .string($0) }
        fields["alertToken"] = alertToken.map { .string($0) }
        fields["widgetToken"] = widgetToken.map { .string($0) }
        return .object(fields)
    }

    private func put(_ device: String, _ fields: JSONValue, of player: TestPlayer, in world: APIWorld) async throws
        -> Reply
    {
        try await world.client.send("PUT", path(device), token: player.token, body: fields)
    }

    /// Returns the devices on which a dispatcher would start activities.
    private func startable(_ player: TestPlayer, in world: APIWorld) async throws -> [String] {
        let id = try #require(PlayerID(player.id))
        return try await world.store.startableDevices(of: [id]).map { "\($0.id)" }
    }

    @Test func `a device is registered, shown without its tokens, changed and removed`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            var body = fields(token: "00FF")
            if case .object(var all) = body {
                all["locale"] = "pt_BR"
                all["appBuild"] = "2.1 (47)"
                all["followsRaids"] = true
                body = .object(all)
            }
            let first = try await put(Self.phone, body, of: ada, in: world)
            #expect(first.status == 201)
            #expect(
                first.json.keys == [
                    "deviceID", "environment", "locale", "appBuild", "liveActivitiesEnabled", "frequentPushesEnabled",
                    "followsRaids",
                    "hasPushToStartToken", "hasAlertToken", "hasWidgetToken", "alerts", "timeZoneKnown", "registeredAt",
                    "updatedAt", "routable",
                ]
            )
            #expect(first.json["deviceID"] == .string(Self.phone) && first.json["locale"] == "pt-BR")
            #expect(first.json["hasPushToStartToken"] == true && first.json["hasAlertToken"] == false)
            #expect(first.json["followsRaids"] == true)
            let shown = try await world.client.send("GET", path(Self.phone), token: ada.token)
            #expect(shown.status == 200 && shown.json == first.json && !shown.text.lowercased().contains("00ff"))
            let devices = try await world.client.send("GET", "/v1/players/me/devices", token: ada.token).json["devices"]
            #expect(Set(devices.array.map { $0["deviceID"] }) == [.string(ada.id), .string(Self.phone)])

            // Nothing has changed, and what the response says is stored.
            try await world.pass(.seconds(60))
            #expect(try await put(Self.phone, body, of: ada, in: world).json == first.json)
            #expect(try await world.client.send("GET", path(Self.phone), token: ada.token).json == first.json)

            // A request replaces everything, so the token is removed.
            let changed = try await put(Self.phone, fields(), of: ada, in: world)
            #expect(changed.status == 200 && changed.json["hasPushToStartToken"] == false)
            #expect(changed.json["followsRaids"] == false)
            #expect(changed.json["registeredAt"] == first.json["registeredAt"] && changed.json["locale"] == .null)
            #expect(try await world.client.send("DELETE", path(Self.phone), token: ada.token).status == 204)
            for method in ["GET", "DELETE"] {
                let unknown = try await world.client.send(method, path(Self.phone), token: ada.token)
                #expect(unknown.status == 404 && unknown.slug == "unknown-device")
            }
        }
    }

    @Test func `a tablet beside a phone has activities and starts of its own`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let journey = try await world.journey(try await world.party(of: ada), by: ada)
            for (device, token) in [(Self.phone, "aa"), (Self.tablet, "bb")] {
                #expect(try await put(device, fields(token: token), of: ada, in: world).status == 201)
            }
            #expect(try await startable(ada, in: world) == [Self.phone, Self.tablet])
            // No activity is started on a device that does not show any.
            _ = try await put(Self.tablet, fields(token: "bb", activities: false), of: ada, in: world)
            #expect(try await startable(ada, in: world) == [Self.phone])

            func register(_ number: Int, on device: String) async throws -> Reply {
                let path = "/v1/adventures/\(journey)/activities/0198a1b2-0000-7000-8000-00000000000\(number)"
                let body: JSONValue = [
                    "deviceID": .string(device), "pushToken": .string("0\(number)"), "environment": "simulator",
                    "frequentPushesEnabled": true,
                ]
                return try await world.client.send("PUT", path, token: ada.token, body: body)
            }
            for number in 0..<Activity.maxLivePerDevice {
                #expect(try await register(number, on: Self.phone).status == 201)
            }
            // iOS shows no sixth activity of an app. The tablet shows its own.
            let sixth = try await register(8, on: Self.phone)
            #expect(sixth.status == 409 && sixth.slug == "too-many-activities")
            #expect(try await register(9, on: Self.tablet).status == 201)
            let moved = try await register(0, on: Self.tablet)
            #expect(moved.status == 409 && moved.slug == "device-fixed")

            // A removed device takes its activities along.
            #expect(try await world.client.send("DELETE", path(Self.phone), token: ada.token).status == 204)
            let adventureID = try #require(AdventureID(journey))
            let live = try await world.store.activities(of: adventureID).filter { $0.state == .live }
            #expect(live.map { "\($0.deviceID)" } == [Self.tablet])
            let orphan = try await register(7, on: Self.phone)
            #expect(orphan.status == 404 && orphan.slug == "unknown-device")
        }
    }

    @Test func `the newest registration of a token has it, whichever player's device it is`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            let tokens = fields(token: "00ff", alertToken: "0a", widgetToken: "0b")
            _ = try await put(Self.phone, tokens, of: ada, in: world)
            let taken = try await put(Self.phone, tokens, of: ben, in: world)
            // Nothing is told of the other player, whose device has the same identifier.
            #expect(taken.status == 201 && taken.json["hasPushToStartToken"] == true)
            #expect(taken.json["hasWidgetToken"] == true)
            #expect(try await startable(ada, in: world) == [])
            #expect(try await startable(ben, in: world) == [Self.phone])
            let lost = try await world.client.send("GET", path(Self.phone), token: ada.token).json
            #expect(lost["hasPushToStartToken"] == false && lost["hasAlertToken"] == false)
            #expect(lost["hasWidgetToken"] == false)
            // The same holds for two devices of one player.
            _ = try await put(Self.tablet, fields(token: "00ff"), of: ben, in: world)
            #expect(try await startable(ben, in: world) == [Self.tablet])
        }
    }

    @Test func `a device of another player is unknown`() async throws {
        try await APIWorld.with { world in
            let (ada, ben) = (try await world.player("Ada"), try await world.player("Ben"))
            _ = try await put(Self.phone, fields(token: "00ff"), of: ada, in: world)
            for method in ["GET", "DELETE"] {
                let foreign = try await world.client.send(method, path(Self.phone), token: ben.token)
                let nowhere = try await world.client.send(method, path(Self.tablet), token: ben.token)
                #expect(foreign.status == 404 && foreign.text == nowhere.text)
            }
            let journey = try await world.journey(try await world.party(of: ada, ben), by: ada)
            let body: JSONValue = [
                "deviceID": .string(Self.phone), "pushToken": "0a", "environment": "simulator",
                "frequentPushesEnabled": true,
            ]
            let activityPath = "/v1/adventures/\(journey)/activities/\(Self.tablet)"
            let foreign = try await world.client.send("PUT", activityPath, token: ben.token, body: body)
            #expect(foreign.status == 404 && foreign.slug == "unknown-device")
            #expect(try await startable(ada, in: world) == [Self.phone])
            #expect(try await world.client.send("PUT", path(Self.phone), body: fields()).status == 401)
        }
    }

    @Test func `a player has ten devices at most`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            // The player has one already.
            for number in 1...9 {
                let id = Self.phone.replacing("00aa", with: "100\(number)")
                #expect(try await put(id, fields(), of: ada, in: world).status == 201)
            }
            let eleventh = try await put(Self.phone, fields(), of: ada, in: world)
            #expect(eleventh.status == 409 && eleventh.slug == "too-many-devices")
            #expect(try await world.client.send("DELETE", path(ada.id), token: ada.token).status == 204)
            #expect(try await put(Self.phone, fields(), of: ada, in: world).status == 201)
        }
    }

    @Test func `a repeated registration with one key is one registration`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            func send(_ token: String) async throws -> Reply {
                try await world.client.send(
                    "PUT",
                    path(Self.phone),
                    token: ada.token,
                    body: fields(token: token),
                    headers: ["Idempotency-Key": "once"]
                )
            }
            let (first, again) = (try await send("aa"), try await send("aa"))
            #expect(first.status == 201 && again.status == 201 && again.json == first.json)
            #expect(try await send("bb").slug == "idempotency-key-reused")
        }
    }

    @Test func `a device of an environment that no dispatcher sends to is not routable`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            func isRoutable(_ environment: JSONValue) async throws -> JSONValue {
                let body = fields(token: "00ff", environment: environment)
                return try await put(Self.phone, body, of: ada, in: world).json["routable"]
            }
            #expect(try await isRoutable("simulator") == false)
            try await world.store.register(
                dispatcher: UUID(),
                knowsAll: true,
                sendingTo: [.simulator],
                for: .seconds(600)
            )
            #expect(try await isRoutable("simulator") == true)
            #expect(try await isRoutable("sandbox") == false)
        }
    }

    @Test func `all invalid fields are reported at once, without the tokens`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let body: JSONValue = [
                "environment": "moon", "pushToStartToken": "5ecret", "alertToken": "", "widgetToken": "w",
                "locale": "kor ean",
                "appBuild": "2.1\n", "token": "aa", "followsRaids": "yes",
            ]
            let reply = try await put(Self.phone, body, of: ada, in: world)
            #expect(reply.status == 422)
            #expect(
                reply.fieldErrors == [
                    "environment": "must be one of production, sandbox, simulator",
                    "liveActivitiesEnabled": "is missing",
                    "frequentPushesEnabled": "is missing",
                    "followsRaids": "must be true or false",
                    "pushToStartToken": "must be 1 to 256 bytes in hexadecimal",
                    "alertToken": "must be 1 to 256 bytes in hexadecimal",
                    "widgetToken": "must be 1 to 256 bytes in hexadecimal",
                    "locale": "must be a language tag (BCP 47) such as ko or pt-BR",
                    "appBuild": "must be 1 to 40 printable characters of ASCII",
                    "token": "is not a field of this request",
                ]
            )
            #expect(!reply.text.contains("5ecret"))
            let misnamed = try await put("seven", fields(), of: ada, in: world)
            #expect(misnamed.fieldErrors == ["deviceID": "must be a UUID"])
        }
    }

    @Test func `a device has muted categories and quiet hours, which a request without them removes`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            func body(_ alerts: JSONValue) -> JSONValue {
                [
                    "environment": "simulator", "liveActivitiesEnabled": true, "frequentPushesEnabled": true,
                    "alerts": alerts,
                ]
            }
            let hours: JSONValue = ["from": 1_320, "to": 420, "timeZone": "Europe/Berlin"]
            let night: JSONValue = ["muted": ["boss", "ownTurn"], "quietHours": hours]
            let first = try await put(Self.phone, body(night), of: ada, in: world)
            #expect(first.status == 201 && first.json["alerts"] == night && first.json["timeZoneKnown"] == true)
            let shown = try await world.client.send("GET", path(Self.phone), token: ada.token)
            #expect(shown.json["alerts"] == night)
            let loud = try await put(Self.phone, fields(), of: ada, in: world)
            #expect(loud.json["alerts"] == ["muted": []] && loud.json["timeZoneKnown"] == true)
            // As from a phone with a newer database of time zones.
            let newer: JSONValue = ["muted": [], "quietHours": ["from": 0, "to": 1, "timeZone": "Middle/Earth"]]
            let accepted = try await put(Self.phone, body(newer), of: ada, in: world)
            #expect(accepted.status == 200 && accepted.json["alerts"] == newer)
            #expect(accepted.json["timeZoneKnown"] == false)

            let wrong: JSONValue = [
                "muted": ["loot"], "quietHours": ["from": 1_440, "to": 0, "timeZone": "Middle Earth", "days": 5],
            ]
            let refused = try await put(Self.phone, body(wrong), of: ada, in: world)
            #expect(refused.status == 422)
            #expect(
                refused.fieldErrors == [
                    "alerts.muted": "must be a list of ownTurn, companions, danger, boss",
                    "alerts.quietHours.from": "must be a whole number from 0 to 1439",
                    "alerts.quietHours.timeZone": "must be the identifier of a time zone, such as Europe/Berlin",
                    "alerts.quietHours.days": "is not a field of this request",
                ]
            )
            let never: JSONValue = ["quietHours": ["from": 60, "to": 60, "timeZone": "UTC"]]
            let empty = try await put(Self.phone, body(never), of: ada, in: world)
            #expect(empty.fieldErrors == ["alerts.quietHours.to": "must differ from `from`"])
        }
    }

    @Test func `operators see a player's devices with the alerts of the last hour, without tokens`() async throws {
        try await APIWorld.with { world in
            let (ada, viewer) = (try await world.player("Ada"), try await world.operatorToken(.viewer))
            let body = fields(token: "5f1d4c0a77ee", alertToken: "5f1d4c0a77ef", widgetToken: "5f1d4c0a77aa")
            _ = try await put(Self.phone, body, of: ada, in: world)
            let id = try #require(PlayerID(ada.id))
            let device = try #require(try await world.store.alertableDevices(of: [id]).first)
            let adventureID = AdventureID(rawValue: UUID())
            let now = world.clock.now
            let alerts = [(1, 3_601), (2, 3_599)].map { sequence, age in
                SentAlert(adventureID: adventureID, sequence: sequence, at: now - .seconds(age))
            }
            #expect(try await world.store.claimAlert(alerts, for: device))
            let path = "/admin/v1/players/\(ada.id)/devices"
            let shown = try await world.client.send("GET", path, token: viewer)
            let phone = try #require(shown.json["devices"].array.first { $0["deviceID"] == .string(Self.phone) })
            #expect(phone["hasAlertToken"] == true && phone["sentAlerts"].array.map { $0["sequence"] } == [2])
            #expect(shown.status == 200 && !shown.text.contains("5f1d4c0a77"))
            #expect(try await world.client.send("GET", path, token: ada.token).status == 401)
        }
    }

    @Test func `no log line contains a token`() async throws {
        try await APIWorld.with { world in
            let ada = try await world.player("Ada")
            let body = fields(token: "5f1d4c0a77ee", alertToken: "5f1d4c0a77ef", widgetToken: "5f1d4c0a77aa")
            #expect(try await put(Self.phone, body, of: ada, in: world).status == 201)
            let everything = world.logs.lines.flatMap { [$0.message] + $0.metadata.values }.joined(separator: "\n")
            #expect(everything.contains("/v1/players/me/devices/"))
            #expect(!everything.contains("5f1d4c0a77"))
        }
    }
}
