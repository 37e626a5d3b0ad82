import HTTPTypes
import Testing

@testable import APNsSimulator

/// The API of faults.
@Suite struct FaultAPITests {
    private let web: TestWeb

    init() throws {
        web = try TestWeb(seed: 5)
    }

    @Test func `a fault is described as requested, with its defaults and its number of matched pushes`() async throws {
        let requested =
            #"{"fault":"latency","distribution":"uniform","milliseconds":10,"toMilliseconds":20,"seconds":9}"#
        let added = try await web.send(.post, "/api/faults", requested)
        #expect(added.status == 201)
        #expect(
            added.body == """
                {"distribution":"uniform","endpoint":"pushes","fault":"latency","faultID":1,"isOver":false,"matchedPushes":0,\
                "milliseconds":10,"probability":1,"seconds":9,"toMilliseconds":20}
                """
        )
        var generator = SplitMix64(seed: 1)
        let token = PushToken(using: &generator)
        let once = #"{"fault":"rejection","reason":"Unregistered","token":"\#(token.hexadecimal)","pushes":1}"#
        _ = try await web.send(.post, "/api/faults", once)
        web.simulator.receive(apnsID: nil, payload: []) { _ in
            pushRequest([], to: token)
        }
        let all = try await web.send(.get, "/api/faults").body
        #expect(all.hasPrefix(#"{"faults":[{"#) && all.hasSuffix(#"],"seed":5}"#))
        #expect(all.contains(#""faultID":1,"isOver":false,"matchedPushes":1"#))
        #expect(
            all.contains(
                #""faultID":2,"isOver":true,"matchedPushes":1,"probability":1,"pushes":1,"reason":"Unregistered""#
            )
        )
    }

    @Test func `one fault or all faults can be removed`() async throws {
        for fault in ["stall", "lostResponse", "oneStream"] {
            #expect(try await web.send(.post, "/api/faults", #"{"fault":"\#(fault)"}"#).status == 201)
        }
        #expect(try await web.send(.delete, "/api/faults/2").status == 204)
        #expect(web.simulator.faults.entries.map(\.number) == [1, 3])
        let again = try await web.send(.delete, "/api/faults/2")
        #expect(again.status == 404 && again.body.contains(#""type":"unknown-fault""#))
        #expect(try await web.send(.delete, "/api/faults").status == 204)
        #expect(try await web.send(.get, "/api/faults").body == #"{"faults":[],"seed":5}"#)
    }

    @Test(arguments: FaultDescription.Kind.allCases)
    func `every kind of fault is described as requested`(kind: FaultDescription.Kind) throws {
        var requested = FaultDescription(fault: kind.rawValue, probability: 0.5)
        switch kind {
        case .rejection, .goAway: requested.reason = "TooManyRequests"
        case .latency: requested.milliseconds = 3
        case .reset, .lostResponse, .oneStream, .connectionDrop, .stall: break
        }
        let fault = try requested.checked()
        let described = FaultDescription(fault)
        #expect(described.fault == kind.rawValue && described.probability == 0.5)
        #expect(try described.checked().effect == fault.effect)
    }

    @Test(arguments: [
        (#"{"fault":"storm"}"#, 422, "fault"),
        (#"{"fault":"rejection"}"#, 422, "reason"),
        (#"{"fault":"rejection","reason":"Tired"}"#, 422, "reason"),
        (#"{"fault":"stall","reason":"Shutdown"}"#, 422, "reason"),
        (#"{"fault":"reset","errorCode":"7"}"#, 422, "errorCode"),
        (#"{"fault":"latency"}"#, 422, "milliseconds"),
        (#"{"fault":"latency","milliseconds":60001}"#, 422, "milliseconds"),
        (#"{"fault":"latency","milliseconds":5,"distribution":"normal"}"#, 422, "distribution"),
        (#"{"fault":"latency","milliseconds":5,"distribution":"uniform","toMilliseconds":4}"#, 422, "toMilliseconds"),
        (#"{"fault":"latency","milliseconds":5,"toMilliseconds":6}"#, 422, "toMilliseconds"),
        (#"{"fault":"stall","probability":0}"#, 422, "probability"),
        (#"{"fault":"stall","probability":1.1}"#, 422, "probability"),
        (#"{"fault":"stall","pushes":0}"#, 422, "pushes"),
        (#"{"fault":"stall","seconds":0}"#, 422, "seconds"),
        (#"{"fault":"stall","token":"xyz"}"#, 422, "token"),
        (#"{"fault":"stall","topic":""}"#, 422, "topic"),
        (#"{"fault":"stall","endpoint":"back"}"#, 422, "endpoint"),
        (#"{"fault":"stall","endpoint":"channels","token":"ab"}"#, 422, "token"),
        (#"{"fault":"stall","pushs":3}"#, 400, "pushs"),
        (#"{"fault":"stall","pushes":"three"}"#, 400, "pushes"),
        (#"{"pushes":3}"#, 400, "fault"),
    ])
    func `an invalid fault is rejected with the name of its field`(
        body: String,
        status: Int,
        field: String
    ) async throws {
        let response = try await web.send(.post, "/api/faults", body)
        #expect(response.status == status)
        #expect(response.type == "application/problem+json")
        #expect(response.body.contains(status == 422 ? #"[{"field":"\#(field)""# : #""detail":"\#(field): "#))
        #expect(web.simulator.faults.entries.isEmpty)
    }
}
