import Foundation
import Testing

@testable import OperatorCommands

/// How `rangersctl push test` tells what came of a push.
@Suite struct PushAnswerTests {
    private func answer(_ ending: String) throws -> PushAnswer {
        let json = #"""
            {"environment":"sandbox","headers":[{"name":"apns-priority","value":"10"}],"host":"api.example.com",
            "meaning":"It is not one of this environment.","payload":"{\"aps\":{}}","payloadBytes":10,"port":443,
            "remedy":"Try the other.","request":"POST /3/device/80f1c2…(8 bytes)",\#(ending)}
            """#
        return try JSONDecoder().decode(PushAnswer.self, from: Data(json.utf8))
    }

    @Test func `a refusal is told with its reason, its meaning and what to do`() throws {
        let refusal = try answer(#""answer":"refused","status":400,"reason":"BadDeviceToken""#)
        #expect(!refusal.isAccepted)
        #expect(
            refusal.lines(fitting: nil) == [
                "To        api.example.com:443 (sandbox)", "Request   POST /3/device/80f1c2…(8 bytes)",
                "          apns-priority: 10", "Payload   10 of 4096 bytes", #"          {"aps":{}}"#,
                "Answer    400 BadDeviceToken", "It means  It is not one of this environment.",
                "To do     Try the other.",
            ]
        )
    }

    @Test func `the answer to a push to an activity is the one that was asked for then, or since`() throws {
        let push = #"""
            {"environment":"sandbox","headers":[],"host":"api.example.com","meaning":"It is taken.","payload":"{}",
            "payloadBytes":2,"port":443,"remedy":"Look.","request":"POST /3/device/80f1c2…","answer":"accepted","status":200}
            """#
        let decision = #""happened":"Time passed","decided":"Sent at priority 10","why":"asked for""#
        let wait = #""position":8,"happened":"An operator pushed","decided":"Delayed","why":"one a second""#
        let sent = #"{"position":8,"answer":"accepted",\#(decision)}"#
        let json = #"{"decisions":[{\#(wait)},\#(sent)],"askedPush":{"position":8,"push":\#(push)}}"#
        let heard = try JSONDecoder().decode(PushDecisions.self, from: Data(json.utf8))
        #expect(heard.push(askedAt: 7)?.isAccepted == true && heard.push(askedAt: 8)?.isAccepted == true)
        #expect(heard.push(askedAt: 9) == nil)
        #expect(heard.decision(since: 8)?.sentence == "Time passed. Sent at priority 10 – asked for.")
        #expect(heard.decision(since: 9) == nil)
        let waiting = try JSONDecoder().decode(PushDecisions.self, from: Data(#"{"decisions":[{\#(wait)}]}"#.utf8))
        #expect(waiting.decision(since: 8)?.decided == "Delayed")
        let before = try JSONDecoder().decode(PushDecisions.self, from: Data(#"{"decisions":[]}"#.utf8))
        #expect(before.push(askedAt: 1) == nil)
    }

    @Test func `that nobody is there to send it is said at once, and waited for as long as dispatchers take over`() {
        var watch = DispatcherWatch()
        func heard(_ isThere: Bool?, _ seconds: Int) -> DispatcherWatch.Step {
            watch.heard(ofDispatcher: isThere, at: .seconds(seconds))
        }
        #expect(heard(nil, 0) == .wait && heard(true, 0) == .wait)
        #expect(heard(false, 1) == .warn && heard(false, 8) == .wait)
        #expect(heard(true, 9) == .wait && heard(false, 10) == .wait && heard(false, 17) == .wait)
        #expect(heard(false, 18) == .giveUp)
    }

    @Test func `an accepted push has its place in Apple's console`() throws {
        let accepted = try answer(#""answer":"accepted","status":200,"apnsUniqueID":"7""#)
        #expect(accepted.isAccepted)
        #expect(accepted.lines(fitting: nil).contains("Answer    200 accepted"))
        #expect(accepted.lines(fitting: nil).contains("          apns-unique-id: 7"))
        #expect(try answer(#""answer":"neverSent""#).lines(fitting: nil).contains("Answer    none: it was not sent"))
    }
}
