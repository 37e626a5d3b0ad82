import HTTPTypes
import Testing

@testable import APNsSimulator

/// What the API takes for a fault, and what it tells of faults.
@Suite struct FaultAPITests {
    private let web: TestWeb

    init() throws {
        web = try TestWeb(seed: 5)
    }

    @Test func `a fault is told as it was asked for, with what was left out and what it has struck`() async throws {
        let asked = #"{"fault":"latency","distribution":"uniform","milliseconds":10,"toMilliseconds":20,"seconds":9}"#
        let added = try await web.send(.post, "/api/faults", asked)
        #expect(added.status == 201)
        #expect(
            added.body == """
                {"distribution":"uniform","door":"pushes","fault":"latency","faultID":1,"isOver":false,"milliseconds":10,\
                "probability":1,"seconds":9,"struck":0,"toMilliseconds":20}
                """
        )
        var generator = SeededGenerator(seed: 1)
        let token = PushToken(using: &generator)
        let once = #"{"fault":"refusal","reason":"Unregistered","token":"\#(token.hexadecimal)","pushes":1}"#
        _ = try await web.send(.post, "/api/faults", once)
        web.simulation.receive(apnsID: nil, payload: []) { _ in
            pushRequest([], to: token)
        }
        let all = try await web.send(.get, "/api/faults").body
        #expect(all.hasPrefix(#"{"faults":[{"#) && all.hasSuffix(#"],"seed":5}"#))
        #expect(all.contains(#""faultID":1,"isOver":false"#) && all.contains(#""struck":1,"toMilliseconds":20"#))
        #expect(all.contains(#""faultID":2,"isOver":true,"probability":1,"pushes":1,"reason":"Unregistered""#))
    }

    @Test func `a fault is removed, and all are`() async throws {
        for fault in ["stall", "lostAnswer", "oneStream"] {
            #expect(try await web.send(.post, "/api/faults", #"{"fault":"\#(fault)"}"#).status == 201)
        }
        #expect(try await web.send(.delete, "/api/faults/2").status == 204)
        #expect(web.simulation.faults.entries.map(\.number) == [1, 3])
        let again = try await web.send(.delete, "/api/faults/2")
        #expect(again.status == 404 && again.body.contains(#""type":"unknown-fault""#))
        #expect(try await web.send(.delete, "/api/faults").status == 204)
        #expect(try await web.send(.get, "/api/faults").body == #"{"faults":[],"seed":5}"#)
    }

    @Test(arguments: NewFault.Kind.allCases)
    func `every kind of fault comes back as it was asked for`(kind: NewFault.Kind) throws {
        var asked = NewFault(fault: kind.rawValue, probability: 0.5)
        switch kind {
        case .refusal, .goAway: asked.reason = "TooManyRequests"
        case .latency: asked.milliseconds = 3
        case .reset, .lostAnswer, .oneStream, .connectionDrop, .stall: break
        }
        let fault = try asked.checked()
        let told = NewFault(fault)
        #expect(told.fault == kind.rawValue && told.probability == 0.5)
        #expect(try told.checked().deed == fault.deed)
    }

    @Test(arguments: [
        (#"{"fault":"storm"}"#, 422, "fault"),
        (#"{"fault":"refusal"}"#, 422, "reason"),
        (#"{"fault":"refusal","reason":"Tired"}"#, 422, "reason"),
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
        (#"{"fault":"stall","door":"back"}"#, 422, "door"),
        (#"{"fault":"stall","door":"channels","token":"ab"}"#, 422, "token"),
        (#"{"fault":"stall","pushs":3}"#, 400, "pushs"),
        (#"{"fault":"stall","pushes":"three"}"#, 400, "pushes"),
        (#"{"pushes":3}"#, 400, "fault"),
    ])
    func `a fault that is not described well is refused, and its field named`(
        body: String,
        status: Int,
        field: String
    ) async throws {
        let answer = try await web.send(.post, "/api/faults", body)
        #expect(answer.status == status)
        #expect(answer.type == "application/problem+json")
        #expect(answer.body.contains(status == 422 ? #"[{"field":"\#(field)""# : #""detail":"\#(field): "#))
        #expect(web.simulation.faults.entries.isEmpty)
    }
}
