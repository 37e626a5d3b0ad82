import Encodings
import Foundation
import HTTPTypes
import LiveActivityContent
import Testing

@testable import APNsSimulator

@Suite struct WallAPITests {
    private let web: TestWeb
    private var simulator: SimulatorState { web.simulator }

    init() throws {
        web = try TestWeb(seed: 11)
    }

    private func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String = ""
    ) async throws -> (status: Int, type: String?, body: String) {
        try await web.send(method, path, body)
    }

    private func addPhone() async throws -> WallID<Phone> {
        let response = try await send(.post, "/api/phones", #"{"label":"Mina","locale":"ko"}"#)
        #expect(response.status == 201)
        return try #require(simulator.read(\.phones).last?.id)
    }

    @Test func `an added phone is listed with its defaults`() async throws {
        let id = try await addPhone()
        let response = try await send(.get, "/api/phones")
        #expect(response.status == 200)
        #expect(
            response.body == """
                {"phones":[{"activities":[],"budgetLeft":300,"budgetLimit":300,"frequentPushesEnabled":true,\
                "isOnline":true,"island":{"activityIDs":[],"presentation":"empty"},"label":"Mina",\
                "liveActivitiesEnabled":true,"locale":"ko","lockScreen":[],"model":"iPhone","notifications":[],"phoneID":"\(id)","revision":0,\
                "widgets":{"budgetLeft":40,"reloads":0}}]}
                """
        )
        let one = try await send(.get, "/api/phones/\(id.description.uppercased())")
        #expect(response.body == "{\"phones\":[\(one.body)]}")
    }

    @Test func `a phone has a push-to-start token, and its app learns of activities that pushes start`() async throws {
        let path = "/api/phones/\(try await addPhone())"
        let activity = "9a1e0fd2-4f5e-4a53-8a8c-0e6a1c9d7b11"
        // Activities that the app starts itself are not listed.
        _ = try await send(.post, "\(path)/activities", #"{"activityID":"\#(activity)","adventureID":"\#(activity)"}"#)
        let response = try await send(.post, "\(path)/push-to-start-token")
        #expect(response.status == 201)
        let token = try #require(simulator.read(\.phones).first?.appTokens[.pushToStart])
        #expect(response.body == #"{"pushToken":"\#(token.hexadecimal)"}"#)
        #expect(try await send(.get, "\(path)/started-activities").body == #"{"activities":[]}"#)

        let bytes = startPayload(of: activity)
        _ = simulator.receive(apnsID: nil, payload: bytes) { _ in
            pushRequest(bytes, to: token)
        }
        let started = try #require(simulator.read(\.phones).first?.activities.last)
        let sequence = try #require(started.shown).sequence
        let expected = """
            {"activityID":"\(started.id)","adventureID":"\(activity)","pushToken":"\(started.token.hexadecimal)",\
            "sequence":\(sequence)}
            """
        #expect(try await send(.get, "\(path)/started-activities").body == #"{"activities":[\#(expected)]}"#)
        _ = try await send(.delete, "\(path)/activities/\(started.id)")
        #expect(try await send(.get, "\(path)/started-activities").body == #"{"activities":[]}"#)
    }

    @Test func `a device has a token for notifications and one for widgets, whose content the app sets`() async throws {
        let phone = #"{"label":"Mina's iPad","model":"iPad","owner":"Mina"}"#
        let added = try await send(.post, "/api/phones", phone)
        #expect(added.status == 201)
        #expect(added.body.contains(#""model":"iPad""#) && added.body.contains(#""owner":"Mina""#))
        let path = "/api/phones/\(try #require(simulator.read(\.phones).last?.id))"
        for kind in [AppToken.Kind.device, .widgets] {
            let response = try await send(.post, "\(path)/\(kind.rawValue)")
            let token = try #require(simulator.read(\.phones).first?.appTokens[kind])
            #expect(response.status == 201 && response.body == #"{"pushToken":"\#(token.hexadecimal)"}"#)
        }
        let content =
            #"{"hero":{"avatar":"🐳","exp":240,"level":3,"name":"Spouty"},"leaderboard":[{"name":"Mina","rank":1,"score":90}]}"#
        #expect(try await send(.put, "\(path)/widgets", content).status == 204)
        #expect(try await send(.get, path).body.contains(#""content":\#(content)"#))
        #expect(try await send(.put, "\(path)/widgets", #"{"heros":1}"#).status == 400)
        #expect(try await send(.post, "/api/phones", #"{"label":"Mina","owner":""}"#).status == 422)
    }

    @Test func `an activity is started, rotated and swiped away`() async throws {
        let path = "/api/phones/\(try await addPhone())/activities"
        let activity = "9a1e0fd2-4f5e-4a53-8a8c-0e6a1c9d7b11"
        let start = #"{"activityID":"\#(activity)","adventureID":"\#(activity)","partyName":"Tide"}"#
        let started = try await send(.post, path, start)
        #expect(started.status == 201)
        let first = try #require(simulator.read(\.phones).first?.activities.first?.token)
        #expect(started.body == #"{"pushToken":"\#(first.hexadecimal)"}"#)

        let rotated = try await send(.post, "\(path)/\(activity)/rotate")
        #expect(rotated.status == 200)
        let second = try #require(simulator.read(\.phones).first?.activities.first?.token)
        #expect(second != first)
        #expect(rotated.body == #"{"pushToken":"\#(second.hexadecimal)"}"#)

        #expect(try await send(.delete, "\(path)/\(activity)").status == 204)
        let again = try await send(.delete, "\(path)/\(activity)")
        #expect(again.status == 409)
        #expect(again.type == "application/problem+json")
        #expect(again.body.contains(#""type":"activity-over""#))
        #expect(try await send(.post, path, start).body.contains(#""type":"activity-exists""#))
    }

    @Test func `a phone is changed field by field, and each change is published`() async throws {
        let path = "/api/phones/\(try await addPhone())"
        var events = simulator.feed.subscribe().makeAsyncIterator()
        let offline = try await send(.patch, path, #"{"isOnline":false}"#)
        #expect(offline.status == 200)
        #expect(offline.body.contains(#""isOnline":false"#) && offline.body.contains(#""locale":"ko""#))
        let event = String(decoding: try #require(await events.next()), as: UTF8.self)
        #expect(event.contains(#""isOnline":false"#))
        let rest = try await send(.patch, path, #"{"locale":"ar","frequentPushesEnabled":false}"#).body
        #expect(rest.contains(#""locale":"ar""#) && rest.contains(#""budgetLimit":15"#))
        #expect(rest.contains(#""isOnline":false"#))
        let wrong = try await send(.patch, path, #"{"locale":"?"}"#)
        #expect(wrong.status == 422 && wrong.body.contains(#""field":"locale""#))
        let misspelt = try await send(.patch, path, #"{"online":false}"#)
        #expect(misspelt.status == 400 && misspelt.body.contains(#""detail":"online: unknown field"#))
        let fraction = try await send(.post, "/api/faults", #"{"fault":"stall","pushes":1.5}"#)
        #expect(fraction.status == 400 && fraction.body.contains(#""detail":"pushes: expected an integer"#))
    }

    @Test func `pushes are listed in order, from a number on`() async throws {
        for _ in 0..<3 {
            _ = simulator.receive(apnsID: "a", payload: [123, 125]) { _ throws(RejectionReason) in
                throw .missingProviderToken
            }
        }
        let response = try await send(.get, "/api/pushes?after=2")
        #expect(
            response.body == """
                {"last":3,"pushes":[{"apnsID":"a","headers":[],"number":3,"payload":"{}","reason":"MissingProviderToken",\
                "size":2,"status":403,"time":"2026-09-21T14:13:20.000Z"}]}
                """
        )
        for (query, field) in [
            ("after=x", "after"), ("after=-1", "after"), ("limit=0", "limit"), ("limit=1001", "limit"),
        ] {
            let rejected = try await send(.get, "/api/pushes?\(query)")
            #expect(rejected.status == 422 && rejected.body.contains(#""field":"\#(field)""#), "\(query)")
        }
        let limited = try await send(.get, "/api/pushes?limit=1")
        #expect(limited.body.contains(#""number":1"#))
        #expect(!limited.body.contains(#""number":2"#))
        #expect(try await send(.get, "/api/violations").body == #"{"violations":[]}"#)
    }

    @Test(arguments: [
        ("ko", true), ("pt_BR", true), ("zh-Hans-CN", true), ("es-419", true), ("sl-rozaj-1994", true),
        ("ar-u-nu-latn", true), ("tlh", true), ("en-a", false), ("en-US-US", false), ("abcd", false), ("e", false),
        ("en-", false), ("en-u", false),
    ])
    func `a locale must be a tag that browsers accept`(locale: String, isAccepted: Bool) async throws {
        let response = try await send(.post, "/api/phones", #"{"label":"Mina","locale":"\#(locale)"}"#)
        #expect(response.status == (isAccepted ? 201 : 422))
    }

    @Test(arguments: [
        ("", 400, "unreadable-body"),
        ("{", 400, "unreadable-body"),
        (#"{"locale":"ko"}"#, 400, "label: is missing"),
        (#"{"label":""}"#, 422, #""field":"label""#),
        (#"{"label":"Mina","locale":"not a language"}"#, 422, #""field":"locale""#),
        (#"{"label":"Mina","frequentPushesEnabled":1}"#, 400, "frequentPushesEnabled"),
    ])
    func `an invalid phone is rejected`(body: String, status: Int, hint: String) async throws {
        let response = try await send(.post, "/api/phones", body)
        #expect(response.status == status)
        #expect(response.type == "application/problem+json")
        #expect(response.body.contains(hint))
        #expect(simulator.read(\.phones).isEmpty)
    }

    @Test func `a body of more than 64 KiB is rejected`() async throws {
        let body = #"{"label":"\#(String(repeating: "x", count: 64 * 1024))"}"#
        let response = try await send(.post, "/api/phones", body)
        #expect(response.status == 413)
        #expect(response.type == "application/problem+json")
    }

    @Test(arguments: [
        "/api/phones/unknown", "/api/phones/9a1e0fd2-4f5e-4a53-8a8c-0e6a1c9d7b11", "/nowhere", "/page/secret.txt",
    ])
    func `unknown resources are not found`(path: String) async throws {
        let response = try await send(.get, path)
        #expect(response.status == 404)
        #expect(response.type == "application/problem+json")
    }

    @Test func `every file of the page exists`() async throws {
        let page = try await send(.get, "/")
        #expect(page.type == "text/html; charset=utf-8")
        let raid = try await send(.get, "/raid")
        #expect(raid.type == page.type)
        var unread = [page.body, raid.body]
        var files: Set<String> = []
        while let text = unread.popLast() {
            for match in text.matches(of: /"(\/page\/[a-z.]+)"/) where files.insert(String(match.1)).inserted {
                let file = try await send(.get, String(match.1))
                #expect(file.status == 200, "\(match.1)")
                unread.append(file.body)
            }
            // The simulator's own address is allowed.
            let others = text.replacing("https://${host}", with: "")
            #expect(!others.contains("https://"), "the page works without a network")
        }
        let scripts = [
            "activity", "api", "chart", "controls", "copyable", "dom", "faults", "fighter", "frames", "game",
            "glance", "island", "languages", "log", "notifications", "phone", "player", "presentations", "raid",
            "sound", "texts", "wall", "watch", "widgets",
        ]
        #expect(
            files == Set(scripts.map { "/page/\($0).js" } + ["/page/wall.css", "/page/devices.css", "/page/raid.css"])
        )
    }

    @Test func `the page has the app's sounds`() async throws {
        let sound = try await send(.get, "/page/sounds/own-turn.wav")
        #expect(sound.status == 200 && sound.type == "audio/wav" && sound.body.hasPrefix("RIFF"))
        #expect(try await send(.get, "/page/sounds/own-turn.caf").status == 404)
    }

    @Test func `subscribers receive phones, pushes and violations`() async throws {
        var events = simulator.feed.subscribe().makeAsyncIterator()
        let id = try await addPhone()
        var event = String(decoding: try #require(await events.next()), as: UTF8.self)
        #expect(event.hasPrefix("event: phone\ndata: {"))
        #expect(event.contains(id.description))
        #expect(event.hasSuffix("}\n\n"))
        _ = simulator.receive(apnsID: nil, payload: []) { _ throws(RejectionReason) in throw .payloadEmpty }
        event = String(decoding: try #require(await events.next()), as: UTF8.self)
        #expect(event.hasPrefix("event: push\ndata: {"))
    }

    @Test func `subscribers receive the outcome of a delayed push`() async throws {
        let path = "/api/phones/\(try await addPhone())"
        let activity = "9a1e0fd2-4f5e-4a53-8a8c-0e6a1c9d7b11"
        _ = try await send(.post, "\(path)/activities", #"{"activityID":"\#(activity)","adventureID":"\#(activity)"}"#)
        let token = try #require(simulator.read(\.phones).first?.activities.first?.token)
        _ = try await send(.patch, path, #"{"isOnline":false}"#)
        simulator.receive(apnsID: nil, payload: payload()) { _ in pushRequest(payload(), to: token) }
        #expect(try await send(.get, "/api/pushes").body.contains(#""reaction":"stored""#))
        var events = simulator.feed.subscribe().makeAsyncIterator()
        _ = try await send(.patch, path, #"{"isOnline":true}"#)
        let phone = String(decoding: try #require(await events.next()), as: UTF8.self)
        #expect(phone.hasPrefix("event: phone"))
        let push = String(decoding: try #require(await events.next()), as: UTF8.self)
        #expect(push.hasPrefix("event: push") && push.contains(#""number":1"#) && push.contains(#""reactedAt""#))
        #expect(try await send(.get, "/api/pushes").body.contains(#""reaction":"shown""#))
    }

    @Test func `subscribers first receive the identifier of the simulator's run`() async throws {
        let runID = UUID()
        let web = try TestWeb(seed: 1, runID: runID)
        let run = #"{"id":"\#(runID)","time":"\#(moment(0).rfc3339)"}"#
        #expect(try await web.firstChunk(of: "/api/events") == "event: run\ndata: \(run)\n\n")
    }

    @Test func `the stream of a slow subscriber ends`() async throws {
        let slow = simulator.feed.subscribe()
        for _ in 0..<1001 {
            _ = simulator.receive(apnsID: nil, payload: []) { _ throws(RejectionReason) in throw .payloadEmpty }
        }
        var count = 0
        for await _ in slow { count += 1 }
        #expect(count == 1000)
    }
}
